// What a person has opened and closed. It outlives the rows themselves: a row that scrolls out of sight is taken down,
// and must come back as it was left.
import { useSyncExternalStore } from "react";

const choices = new Map<string, boolean>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether `key` is open, and how to turn it over. A person's own choice beats what the row would do by itself. */
export function useDisclosure(key: string, byItself: boolean): [open: boolean, toggle: () => void] {
  const open = useSyncExternalStore(subscribe, () => choices.get(key) ?? byItself);
  const toggle = () => {
    choices.set(key, !open);
    for (const listener of listeners) listener();
  };
  return [open, toggle];
}
