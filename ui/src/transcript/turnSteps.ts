// In the shortest density the steps of a turn are one row. It stands where the first of them would.
import type { Item } from "../bridge/wire";
import { useSlice } from "../feed/hooks";
import { useDensity } from "../look/look";

type Turns = ReadonlyMap<string, readonly Item[]>;

const known = new WeakMap<readonly Item[], Turns>();

/** The steps that are one row with this item; nothing for an item that stands for itself. */
export function stepsWith(items: readonly Item[], item: Item): readonly Item[] | null {
  if (!isStep(item)) return null;
  const steps = turnsOf(items).get(item.turnId ?? "") ?? [];
  // One step needs no word about how many there are.
  return steps.length < 2 ? null : steps;
}

/** The same for an item of an open transcript, while the density asks for it. */
export function useStepsWith(item: Item): readonly Item[] | null {
  const summary = useDensity() === "summary";
  return useSlice(({ state }) => {
    const items = summary ? state.stretches.get(item.sessionId)?.items : undefined;
    return items === undefined ? null : stepsWith(items, item);
  });
}

function turnsOf(items: readonly Item[]): Turns {
  const held = known.get(items);
  if (held !== undefined) return held;
  const turns = new Map<string, Item[]>();
  for (const item of items) {
    if (!isStep(item)) continue;
    const turnId = item.turnId ?? "";
    const steps = turns.get(turnId);
    if (steps === undefined) turns.set(turnId, [item]);
    else steps.push(item);
  }
  known.set(items, turns);
  return turns;
}

/** A call or a thought of the agent; never what waits for a person, and never a person's own command. */
function isStep({ author, kind, card, turnId }: Item): boolean {
  if (turnId == null || author === "human") return false;
  return kind === "reasoning" || (kind === "tool_call" && card != null && card.annotation !== "needs_input");
}
