// What living processes take, measured once a second for the rows that can be seen. Nothing visible, nothing alive, or
// a hidden window: nothing is asked.
import { type RefObject, useEffect, useRef, useSyncExternalStore } from "react";
import type { ProcessSample } from "../bridge/wire";
import { useBridge, useConnection } from "../feed/hooks";
import { useSecondTick } from "../shared/tick";

/** The gateway measures at most so many at once. */
const AT_ONCE = 64;

let samples: ReadonlyMap<string, ProcessSample> = new Map();
let shown: readonly string[] = [];
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function publish(): void {
  for (const listener of listeners) listener();
}

/** What a process takes; nothing before its first measure. */
export function useSample(processId: string): ProcessSample | undefined {
  return useSyncExternalStore(subscribe, () => samples.get(processId));
}

/** Has a process measured for as long as it lives and its row is in sight. */
export function useMeasured(row: RefObject<HTMLElement | null>, processId: string, living: boolean): void {
  useEffect(() => {
    const element = row.current;
    if (element === null || !living) return;
    const observer = new IntersectionObserver((entries) => {
      const visible = entries.at(-1)?.isIntersecting === true;
      if (visible === shown.includes(processId)) return;
      shown = visible ? [...shown, processId] : shown.filter((id) => id !== processId);
      publish();
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      shown = shown.filter((id) => id !== processId);
      samples = new Map([...samples].filter(([id]) => id !== processId));
      publish();
    };
  }, [row, processId, living]);
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
      .call("sample_processes", { processIds: ids.slice(0, AT_ONCE) })
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
