// What a key in the list asks of the detail below it. The detail may not be there yet: the wish waits for it.
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";

/** Go into the output, or to the line; follow or pause; look for words; take the whole window. */
export type Wish = "attach" | "type" | "follow" | "search" | "zoom";

/** A wish that could not be met by then is forgotten. */
const FRESH_MS = 10_000;

let held: { readonly processId: string; readonly wish: Wish; readonly at: number } | null = null;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Asks for something of a process's detail. */
export function makeWish(processId: string, wish: Wish): void {
  held = { processId, wish, at: performance.now() };
  for (const listener of listeners) listener();
}

/** Carries out what is asked of a process's detail; each wish once. Answers whether it could be done yet. */
export function useWishes(processId: string, carryOut: (wish: Wish) => boolean): void {
  const waiting = useSyncExternalStore(subscribe, () => (held?.processId === processId ? held : null));
  const act = useEffectEvent((wish: Wish) => carryOut(wish));
  useEffect(() => {
    if (waiting === null || waiting !== held) return;
    if (performance.now() - waiting.at > FRESH_MS || isElsewhere() || act(waiting.wish)) held = null;
  });
}

/** Whoever went on to something else meanwhile is left there. */
function isElsewhere(): boolean {
  const at = document.activeElement;
  return at !== null && at !== document.body && at.closest(".process-list") === null;
}
