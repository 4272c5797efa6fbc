// The list's behaviour: which rows are drawn, where the view stands, and when the next page is read.
import { elementScroll, observeElementOffset, useVirtualizer, type VirtualItem, type Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState, type RefObject } from "react";
import { useStore } from "../feed/hooks";
import type { ItemState, Stretch } from "../feed/state";
import type { Store } from "../feed/store";
import { extentOf, seqInRoom, type Extent } from "./extent";
import { useDensity } from "../look/look";
import { heightOf, rememberHeights, widthBucket } from "./measure";
import { countAfter, type ListRow, rowsOf } from "./rows";

const OVERSCAN = 12;
/** Rows before the edge of the stretch at which the next page is asked for. */
const READ_AHEAD = 40;
/** This near to the end counts as being there. */
const END_PX = 24;
const PAD_TOP = 12;
const PAD_BOTTOM = 14;
/** A scroll bar that is dragged through unread room settles before its place is read. */
const SETTLE_MS = 120;

/** What the transcript draws from. */
export interface TranscriptList {
  readonly rows: readonly ListRow[];
  readonly height: number;
  readonly offset: number;
  readonly setScroll: (node: HTMLDivElement | null) => void;
  readonly measure: (node: HTMLElement | null) => void;
  readonly atEnd: boolean;
  /** The view stands where nothing is held yet. */
  readonly inRoom: boolean;
  /** Rows that came since the end was last seen; none is told of where not all of them are held. */
  readonly unseen: number;
  readonly topSeq: number;
  readonly showEnd: () => void;
  readonly showSeq: (seq: number) => void;
}

type List = Virtualizer<HTMLDivElement, HTMLElement>;

/** How wide the last list was: the next one is most likely as wide, and then its heights are known from the start. */
let lastBucket = widthBucket(window.innerWidth);

/** Drives a transcript's list. */
export function useTranscriptList(sessionId: string, stretch: Stretch, lastSeq: number): TranscriptList {
  "use no memo"; // The list object changes in place.
  const store = useStore();
  const [scroll, setScroll] = useState<HTMLDivElement | null>(null);
  const [bucket, setBucket] = useState(lastBucket);
  // A dock that takes room or gives it back changes no row, so only this draws the list again.
  const [, setRoom] = useState(0);
  const density = useDensity();
  const [opened] = useState(lastSeq);
  const target = useRef<{ seq: number; offset: number } | null>(firstTarget(store, sessionId));
  // A target may be given to a list that is drawn already.
  const [arrivals, arrive] = useReducer((count: number) => count + 1, 0);
  const following = useRef(target.current === null);
  const written = useRef(-1);
  /** Where the view stood when the list last wrote it or heard of it. */
  const known = useRef(-1);
  // A short list can grow and shrink without moving: then nothing but this draws it again.
  const [, redraw] = useState(true);
  const { items } = stretch;
  const rows = useMemo(() => rowsOf(items, density), [items, density]);
  const extent = extentOf(stretch, lastSeq);
  // oxlint-disable-next-line react/incompatible-library -- its readings are taken anew on every render, see the directive
  const list: List = useVirtualizer<HTMLDivElement, HTMLElement>({
    count: rows.length,
    getScrollElement: () => scroll,
    getItemKey: (index) => rows[index]?.item.itemId ?? index,
    estimateSize: (index) => heightOf(bucket, rows[index]?.item),
    overscan: OVERSCAN,
    paddingStart: PAD_TOP + extent.roomBefore,
    paddingEnd: PAD_BOTTOM + extent.roomAfter,
    scrollToFn: (to, options, instance) => {
      // A write that keeps the rows in their place goes on from where the person has got to by now; the list reckons
      // from there too, until the browser's event tells it.
      const ahead = keepsPlace(to, options, instance) ? movedSince(instance.scrollElement, known.current) : 0;
      if (instance.scrollOffset !== null) instance.scrollOffset += ahead;
      elementScroll(to + ahead, options, instance);
      known.current = instance.scrollElement?.scrollTop ?? -1;
      // What the person did is not the list's: it still shows that they have moved.
      written.current = known.current - ahead;
    },
    // It hears of events, and looks by itself once scrolling has come to rest. Whichever it was, what it draws goes by
    // the new answer to who follows.
    observeElementOffset: (instance, tell) =>
      observeElementOffset(instance, (to, isScrolling) => {
        const { scrollElement } = instance;
        if (scrollElement !== null) redraw(follow(scrollElement, following, written, known));
        tell(to, isScrolling);
      }),
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: END_PX,
    // Beyond every end: the first drawing shows the last rows, and the browser clamps the position.
    initialOffset: () => startOffset(rows, bucket, extent, target.current),
  });

  list.shouldAdjustScrollPositionOnItemSizeChange = standsAbove;

  useWidthBucket(scroll, setBucket, setRoom);
  const measuredIn = useRef(bucket);
  useLayoutEffect(() => {
    measuredIn.current = bucket;
  }, [bucket]);
  // Only when the list goes: an estimate that changes while the list stands would hide a row's growth from it.
  useLayoutEffect(() => () => rememberHeights(measuredIn.current, list.itemSizeCache), [list]);
  useLayoutEffect(() => {
    if (scroll === null || target.current === null) return;
    const { seq, offset } = target.current;
    const index = placeOf(rows, seq);
    const row = list.measurementsCache[index];
    if (row === undefined || !holds(items, seq)) return;
    target.current = null;
    following.current = false;
    list.scrollToOffset(index === 0 && stretch.atStart ? 0 : Math.max(0, row.start - offset));
  }, [list, scroll, items, rows, stretch.atStart, arrivals]);

  const offset = list.scrollOffset ?? 0;
  const view = list.scrollRect?.height ?? 0;
  const height = list.getTotalSize();
  const atEnd = stretch.atEnd && following.current;
  const inRoom = offset + view < extent.roomBefore || offset > height - extent.roomAfter;
  const drawn = list.getVirtualItems();
  const top = list.getVirtualItemForOffset(offset);

  // A row that grew, a dock that took room: whoever is at the end stays there.
  useLayoutEffect(() => {
    if (scroll === null || !atEnd || !following.current || list.getDistanceFromEnd() <= 0) return;
    // The person has moved already and the event is still under way: the pull back would be felt.
    if (written.current >= 0 && scroll.scrollTop < written.current - END_PX) return;
    list.scrollToEnd();
  });
  // Where the end is in sight from the place that was asked for, nothing has to move, and so nothing tells that it is seen.
  useEffect(() => {
    if (scroll === null || target.current !== null || following.current || list.getTotalSize() !== height) return;
    if (scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight > END_PX) return;
    following.current = true;
    arrive();
  }, [list, scroll, height, offset, view, arrivals]);
  useEffect(() => {
    if (scroll === null || view === 0 || target.current !== null) return;
    if (inRoom) return settleInRoom(store, sessionId, extent, lastSeq, offset, height, target);
    const seq = rows[top?.index ?? 0]?.item.seq;
    store.pages.setReading(sessionId, atEnd || seq === undefined ? { atEnd: true } : { atEnd: false, seq, offset: (top?.start ?? 0) - offset });
    if ((drawn[0]?.index ?? 0) < READ_AHEAD) void store.pages.loadBefore(sessionId);
    if ((drawn.at(-1)?.index ?? 0) > rows.length - READ_AHEAD) void store.pages.loadAfter(sessionId);
    return undefined;
  });
  useEffect(() => {
    if (atEnd) store.pages.setSeen(sessionId, lastSeq);
  }, [store, sessionId, atEnd, lastSeq]);

  return {
    rows: drawn.flatMap(({ index }) => rows[index] ?? []),
    height,
    offset: drawn[0]?.start ?? 0,
    setScroll,
    measure: list.measureElement,
    atEnd,
    inRoom,
    unseen: atEnd || extent.later > 0 ? 0 : countAfter(rows, store.pages.seen(sessionId) ?? opened),
    topSeq: rows[top?.index ?? 0]?.item.seq ?? 0,
    showEnd: () => {
      target.current = null;
      following.current = true;
      void store.pages.jumpToEnd(sessionId).then(() => requestAnimationFrame(() => target.current === null && list.scrollToEnd()));
    },
    showSeq: (seq) => {
      following.current = false;
      const take = (found: number): void => {
        target.current = { seq: found, offset: 0 };
      };
      take(seq);
      void store.pages.jumpTo(sessionId, seq, take).then(arrive);
    },
  };
}

/**
 * Who is at the end follows it; who goes elsewhere does not. A position that this list wrote itself says nothing about
 * what the person wants.
 */
function follow(scroll: HTMLElement, following: RefObject<boolean>, written: RefObject<number>, known: RefObject<number>): boolean {
  known.current = scroll.scrollTop;
  const distance = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight;
  if (distance <= END_PX) {
    following.current = true;
    written.current = scroll.scrollTop;
  } else if (Math.abs(scroll.scrollTop - written.current) > 1) {
    following.current = false;
  }
  return following.current;
}

/** Rows came or grew above the view: the list writes its own position, moved by as much. */
function keepsPlace(to: number, { adjustments }: { adjustments?: number }, list: List): boolean {
  return adjustments !== undefined || to === list.scrollOffset;
}

/** How far the person has scrolled without the list having been told. What stands at the very end was put there by the browser. */
function movedSince(scroll: HTMLElement | null, known: number): number {
  if (scroll === null || known < 0) return 0;
  return scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight <= 1 ? 0 : scroll.scrollTop - known;
}

/** A row that changes its height above the view must not push it, whichever way the person scrolls. */
function standsAbove(row: VirtualItem, _delta: number, list: List): boolean {
  const offset = list.scrollOffset ?? 0;
  return list.itemSizeCache.has(row.key) ? row.end <= offset : row.start < offset;
}

function firstTarget(store: Store, sessionId: string): { seq: number; offset: number } | null {
  const reading = store.pages.reading(sessionId);
  return reading.atEnd ? null : reading;
}

/** The first row at or after a sequence number. */
function placeOf(rows: readonly ListRow[], seq: number): number {
  const at = rows.findIndex((row) => row.item.seq >= seq);
  return at < 0 ? rows.length - 1 : at;
}

function holds(items: readonly ItemState[], seq: number): boolean {
  return seq >= (items[0]?.seq ?? Infinity) && seq <= (items.at(-1)?.seq ?? -Infinity);
}

function startOffset(
  rows: readonly ListRow[],
  bucket: number,
  extent: Extent,
  target: { seq: number; offset: number } | null,
): number {
  const until = target === null ? rows.length : placeOf(rows, target.seq);
  let offset = PAD_TOP + extent.roomBefore;
  for (const row of rows.slice(0, until)) offset += heightOf(bucket, row.item);
  return target === null ? offset : Math.max(0, offset - target.offset);
}

function useWidthBucket(scroll: HTMLDivElement | null, setBucket: (bucket: number) => void, setRoom: (height: number) => void): void {
  useEffect(() => {
    if (scroll === null) return undefined;
    const observer = new ResizeObserver(() => {
      lastBucket = widthBucket(scroll.clientWidth);
      setBucket(lastBucket);
      setRoom(scroll.clientHeight);
    });
    observer.observe(scroll);
    return () => observer.disconnect();
  }, [scroll, setBucket, setRoom]);
}

/** Reads what stands at a place within unread room, once the scroll bar rests. */
function settleInRoom(
  store: Store,
  sessionId: string,
  extent: Extent,
  lastSeq: number,
  offset: number,
  height: number,
  target: { current: { seq: number; offset: number } | null },
): () => void {
  const timer = setTimeout(() => {
    const before = offset < extent.roomBefore;
    const within = before ? offset : offset - (height - extent.roomAfter);
    const seq = seqInRoom(extent, before ? "before" : "after", within, lastSeq);
    void store.pages.jumpTo(sessionId, seq, (found) => {
      target.current = { seq: found, offset: 0 };
    });
  }, SETTLE_MS);
  return () => clearTimeout(timer);
}
