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

/**
 * All attempts of a note's story, the newest last; just the note where it stands alone. A person's own words end a
 * story: what was told before a question stays before it.
 */
export function attemptsOf(items: readonly Item[], note: Item): readonly Item[] {
  const story = storyOf(note);
  const at = story === null ? -1 : items.findIndex((item) => item.itemId === note.itemId);
  if (at < 0) return [note];
  const isNews = (item: Item): boolean => item.author === "human";
  const start = items.slice(0, at).findLastIndex(isNews) + 1;
  const end = items.findIndex((item, index) => index > at && isNews(item));
  return items.slice(start, end < 0 ? undefined : end).filter((item) => storyOf(item) === story);
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
