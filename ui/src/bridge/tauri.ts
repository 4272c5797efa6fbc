// The desktop app's twin: Tauri's invoke. Command and parameter names are the wire's.
import { invoke } from "@tauri-apps/api/core";
import { asCallError, type Bridge, type CommandName, type Commands } from "./bridge";

/** The gateway of this desktop app. */
export function tauriBridge(): Bridge {
  return {
    async call<K extends CommandName>(command: K, params: Commands[K]["params"]): Promise<Commands[K]["reply"]> {
      try {
        return await invoke<Commands[K]["reply"]>(command, { params });
      } catch (reason) {
        throw asCallError(reason);
      }
    },
    async openLink(url) {
      try {
        await invoke("open_link", { url });
      } catch (reason) {
        throw asCallError(reason);
      }
    },
  };
}
