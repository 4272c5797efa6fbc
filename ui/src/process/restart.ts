// Running a process again. One that lives is stopped first; while that lasts, more presses change nothing, and Stop is
// there for who does not want to wait.
import type { Process } from "../bridge/wire";
import type { Bridge } from "../bridge/bridge";

const busy = new Map<string, Promise<string>>();

/** The id of the new process. `force` does not ask the old one first. */
export function restart(bridge: Bridge, { processId }: Process, force = false): Promise<string> {
  const running = busy.get(processId);
  if (running !== undefined) return running;
  const asked = bridge
    .call("restart_process", { processId, force })
    .then((reply) => reply.processId)
    .finally(() => busy.delete(processId));
  busy.set(processId, asked);
  return asked;
}
