// What a person said before in a session, to say it again: Up goes back, Down comes forward to where they were.
import type { Item } from "../bridge/wire";

/** So many are offered. */
const KEPT = 50;

/** The last messages of a person, the newest first; the same words twice in a row count once. */
export function historyOf(items: readonly Item[]): string[] {
  const said = items.filter((item) => item.author === "human" && item.kind !== "hidden").map((item) => item.text ?? "");
  const once = said.filter((text, at) => text.trim() !== "" && text !== said[at + 1]);
  return once.slice(-KEPT).reverse();
}

/** Where somebody stands in the history: `at` is the place of the words in the field, -1 before the newest. */
export interface Recall {
  readonly at: number;
  readonly text: string;
}

/** Before anything was recalled. */
export const NOWHERE: Recall = { at: -1, text: "" };

/** One step back or forward; nothing when the field holds other words, or when there is no further. */
export function step(history: readonly string[], from: Recall, field: string, direction: 1 | -1): Recall | null {
  if (field !== from.text) return field === "" && direction === 1 ? step(history, NOWHERE, "", 1) : null;
  const at = from.at + direction;
  if (at === -1) return NOWHERE;
  const text = history[at];
  return text === undefined ? null : { at, text };
}
