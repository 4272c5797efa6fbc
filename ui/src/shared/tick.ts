// One timer for everything that counts seconds: aligned to the second, and none at all while nobody looks.
import { useSyncExternalStore } from "react";

type Listener = () => void;

const MINUTE_MS = 60_000;

const listeners = new Set<Listener>();
let now = Date.now();
let timer: ReturnType<typeof setTimeout> | undefined;

function schedule(): void {
  if (timer !== undefined || listeners.size === 0 || document.hidden) return;
  timer = setTimeout(beat, 1000 - (Date.now() % 1000));
}

function beat(): void {
  timer = undefined;
  now = Date.now();
  for (const listener of listeners) listener();
  schedule();
}

function onVisibility(): void {
  if (document.hidden) {
    clearTimeout(timer);
    timer = undefined;
  } else if (listeners.size > 0) {
    clearTimeout(timer);
    beat();
  }
}

function subscribe(listener: Listener): () => void {
  if (listeners.size === 0) {
    now = Date.now();
    document.addEventListener("visibilitychange", onVisibility);
  }
  listeners.add(listener);
  schedule();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearTimeout(timer);
    timer = undefined;
    document.removeEventListener("visibilitychange", onVisibility);
  };
}

const never = () => () => undefined;

const beatTime = (): number => now;
const minute = (): number => Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;

/** The time in milliseconds: renewed once a second while `active` and visible, else the minute of the last drawing. */
export function useSecondTick(active: boolean): number {
  return useSyncExternalStore(active ? subscribe : never, active ? beatTime : minute);
}
