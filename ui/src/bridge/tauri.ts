// The desktop app's twin: Tauri's invoke. Command and parameter names are the wire's.
import { invoke, type InvokeArgs } from "@tauri-apps/api/core";
import { asCallError, type Bridge, type CommandName, type Commands, type Desktop } from "./bridge";

/** The gateway of this desktop app. */
export function tauriBridge(): Bridge {
  return {
    call<K extends CommandName>(command: K, params: Commands[K]["params"]): Promise<Commands[K]["reply"]> {
      return ask<Commands[K]["reply"]>(command, { params });
    },
    openLink(url) {
      return ask("open_link", { url });
    },
    desktop,
  };
}

const desktop: Desktop = {
  lookAt: (view) => ask("look_at", { view }),
  nextIntent: () => ask("next_intent"),
  state: () => ask("desktop_state"),
  quit: (processes) => ask("quit", { processes }),
  openWindow: () => ask("open_window"),
  openPlace: (place) => ask("open_place", { place }),
  chooseModelFile: ({ title, kind }) => ask("choose_model_file", { title, kind }),
};

async function ask<T>(command: string, given?: InvokeArgs): Promise<T> {
  try {
    return await invoke<T>(command, given);
  } catch (reason) {
    throw asCallError(reason);
  }
}
