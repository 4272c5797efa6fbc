// Which processes stand where in the rail.
import type { Process } from "../bridge/wire";

/** Whether something of it lives, so that Stop must be within reach. */
export function alive(process: Process): boolean {
  return !isFinal(process.state) || process.descendants > 0;
}

/** Whether nothing more will happen to the command itself; its descendants may live on. */
export function isFinal(state: string): boolean {
  return state === "exited" || state === "killed" || state === "lost" || state === "failed_start";
}

/** Live ones: who waits for a person, then who is being stopped, then the newest first. */
export function liveFirst(processes: readonly Process[]): Process[] {
  return processes.filter(alive).sort((a, b) => urgency(a) - urgency(b) || b.startedAtMs - a.startedAtMs);
}

/** The ones that ended since midnight and those that ended before, each the latest end first. */
export function ended(processes: readonly Process[], nowMs: number): { today: Process[]; earlier: Process[] } {
  const midnight = new Date(nowMs).setHours(0, 0, 0, 0);
  const gone = processes.filter((process) => !alive(process)).sort((a, b) => endOf(b) - endOf(a));
  return {
    today: gone.filter((process) => endOf(process) >= midnight),
    earlier: gone.filter((process) => endOf(process) < midnight),
  };
}

function urgency(process: Process): number {
  if (process.state === "running" && process.attention === "needs_input") return 0;
  return process.state === "stopping" ? 1 : 2;
}

function endOf(process: Process): number {
  return process.endedAtMs ?? process.startedAtMs;
}
