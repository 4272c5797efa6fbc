// Repeats of one command by one turn are one story: four attempts, and how the last one went. So are the signs of life of
// one process.
import type { Item, NoteUnit } from "../bridge/wire";
import { succeeded } from "../process/outcome";

/** What makes two notes the same story; nothing for a note that stands alone. */
export function storyOf(item: Item): string | null {
  if (item.kind !== "machine_note" || item.units?.length !== 1) return null;
  const unit = item.units[0];
  if (unit === undefined) return null;
  if (unit.producer === "heartbeat") return unit.processId == null ? null : JSON.stringify([item.sessionId, unit.producer, unit.processId]);
  if (unit.producer !== "process" || unit.turnId == null) return null;
  return JSON.stringify([item.sessionId, unit.turnId, unit.command]);
}

type Stories = ReadonlyMap<string, readonly Item[]>;

const known = new WeakMap<readonly Item[], Stories>();

/** All attempts of a note's story, the newest last; just the note where it stands alone. */
export function attemptsOf(items: readonly Item[], note: Item): readonly Item[] {
  return storiesOf(items).get(note.itemId) ?? [note];
}

/**
 * The stories of a transcript, by each of their items; told once per list of items. A person's own words end a story:
 * what was told before a question stays before it.
 */
function storiesOf(items: readonly Item[]): Stories {
  const held = known.get(items);
  if (held !== undefined) return held;
  const stories = new Map<string, readonly Item[]>();
  const open = new Map<string, Item[]>();
  for (const item of items) {
    if (item.author === "human") open.clear();
    const story = storyOf(item);
    if (story === null) continue;
    const attempts = open.get(story) ?? [];
    attempts.push(item);
    open.set(story, attempts);
    stories.set(item.itemId, attempts);
  }
  known.set(items, stories);
  return stories;
}

/** How the last of several attempts went. */
export function lastUnit(items: readonly Item[]): NoteUnit | undefined {
  return items.at(-1)?.units?.at(-1);
}

/** Whether a note may arrive closed: everything it tells went well, or only goes on. */
export function uneventful(units: readonly NoteUnit[]): boolean {
  return units.length > 0 && units.every((unit) => goesOn(unit) || (unit.producer === "process" && succeeded(unit)));
}

function goesOn({ producer, news }: NoteUnit): boolean {
  return producer === "heartbeat" || (producer === "watch" && news === "resumed");
}
