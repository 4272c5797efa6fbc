// Repeats of one command by one turn are one story: four attempts, and how the last one went.
import type { Item, NoteUnit } from "../bridge/bindings";
import { succeeded } from "../process/outcome";

/** A row of the transcript: an item of its own, or the attempts of one command, the newest last. */
export type Entry = { type: "item"; item: Item } | { type: "attempts"; items: readonly Item[] };

/** What makes two notes the same story; nothing for a note that stands alone. */
export function storyOf(item: Item): string | null {
  if (item.kind !== "machine_note" || item.units?.length !== 1) return null;
  const unit = item.units[0];
  if (unit === undefined || unit.producer !== "process" || unit.turnId == null) return null;
  return JSON.stringify([item.sessionId, unit.turnId, unit.command]);
}

/**
 * Folds repeated notes into the place of their last one. A person's own words end the fold: what was told before a
 * question stays before it.
 */
export function foldRepeats(items: readonly Item[]): Entry[] {
  const entries: (Entry | null)[] = [];
  const places = new Map<string, { at: number; items: Item[] }>();
  for (const item of items) {
    if (item.author === "human") places.clear();
    const story = storyOf(item);
    if (story === null) {
      entries.push({ type: "item", item });
      continue;
    }
    const earlier = places.get(story);
    if (earlier !== undefined) entries[earlier.at] = null;
    const attempts = [...(earlier?.items ?? []), item];
    places.set(story, { at: entries.length, items: attempts });
    entries.push(attempts.length === 1 ? { type: "item", item } : { type: "attempts", items: attempts });
  }
  return entries.filter((entry) => entry !== null);
}

/** How the last of several attempts went. */
export function lastUnit(items: readonly Item[]): NoteUnit | undefined {
  return items.at(-1)?.units?.at(-1);
}

/** Whether a note may arrive closed: everything it tells went well. */
export function uneventful(units: readonly NoteUnit[]): boolean {
  return units.length > 0 && units.every((unit) => unit.producer === "process" && succeeded(unit));
}
