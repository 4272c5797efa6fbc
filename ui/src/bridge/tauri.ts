// The desktop app's twin: Tauri's invoke. Command and parameter names are the wire's. Each call says which profile it is
// about, so that one that is under way while the window goes to another profile still ends where it began.
import { invoke, type InvokeArgs } from "@tauri-apps/api/core";
import { asCallError, type Bridge, type CommandName, type Commands, type Desktop } from "./bridge";

/** Names the profile of a call. */
const PROFILE = "gatehouse-profile";

/** The profile that this window shows. */
export function profileOfWindow(): Promise<string> {
  return ask<string>(null, "profile_of_window");
}

/** The gateway of this profile in this desktop app. */
export function tauriBridge(profile: string): Bridge {
  return {
    call<K extends CommandName>(command: K, params: Commands[K]["params"]): Promise<Commands[K]["reply"]> {
      return ask<Commands[K]["reply"]>(profile, command, { params });
    },
    openLink(url) {
      return ask(profile, "open_link", { url });
    },
    profile,
    showProfile: (name) => ask(profile, "use_profile", { name }),
    desktop: desktopOf(profile),
  };
}

function desktopOf(profile: string): Desktop {
  return {
    lookAt: (view) => ask(profile, "look_at", { view }),
    nextIntent: () => ask(profile, "next_intent"),
    state: () => ask(profile, "desktop_state"),
    quit: (processes) => ask(profile, "quit", { processes }),
    askQuit: () => ask(profile, "ask_quit"),
    openWindow: () => ask(profile, "open_window"),
    openPlace: (place) => ask(profile, "open_place", { place }),
    openFile: (file) => ask(profile, "open_file", { file }),
    chooseModelFile: ({ title, kind }) => ask(profile, "choose_model_file", { title, kind }),
  };
}

async function ask<T>(profile: string | null, command: string, given?: InvokeArgs): Promise<T> {
  try {
    return await invoke<T>(command, given, profile === null ? undefined : { headers: { [PROFILE]: profile } });
  } catch (reason) {
    throw asCallError(reason);
  }
}
