// What living processes take, measured once a second for the rows that can be seen, and for all while they are sorted by
// it. Nothing visible, nothing alive, or a hidden window: nothing is asked.
import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Process, ProcessSample } from "../bridge/wire";
import { useBridge, useConnection } from "../feed/hooks";
import { useSecondTick } from "../shared/tick";
import type { Loads } from "./order";

/** The gateway measures at most so many at once. */
const AT_ONCE = 64;
/** A list that is sorted by measures keeps its order for so long. */
const STEADY_MS = 5000;

const NONE: readonly string[] = [];

let samples: ReadonlyMap<string, ProcessSample> = new Map();
let seen: readonly string[] = NONE;
let also: readonly string[] = NONE;
let shown: readonly string[] = NONE;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function publish(): void {
  for (const listener of listeners) listener();
}

/** Who is measured from now on. */
function measure(rows: readonly string[], others: readonly string[]): void {
  seen = rows;
  also = others;
  shown = [...new Set([...rows, ...others])].slice(0, AT_ONCE);
  if ([...samples.keys()].some((id) => !shown.includes(id))) samples = new Map([...samples].filter(([id]) => shown.includes(id)));
  publish();
}

/** What a process takes; nothing before its first measure. */
export function useSample(processId: string): ProcessSample | undefined {
  return useSyncExternalStore(subscribe, () => samples.get(processId));
}

/** What a process listens on, as far as anybody knows, the smallest first. */
export function portsOf(process: Process): readonly number[] {
  return samples.get(process.processId)?.ports ?? process.ports ?? [];
}

/** The same, followed. */
export function usePorts(process: Process): readonly number[] {
  return useSample(process.processId)?.ports ?? process.ports ?? [];
}

/** Has a process measured for as long as it lives and its row is in sight. */
export function useMeasured(row: RefObject<HTMLElement | null>, processId: string, living: boolean): void {
  useEffect(() => {
    const element = row.current;
    if (element === null || !living) return;
    const observer = new IntersectionObserver((entries) => {
      const visible = entries.at(-1)?.isIntersecting === true;
      if (visible === seen.includes(processId)) return;
      measure(visible ? [...seen, processId] : seen.filter((id) => id !== processId), also);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      measure(seen.filter((id) => id !== processId), also);
    };
  }, [row, processId, living]);
}

/** What an order by measures goes by: all of these processes are measured, and the order holds for a while, and for as
 *  long as somebody is at work in the list. `ids` is nothing where the order does not ask. */
export function useSteadyLoads(ids: readonly string[], held: boolean): Loads {
  const measured = useSyncExternalStore(subscribe, () => samples);
  const now = useSecondTick(ids.length > 0);
  const [taken, setTaken] = useState<{ atMs: number; loads: Loads }>({ atMs: 0, loads: new Map() });
  const key = ids.join(" ");
  useEffect(() => {
    measure(seen, key === "" ? NONE : key.split(" "));
    return () => measure(seen, NONE);
  }, [key]);
  const due = taken.loads.size === 0 || now - taken.atMs >= STEADY_MS;
  if (ids.length > 0 && !held && due && measured.size > 0 && measured !== taken.loads) setTaken({ atMs: now, loads: measured });
  return taken.loads;
}

/** Asks for the measures; stands once, beside the rows. */
export function useSampling(): void {
  const bridge = useBridge();
  const ids = useSyncExternalStore(subscribe, () => shown);
  const active = useConnection().kind === "open" && ids.length > 0;
  const now = useSecondTick(active);
  const asking = useRef(false);
  useEffect(() => {
    // A slow gateway is asked again when it has answered.
    if (!active || document.hidden || asking.current) return;
    asking.current = true;
    bridge
      .call("sample_processes", { processIds: [...ids] })
      .then(
        (reply) => keep(reply.samples),
        // What cannot be measured is not shown: an old figure would look like a new one.
        () => keep([]),
      )
      .finally(() => {
        asking.current = false;
      });
  }, [bridge, active, ids, now]);
}

function keep(measured: readonly ProcessSample[]): void {
  if (measured.length === 0 && samples.size === 0) return;
  samples = new Map(measured.filter((sample) => shown.includes(sample.processId)).map((sample) => [sample.processId, sample]));
  publish();
}

/** "1.2 %", "88 %". */
export function share(percent: number): string {
  const digits = percent < 9.95 ? 1 : 0;
  return `${percent.toFixed(digits)}\u00a0%`;
}
