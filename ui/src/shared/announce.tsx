// One live region for the whole window. It says states, never streamed text, politely and at most once a second.
import { useSyncExternalStore } from "react";
import "./announce.css";

const PAUSE_MS = 1000;
/** More than this at once is not worth hearing one by one; the oldest are left out. */
const KEEP = 5;

let spoken = "";
let waiting: string[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function speak(): void {
  timer = undefined;
  const next = waiting.join(". ");
  if (next === "") return;
  waiting = [];
  spoken = next;
  for (const listener of listeners) listener();
  timer = setTimeout(speak, PAUSE_MS);
}

/** Says one state change. */
export function announce(words: string): void {
  waiting = [...waiting, words].slice(-KEEP);
  if (timer === undefined) speak();
}

/** Where it is said; the window holds exactly one. */
export function LiveRegion() {
  const words = useSyncExternalStore(subscribe, () => spoken);
  return (
    <div className="live-region" role="status" aria-live="polite">
      {words}
    </div>
  );
}
