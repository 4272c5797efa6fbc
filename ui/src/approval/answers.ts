// When a question was answered in this window. The row of a question does not tell, and the card that shows it afterwards
// stands elsewhere.
import { useSyncExternalStore } from "react";

const times = new Map<string, number>();
const listeners = new Set<() => void>();

/** Remembers that a question was answered here and now. */
export function noteAnswer(approvalId: string): void {
  times.set(approvalId, Date.now());
  for (const listener of listeners) listener();
}

/** When it was answered here; null where somebody else did, or nobody. */
export function useAnsweredAt(approvalId: string | null | undefined): number | null {
  return useSyncExternalStore(subscribe, () => (approvalId == null ? null : (times.get(approvalId) ?? null)));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
