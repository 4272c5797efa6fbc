// Stopping takes two steps: the first press asks, and the gateway climbs by itself from asking to killing; the second
// press kills at once. What was pressed is kept here, so the rail, its detail and the strip show the same ladder.
import { useSyncExternalStore } from "react";
import type { Process } from "../bridge/wire";
import { asCallError, type Bridge } from "../bridge/bridge";

/** The gateway asks the root, then the whole tree, and waits this long after each before it kills. */
const GRACE_MS = 2000;
const STEPS = 2;
/** Seconds from the first press to the kill. */
export const LADDER_S = (GRACE_MS * STEPS) / 1000;

/** What is known about one stop. */
export interface Stop {
  /** When it was asked for in this window; nothing when it was asked for elsewhere. */
  pressedAt: number | null;
  /** A press is on its way. */
  busy: boolean;
  /** Who is left although everything was tried. */
  survivors: readonly number[];
  trouble: string | null;
}

const NONE: Stop = { pressedAt: null, busy: false, survivors: [], trouble: null };
const stops = new Map<string, Stop>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function put(processId: string, stop: Stop): void {
  stops.set(processId, stop);
  for (const listener of listeners) listener();
}

/** What is known about stopping a process. */
export function useStop(processId: string): Stop {
  return useSyncExternalStore(subscribe, () => stops.get(processId) ?? NONE);
}

/** Whether the next press of Stop kills at once. */
export function secondPress(process: Process, stop: Stop): boolean {
  return process.state === "stopping" || stop.busy;
}

/** Whole seconds until the gateway kills by itself; nothing when nobody here knows when it began. */
export function secondsLeft(stop: Stop, now: number): number | null {
  if (stop.pressedAt === null) return null;
  return Math.max(0, Math.ceil((stop.pressedAt + GRACE_MS * STEPS - now) / 1000));
}

/** One press of Stop, or of "Kill now" when the first one is still at work, or when it is to kill `now`. */
export async function pressStop(bridge: Bridge, process: Process, now = false): Promise<void> {
  const { processId } = process;
  const before = stops.get(processId) ?? NONE;
  const force = now || secondPress(process, before) || before.survivors.length > 0;
  put(processId, { pressedAt: force ? before.pressedAt : Date.now(), busy: true, survivors: [], trouble: null });
  try {
    const reply = await bridge.call("stop_process", { processId, force });
    put(processId, { pressedAt: null, busy: false, survivors: reply.survivors, trouble: null });
  } catch (reason) {
    const error = asCallError(reason);
    // It ended by itself meanwhile: that is what was wanted.
    const trouble = error.code === "process_closed" ? null : error.message;
    put(processId, { pressedAt: null, busy: false, survivors: [], trouble });
  }
}
