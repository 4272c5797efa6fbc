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

/** The plans of a transcript, by their turns, the newest last. */
type Plans = ReadonlyMap<string, Plan>;

const known = new WeakMap<readonly Item[], Plans>();

/** Looked for once per list of items. */
function plansOf(items: readonly Item[]): Plans {
  const held = known.get(items);
  if (held !== undefined) return held;
  const steps = new Map<string, PlanStep[]>();
  for (const { kind, itemId, card, turnId } of items) {
    if (kind !== "plan" || card == null) continue;
    steps.set(turnId ?? "", [...(steps.get(turnId ?? "") ?? []), { itemId, card }]);
  }
  const plans = new Map([...steps].map(([turnId, own]) => [turnId, { steps: own, done: own.filter(isDone).length, current: currentOf(own) }]));
  known.set(items, plans);
  return plans;
}

/** The newest plan in a transcript; nothing where none was made. */
export function planOf(items: readonly Item[]): Plan | null {
  return [...plansOf(items).values()].at(-1) ?? null;
}

/** The plan that an item is a step of. */
export function planWith(items: readonly Item[], { turnId }: Item): Plan | null {
  return plansOf(items).get(turnId ?? "") ?? null;
}

/** The same for an item of an open transcript. */
export function usePlanWith(item: Item): Plan | null {
  return useSlice(({ state }) => {
    const items = state.stretches.get(item.sessionId)?.items;
    return items === undefined ? null : planWith(items, item);
  });
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
