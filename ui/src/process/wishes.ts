// What a key in the list asks of the detail below it. The detail may not be there yet: the wish waits for it.
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";

/** Go into the output, or to the line; follow or pause; look for words; take the whole window. */
export type Wish = "attach" | "type" | "follow" | "search" | "zoom";

let held: { readonly processId: string; readonly wish: Wish } | null = null;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Asks for something of a process's detail. */
export function makeWish(processId: string, wish: Wish): void {
  held = { processId, wish };
  for (const listener of listeners) listener();
}

/** Carries out what is asked of a process's detail; each wish once. Answers whether it could be done yet. */
export function useWishes(processId: string, carryOut: (wish: Wish) => boolean): void {
  const waiting = useSyncExternalStore(subscribe, () => (held?.processId === processId ? held : null));
  const act = useEffectEvent((wish: Wish) => carryOut(wish));
  useEffect(() => {
    if (waiting === null || waiting !== held) return;
    if (act(waiting.wish)) held = null;
  });
}
