// The steps of a plan: the plan's items of the newest turn that has any. Each carries a card, like any other step.
import type { Card, Item } from "../bridge/wire";
import { useSlice } from "../feed/hooks";

/** One step. */
export interface PlanStep {
  readonly itemId: string;
  readonly card: Card;
}

/** A plan, in its order. */
export interface Plan {
  readonly steps: readonly PlanStep[];
  readonly done: number;
  /** The step at work, else the next one. */
  readonly current: PlanStep | undefined;
}

const known = new WeakMap<readonly Item[], Plan | null>();

/** The plan in a transcript; nothing where none was made. Looked for once per list of items. */
export function planOf(items: readonly Item[]): Plan | null {
  const held = known.get(items);
  if (held !== undefined) return held;
  const turnId = items.findLast((item) => item.kind === "plan" && item.card != null)?.turnId;
  const steps = items.flatMap(({ kind, itemId, card, turnId: own }) => (kind === "plan" && card != null && own === turnId ? [{ itemId, card }] : []));
  const plan = steps.length === 0 ? null : { steps, done: steps.filter(isDone).length, current: currentOf(steps) };
  known.set(items, plan);
  return plan;
}

/** The plan of a session whose transcript is open. */
export function usePlan(sessionId: string | null): Plan | null {
  return useSlice(({ state }) => {
    const items = sessionId === null ? undefined : state.stretches.get(sessionId)?.items;
    return items === undefined ? null : planOf(items);
  });
}

function isDone({ card }: PlanStep): boolean {
  return card.status === "complete";
}

function currentOf(steps: readonly PlanStep[]): PlanStep | undefined {
  return steps.find(({ card }) => card.status === "in_progress") ?? steps.find(({ card }) => card.status === "pending");
}
