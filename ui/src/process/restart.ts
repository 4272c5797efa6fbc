// Running a process again. One that lives is stopped first; while that lasts, more presses change nothing, and Stop is
// there for who does not want to wait. What the new one was asked to have in vain is kept here, for its facts.
import { useSyncExternalStore } from "react";
import type { Process } from "../bridge/wire";
import type { Bridge } from "../bridge/bridge";
import type { Store } from "../feed/store";

const busy = new Map<string, Promise<string>>();
const notes = new Map<string, string>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Runs it again, and opens the new process if the window still shows what it did at the press: that may be seconds ago.
 *  `force` does not ask the old one first. */
export async function restart(store: Store, process: Process, force = false): Promise<void> {
  const { sessionId, processId, view } = store.selection;
  const next = await askOnce(store.bridge, process, force);
  const now = store.selection;
  if (now.sessionId === sessionId && now.processId === processId && now.view === view) store.openProcess(next);
}

/** The id of the new process. */
function askOnce(bridge: Bridge, { processId }: Process, force: boolean): Promise<string> {
  const running = busy.get(processId);
  if (running !== undefined) return running;
  const asked = bridge
    .call("restart_process", { processId, force })
    .then((reply) => {
      if (reply.note != null) keep(reply.processId, reply.note);
      return reply.processId;
    })
    .finally(() => busy.delete(processId));
  busy.set(processId, asked);
  return asked;
}

function keep(processId: string, note: string): void {
  notes.set(processId, note);
  for (const listener of listeners) listener();
}

/** What a process that was run again from this window was asked to have in vain, in words. */
export function useRestartNote(processId: string): string | undefined {
  return useSyncExternalStore(subscribe, () => notes.get(processId));
}
