// A view has one ink button. Where two could claim it, the one that the person is at has it.
import { useSyncExternalStore } from "react";

let composerClaims = false;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The composer holds focus and has something to send, or no longer. */
export function claimInk(claims: boolean): void {
  if (composerClaims === claims) return;
  composerClaims = claims;
  for (const listener of listeners) listener();
}

/** Whether the send button is the ink button now. */
export function useComposerInk(): boolean {
  return useSyncExternalStore(subscribe, () => composerClaims);
}
