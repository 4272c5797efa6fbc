// Answers that came too late. The question's own row tells how it ended; that somebody here meant something else would
// otherwise be lost with the card.
import { useSyncExternalStore } from "react";

/** More than this many are not remembered: the oldest are long read. */
const KEPT = 64;

let late: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

/** Remembers that an answer given in this window came too late. */
export function noteLate(approvalId: string): void {
  late = new Set([...late, approvalId].slice(-KEPT));
  for (const listener of listeners) listener();
}

/** Whether an answer from this window came too late. */
export function useLate(approvalId: string | null | undefined): boolean {
  return useSyncExternalStore(subscribe, () => approvalId != null && late.has(approvalId));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
