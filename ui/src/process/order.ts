// Which processes stand where in the rail.
import type { Process } from "../bridge/wire";

/** Whether something of it lives, so that Stop must be within reach. */
export function alive(process: Process): boolean {
  return !isFinal(process.state) || process.descendants > 0;
}

/** Whether it stands still until somebody types. */
export function waitsForInput({ state, attention }: Process): boolean {
  return state === "running" && attention === "needs_input";
}

/** Whether nothing more will happen to the command itself; its descendants may live on. */
export function isFinal(state: string): boolean {
  return state === "exited" || state === "killed" || state === "lost" || state === "failed_start";
}

/** Ways to sort a list. Who needs a person stands first in each of them. */
export const SORTS = ["newest", "oldest", "cpu", "memory", "name"] as const;
/** One of them. */
export type Sort = (typeof SORTS)[number];

/** What a process takes, as far as the order is concerned. */
export interface Load {
  readonly cpuPercent?: number | null;
  readonly rssBytes: number;
}

/** What is known about what processes take. */
export type Loads = ReadonlyMap<string, Load>;

const NO_LOADS: Loads = new Map();

/** Live ones: who waits for a person, then who is being stopped, then as it is wished. */
export function liveFirst(processes: readonly Process[], sort: Sort = "newest", loads: Loads = NO_LOADS): Process[] {
  return processes
    .filter(alive)
    .sort((a, b) => urgency(a) - urgency(b) || heavier(a, b, sort, loads) || compare(a, b, a.startedAtMs, b.startedAtMs, sort));
}

/** The ones that ended since midnight and those that ended before; times are those of their ends. */
export function ended(processes: readonly Process[], nowMs: number, sort: Sort = "newest"): { today: Process[]; earlier: Process[] } {
  const midnight = new Date(nowMs).setHours(0, 0, 0, 0);
  const gone = processes.filter((process) => !alive(process)).sort((a, b) => compare(a, b, endOf(a), endOf(b), sort));
  return {
    today: gone.filter((process) => endOf(process) >= midnight),
    earlier: gone.filter((process) => endOf(process) < midnight),
  };
}

function compare(a: Process, b: Process, atA: number, atB: number, sort: Sort): number {
  switch (sort) {
    case "newest":
    case "cpu":
    case "memory":
      return atB - atA;
    case "oldest":
      return atA - atB;
    case "name":
      return a.command.localeCompare(b.command, "en") || atB - atA;
  }
}

/** Who takes more first; without a measure last. Those that have ended take nothing. */
function heavier(a: Process, b: Process, sort: Sort, loads: Loads): number {
  const weight = ({ processId }: Process): number => {
    const load = loads.get(processId);
    if (sort === "cpu") return load?.cpuPercent ?? -1;
    return sort === "memory" ? (load?.rssBytes ?? -1) : 0;
  };
  return weight(b) - weight(a);
}

function urgency(process: Process): number {
  if (waitsForInput(process)) return 0;
  return process.state === "stopping" ? 1 : 2;
}

function endOf(process: Process): number {
  return process.endedAtMs ?? process.startedAtMs;
}
