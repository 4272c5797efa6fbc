// Which twin this window talks to.
import type { Bridge } from "./bridge";
import { socketBridge, takePass } from "./socket";
import { profileOfWindow, tauriBridge } from "./tauri";

/** The in-memory gateway exists in development and test builds only; the condition is known when the pages are built. */
const WITH_FAKE = import.meta.env.DEV || import.meta.env.VITE_FAKE === "1";

/** The gateway of this window. */
export async function chooseBridge(): Promise<Bridge> {
  if (WITH_FAKE) {
    const scene = new URLSearchParams(location.search).get("fake");
    if (scene !== null) {
      const { fakeBridge } = await import("./fake/fake");
      return fakeBridge(scene);
    }
  }
  if ("__TAURI_INTERNALS__" in window) return tauriBridge(await profileOfWindow());
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return socketBridge(`${scheme}://${location.host}/ws`, takePass());
}
