// Which entries have a row of their own in the list. The others are hidden, or told by another entry's row.
import { isFolded } from "../approval/pairs";
import type { Item } from "../bridge/wire";
import { useSlice } from "../feed/hooks";
import type { ItemState } from "../feed/state";
import { type Density, useDensity } from "../look/look";
import { attemptsOf } from "../note/fold";
import { planWith } from "../process/plan";
import { stepsWith } from "./turnSteps";

/** One row to draw. */
export interface ListRow {
  readonly item: ItemState;
  readonly index: number;
  /** It is drawn; otherwise it only keeps its place. */
  readonly drawn: boolean;
  /** It continues a run of tool rows. */
  readonly joined: boolean;
}

const NO_ITEMS: readonly Item[] = [];

/** Whether an entry of a transcript is drawn in a place of its own. */
export function hasRow(items: readonly Item[], item: Item, density: Density): boolean {
  const { author, kind, itemId } = item;
  if (kind === "hidden") return false;
  if (author === "human") return true;
  // A plan is one card, in the place of its first step.
  if (author === "model" && kind === "plan") return planWith(items, item)?.steps[0]?.itemId === itemId;
  // A note that was tried again is told by the last attempt.
  if (author === "machine" && kind === "machine_note") return attemptsOf(items, item).at(-1)?.itemId === itemId;
  if (isFolded(items, item)) return false;
  const steps = density === "summary" ? stepsWith(items, item) : null;
  return steps === null || steps[0]?.itemId === itemId;
}

/** The same for an entry of an open transcript. */
export function useHasRow(item: Item): boolean {
  const density = useDensity();
  return useSlice(({ state }) => hasRow(state.stretches.get(item.sessionId)?.items ?? NO_ITEMS, item, density));
}

/** The rows of a stretch. */
export function rowsOf(items: readonly ItemState[], density: Density): readonly ListRow[] {
  let above: ItemState | undefined;
  return items.map((item, index) => {
    const drawn = hasRow(items, item, density);
    const joined = drawn && item.kind === "tool_call" && above?.kind === "tool_call";
    if (drawn) above = item;
    return { item, index, drawn, joined };
  });
}

/** How many of them came after `seq`, as a person counts. */
export function countAfter(rows: readonly ListRow[], seq: number): number {
  return rows.filter((row) => row.drawn && row.item.seq > seq).length;
}
