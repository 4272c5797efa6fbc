// Which waiting message is being changed. The composer opens it too: Up in an empty field goes to the last one.
import { useSyncExternalStore } from "react";

let editing: string | null = null;
const listeners = new Set<() => void>();

/** Opens a waiting message for changes; null closes it. */
export function editQueued(admissionId: string | null): void {
  editing = admissionId;
  for (const listener of listeners) listener();
}

/** The waiting message that is being changed. */
export function useQueueEdit(): string | null {
  return useSyncExternalStore(subscribe, () => editing);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
