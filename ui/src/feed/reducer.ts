// Applies what the gateway says. Pure: the same batches give the same state, in every window.
import type { Block, BlockDelta, Change, Delta, Feed, Item, Process } from "../bridge/wire";
import { EMPTY, type FeedState, type ItemState, type Stretch } from "./state";

/** Streams whose items nobody shows are dropped beyond this; a delta that then does not fit asks for a fresh attach. */
const MAX_STREAMS = 256;
/** Removed ids that are remembered; a page that was asked for earlier than this many removals is long answered. */
const MAX_REMOVED = 4096;
/** Turns that are remembered. */
const MAX_TURNS = 1024;
/** Notices that are held. */
const MAX_NOTICES = 500;

type Draft = { -readonly [K in keyof FeedState]: FeedState[K] };

/** One batch: rows first, then words. A `reset` forgets everything but the point to go on from. */
export function apply(state: FeedState, feed: Feed): FeedState {
  const draft: Draft = feed.reset || (state.epoch !== null && state.epoch !== feed.epoch) ? { ...EMPTY } : { ...state };
  draft.epoch = feed.epoch;
  draft.rev = draft.epoch === state.epoch && !feed.reset ? Math.max(state.rev, feed.rev) : feed.rev;
  for (const change of feed.changes) applyChange(draft, change);
  for (const delta of feed.deltas) applyDelta(draft, delta);
  if (feed.engine != null) draft.engine = sameOr(state.engine, feed.engine);
  draft.storage = feed.storage == null ? null : sameOr(state.storage, feed.storage);
  if (feed.restarting != null) draft.restarting = sameOr(state.restarting, feed.restarting);
  return draft;
}

function applyChange(draft: Draft, change: Change): void {
  switch (change.type) {
    case "session":
      draft.sessions = withRow(draft, draft.sessions, change.session.sessionId, change.session);
      break;
    case "turn":
      draft.turns = bounded(withRow(draft, draft.turns, change.turn.turnId, change.turn), MAX_TURNS);
      break;
    case "process":
      applyProcess(draft, change.process);
      break;
    case "item":
      applyItem(draft, change.item);
      break;
    case "notice":
      draft.notices = bounded(withRow(draft, draft.notices, change.notice.noticeId, change.notice), MAX_NOTICES);
      break;
    case "settings":
      draft.settingsRev = Math.max(draft.settingsRev, change.rev);
      break;
    case "incidents":
      draft.incidentsRev = draft.rev;
      break;
    case "removed":
      applyRemoved(draft, change.id);
      break;
    default:
      // A newer gateway may say more than this window understands; what it does not know it cannot show wrongly.
      break;
  }
}

interface Row {
  rev: number;
}

function withRow<T extends Row>(
  draft: Draft,
  rows: ReadonlyMap<string, T>,
  id: string,
  row: T,
): ReadonlyMap<string, T> {
  const held = rows.get(id);
  if (draft.removed.has(id) || (held !== undefined && held.rev >= row.rev)) return rows;
  return new Map(rows).set(id, row);
}

/** Output that grew is no durable change: the row comes again with the revision that it had. */
function applyProcess(draft: Draft, process: Process): void {
  const held = draft.processes.get(process.processId);
  const grown = held !== undefined && held.rev === process.rev && held.outputBytes < process.outputBytes;
  draft.processes = grown
    ? new Map(draft.processes).set(process.processId, process)
    : withRow(draft, draft.processes, process.processId, process);
}

function applyItem(draft: Draft, item: Item): void {
  if (draft.removed.has(item.itemId)) return;
  applyQuestion(draft, item);
  const stretch = draft.stretches.get(item.sessionId);
  if (stretch !== undefined) {
    const next = placeItem(stretch, item);
    if (next !== stretch) draft.stretches = new Map(draft.stretches).set(item.sessionId, next);
  }
  if (!item.streaming) dropStream(draft, item.itemId);
}

/** Puts a row where it belongs, if that place is within the held stretch. */
export function placeItem(stretch: Stretch, item: ItemState): Stretch {
  const at = lowerBound(stretch.items, item.seq);
  const held = stretch.items[at];
  if (held !== undefined && held.seq === item.seq) {
    if (held.rev >= item.rev) return stretch;
    return { ...stretch, items: stretch.items.with(at, item) };
  }
  const before = at === 0 && !stretch.atStart;
  const after = at === stretch.items.length && !stretch.atEnd;
  if (before || after) return stretch;
  return { ...stretch, items: stretch.items.toSpliced(at, 0, item) };
}

/** A question is held for as long as it waits, whether its transcript is open or not. */
function applyQuestion(draft: Draft, item: Item): void {
  if (item.kind !== "approval") return;
  if (item.state === "pending") {
    draft.questions = withRow(draft, draft.questions, item.itemId, item);
  } else if (draft.questions.has(item.itemId)) {
    const questions = new Map(draft.questions);
    questions.delete(item.itemId);
    draft.questions = questions;
  }
}

function applyRemoved(draft: Draft, id: string): void {
  const removed = new Set(draft.removed).add(id);
  if (removed.size > MAX_REMOVED) removed.delete(first(removed.values()));
  draft.removed = removed;
  draft.sessions = without(draft.sessions, id);
  draft.turns = without(draft.turns, id);
  draft.processes = without(draft.processes, id);
  draft.stretches = without(draft.stretches, id);
  dropStream(draft, id);
  for (const [sessionId, stretch] of draft.stretches) {
    const at = stretch.items.findIndex((item) => item.itemId === id);
    if (at < 0) continue;
    draft.stretches = new Map(draft.stretches).set(sessionId, { ...stretch, items: stretch.items.toSpliced(at, 1) });
  }
}

function applyDelta(draft: Draft, delta: Delta): void {
  // This window asks for trees; text deltas are for other readers.
  if (!isBlockDelta(delta) || draft.removed.has(delta.itemId)) return;
  const item = findItem(draft, delta.itemId);
  if (item !== undefined && !item.streaming) return;
  const held = draft.streams.get(delta.itemId) ?? [];
  if (delta.keepBlocks > held.length) {
    if (item !== undefined) draft.gap = true;
    return;
  }
  const blocks: Block[] = held.slice(0, delta.keepBlocks);
  blocks.push(...delta.blocks);
  draft.streams = bounded(new Map(draft.streams).set(delta.itemId, blocks), MAX_STREAMS);
}

/** Adds a page of a transcript. Rows that are held and newer stay. */
export function addPage(state: FeedState, sessionId: string, page: Stretch, place: "before" | "after" | "whole"): FeedState {
  const held = place === "whole" ? undefined : state.stretches.get(sessionId);
  const known = new Map(state.stretches.get(sessionId)?.items.map((item) => [item.itemId, item]));
  const fresh = page.items.filter((item) => !state.removed.has(item.itemId)).map((item) => newer(known.get(item.itemId), item));
  const stretch = joinPage(held, { ...page, items: fresh }, place);
  const streams = new Map(state.streams);
  for (const item of fresh) if (!item.streaming) streams.delete(item.itemId);
  return { ...state, streams, stretches: new Map(state.stretches).set(sessionId, stretch) };
}

function joinPage(held: Stretch | undefined, page: Stretch, place: "before" | "after" | "whole"): Stretch {
  if (held === undefined || held.items.length === 0 || place === "whole") return page;
  const first = held.items[0]?.seq ?? 0;
  const last = held.items.at(-1)?.seq ?? 0;
  if (place === "before") {
    const earlier = page.items.filter((item) => item.seq < first);
    return { items: [...earlier, ...held.items], atStart: page.atStart, atEnd: held.atEnd };
  }
  const later = page.items.filter((item) => item.seq > last);
  return { items: [...held.items, ...later], atStart: held.atStart, atEnd: held.atEnd || page.atEnd };
}

function newer(held: ItemState | undefined, row: ItemState): ItemState {
  return held !== undefined && held.rev >= row.rev ? held : row;
}

/** Keeps at most `limit` items, dropping from the end that is not looked at. */
export function trim(state: FeedState, sessionId: string, limit: number, keep: "start" | "end"): FeedState {
  const stretch = state.stretches.get(sessionId);
  if (stretch === undefined || stretch.items.length <= limit) return state;
  const cut: Stretch =
    keep === "start"
      ? { ...stretch, items: stretch.items.slice(0, limit), atEnd: false }
      : { ...stretch, items: stretch.items.slice(-limit), atStart: false };
  return { ...state, stretches: new Map(state.stretches).set(sessionId, cut) };
}

/** The first place whose item is not before `seq`. */
export function lowerBound(items: readonly ItemState[], seq: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

function findItem(draft: Draft, itemId: string): ItemState | undefined {
  for (const stretch of draft.stretches.values()) {
    // Streaming items are the newest ones, so the search starts at the end.
    const item = stretch.items.findLast((row) => row.itemId === itemId);
    if (item !== undefined) return item;
  }
  return undefined;
}

function dropStream(draft: Draft, itemId: string): void {
  if (draft.streams.has(itemId)) draft.streams = without(draft.streams, itemId);
}

function without<T>(rows: ReadonlyMap<string, T>, id: string): ReadonlyMap<string, T> {
  if (!rows.has(id)) return rows;
  const next = new Map(rows);
  next.delete(id);
  return next;
}

function bounded<T>(rows: ReadonlyMap<string, T>, limit: number): ReadonlyMap<string, T> {
  if (rows.size <= limit) return rows;
  return without(rows, first(rows.keys()));
}

function first(ids: Iterator<string>): string {
  const next = ids.next();
  return next.done === true ? "" : next.value;
}

/** What is told again unchanged keeps its identity, so that nothing is drawn. */
function sameOr<T>(held: T | null, told: T): T {
  return JSON.stringify(held) === JSON.stringify(told) ? (held ?? told) : told;
}

function isBlockDelta(delta: Delta): delta is BlockDelta {
  return "keepBlocks" in delta;
}
