// Several questions may be open at once. The keys belong to the oldest one that can be seen, and only that one shows
// them; everybody else is answered with the pointer or by tabbing there.
import { useEffect, useSyncExternalStore } from "react";

interface Shown {
  id: string;
  seq: number;
}

let shown: readonly Shown[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Shown[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function oldest(): string | null {
  return shown.reduce<Shown | null>((first, next) => (first === null || next.seq < first.seq ? next : first), null)?.id ?? null;
}

/** Whether the question `id` owns the keys now, given whether it is fully in sight. */
export function useOwnsKeys(id: string, seq: number, visible: boolean): boolean {
  useEffect(() => {
    if (!visible) return;
    change([...shown, { id, seq }]);
    return () => change(shown.filter((one) => one.id !== id));
  }, [id, seq, visible]);
  return useSyncExternalStore(subscribe, oldest) === id;
}
