// Why the last thing that was asked for did not work. It stands below the header until it is put away.
import { useSyncExternalStore } from "react";
import { asCallError } from "../bridge/bridge";

let words: string | null = null;
const listeners = new Set<() => void>();

function set(next: string | null): void {
  words = next;
  for (const listener of listeners) listener();
}

/** Follows something that was asked for: what it changes comes back over the feed, that it failed is shown. */
export function attempt(done: Promise<unknown>): void {
  done.then(
    () => set(null),
    (reason: unknown) => set(asCallError(reason).message),
  );
}

/** Puts it away. */
export function dismissTrouble(): void {
  set(null);
}

/** What did not work. */
export function useTrouble(): string | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => words,
  );
}
