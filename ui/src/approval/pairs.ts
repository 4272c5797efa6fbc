// A question and the card that waits for its answer are one thing to a person. While the question is open it stands for
// the card; afterwards the card stands for both.
import type { Card, Item } from "../bridge/wire";
import { useSlice } from "../feed/hooks";

interface Pairs {
  /** The last question about each card, by the card's item. */
  readonly questions: ReadonlyMap<string, Item>;
  /** The cards that are held, by their item. */
  readonly cards: ReadonlyMap<string, Card>;
}

const NONE: Pairs = { questions: new Map(), cards: new Map() };
const known = new WeakMap<readonly Item[], Pairs>();

/** The pairs of a transcript; looked for once per list of items. */
function pairsOf(items: readonly Item[]): Pairs {
  const held = known.get(items);
  if (held !== undefined) return held;
  const questions = new Map<string, Item>();
  const cards = new Map<string, Card>();
  for (const item of items) {
    if (item.card != null) cards.set(item.itemId, item.card);
    if (item.kind === "approval" && item.cardId != null) questions.set(item.cardId, item);
  }
  const pairs = { questions, cards };
  known.set(items, pairs);
  return pairs;
}

/** Whether an item takes no room because its other half stands for it. */
export function isFolded(items: readonly Item[], item: Item): boolean {
  const { questions, cards } = pairsOf(items);
  if (item.kind === "approval") {
    return item.state !== "pending" && item.cardId != null && cards.has(item.cardId);
  }
  return item.card?.annotation === "needs_input" && questions.get(item.itemId)?.state === "pending";
}

/** The question about a card, if one was asked. */
export function useQuestion(item: Item): Item | undefined {
  return useSlice(({ state }) => pairsIn(state.stretches.get(item.sessionId)?.items).questions.get(item.itemId));
}

/** The card that a question is about, if it is held. */
export function useAskingCard(question: Item): Card | undefined {
  return useSlice(({ state }) => pairsIn(state.stretches.get(question.sessionId)?.items).cards.get(question.cardId ?? ""));
}

function pairsIn(items: readonly Item[] | undefined): Pairs {
  return items === undefined ? NONE : pairsOf(items);
}
