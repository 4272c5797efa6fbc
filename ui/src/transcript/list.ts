// The list's behaviour: which rows are drawn, where the view stands, and when the next page is read.
import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useStore } from "../feed/hooks";
import { lowerBound } from "../feed/reducer";
import type { ItemState, Stretch } from "../feed/state";
import type { Store } from "../feed/store";
import { extentOf, seqInRoom, type Extent } from "./extent";
import { heightOf, rememberHeight, widthBucket } from "./measure";

const OVERSCAN = 12;
/** Rows before the edge of the stretch at which the next page is asked for. */
const READ_AHEAD = 40;
/** This near to the end counts as being there. */
const END_PX = 24;
const PAD_TOP = 12;
const PAD_BOTTOM = 14;
/** A scroll bar that is dragged through unread room settles before its place is read. */
const SETTLE_MS = 120;

/** One row to draw. */
export interface ListRow {
  readonly item: ItemState;
  readonly index: number;
  /** It continues a run of tool rows. */
  readonly joined: boolean;
}

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
  /** Items that came since the end was last seen. */
  readonly unseen: number;
  readonly topSeq: number;
  readonly showEnd: () => void;
  readonly showSeq: (seq: number) => void;
}

type List = Virtualizer<HTMLDivElement, HTMLElement>;

/** Drives a transcript's list. */
export function useTranscriptList(sessionId: string, stretch: Stretch, lastSeq: number): TranscriptList {
  "use no memo"; // The list object changes in place.
  const store = useStore();
  const [scroll, setScroll] = useState<HTMLDivElement | null>(null);
  const [bucket, setBucket] = useState(() => widthBucket(window.innerWidth));
  const [seen, setSeen] = useState(lastSeq);
  const target = useRef<{ seq: number; offset: number } | null>(firstTarget(store, sessionId));
  const { items } = stretch;
  const extent = extentOf(stretch, lastSeq);
  const list: List = useVirtualizer<HTMLDivElement, HTMLElement>({
    count: items.length,
    getScrollElement: () => scroll,
    getItemKey: (index) => items[index]?.itemId ?? index,
    estimateSize: (index) => heightOf(bucket, items[index]),
    measureElement: (node, entry) => {
      const height = entry?.borderBoxSize[0]?.blockSize ?? node.getBoundingClientRect().height;
      const id = node.dataset["itemId"];
      if (id !== undefined) rememberHeight(bucket, id, height);
      return height;
    },
    overscan: OVERSCAN,
    paddingStart: PAD_TOP + extent.roomBefore,
    paddingEnd: PAD_BOTTOM + extent.roomAfter,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: END_PX,
    // Beyond every end: the first drawing shows the last rows, and the browser clamps the position.
    initialOffset: () => startOffset(items, bucket, extent, target.current),
  });

  useWidthBucket(scroll, setBucket);
  useLayoutEffect(() => list.measure(), [list, bucket]);
  useLayoutEffect(() => {
    if (scroll !== null && target.current === null && store.reading(sessionId).atEnd) list.scrollToEnd();
  }, [list, scroll, store, sessionId]);
  useLayoutEffect(() => {
    if (scroll === null || target.current === null) return;
    const { seq, offset } = target.current;
    const index = lowerBound(items, seq);
    const row = list.measurementsCache[index];
    if (row === undefined || items[index]?.seq !== seq) return;
    target.current = null;
    list.scrollToOffset(Math.max(0, row.start - offset));
  }, [list, scroll, items]);

  const offset = list.scrollOffset ?? 0;
  const view = list.scrollRect?.height ?? 0;
  const height = list.getTotalSize();
  const atEnd = stretch.atEnd && (scroll === null || list.isAtEnd(END_PX));
  const inRoom = offset + view < extent.roomBefore || offset > height - extent.roomAfter;
  const drawn = list.getVirtualItems();
  const top = list.getVirtualItemForOffset(offset);

  useEffect(() => {
    if (scroll === null || view === 0 || target.current !== null) return;
    if (inRoom) return settleInRoom(store, sessionId, extent, lastSeq, offset, height, target);
    const seq = items[top?.index ?? 0]?.seq;
    store.setReading(sessionId, atEnd || seq === undefined ? { atEnd: true } : { atEnd: false, seq, offset: (top?.start ?? 0) - offset });
    if ((drawn[0]?.index ?? 0) < READ_AHEAD) void store.loadBefore(sessionId);
    if ((drawn.at(-1)?.index ?? 0) > items.length - READ_AHEAD) void store.loadAfter(sessionId);
    return undefined;
  });
  useEffect(() => {
    if (atEnd) setSeen(lastSeq);
  }, [atEnd, lastSeq]);

  return {
    rows: drawn.flatMap(({ index }) => {
      const item = items[index];
      return item === undefined ? [] : [{ item, index, joined: isRun(items[index - 1], item) }];
    }),
    height,
    offset: drawn[0]?.start ?? 0,
    setScroll,
    measure: list.measureElement,
    atEnd,
    inRoom,
    unseen: Math.max(0, lastSeq - seen),
    topSeq: items[top?.index ?? 0]?.seq ?? 0,
    showEnd: () => {
      target.current = null;
      void store.jumpToEnd(sessionId).then(() => requestAnimationFrame(() => list.scrollToEnd()));
    },
    showSeq: (seq) => {
      const index = lowerBound(items, seq);
      if (items[index]?.seq === seq) list.scrollToIndex(index, { align: "start" });
    },
  };
}

function firstTarget(store: Store, sessionId: string): { seq: number; offset: number } | null {
  const reading = store.reading(sessionId);
  return reading.atEnd ? null : reading;
}

function startOffset(
  items: readonly ItemState[],
  bucket: number,
  extent: Extent,
  target: { seq: number; offset: number } | null,
): number {
  const until = target === null ? items.length : lowerBound(items, target.seq);
  let offset = PAD_TOP + extent.roomBefore;
  for (const item of items.slice(0, until)) offset += heightOf(bucket, item);
  return target === null ? offset : Math.max(0, offset - target.offset);
}

function useWidthBucket(scroll: HTMLDivElement | null, setBucket: (bucket: number) => void): void {
  useEffect(() => {
    if (scroll === null) return undefined;
    const observer = new ResizeObserver(() => setBucket(widthBucket(scroll.clientWidth)));
    observer.observe(scroll);
    return () => observer.disconnect();
  }, [scroll, setBucket]);
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
    void store.jumpTo(sessionId, seq, (found) => {
      target.current = { seq: found, offset: 0 };
    });
  }, SETTLE_MS);
  return () => clearTimeout(timer);
}

function isRun(previous: ItemState | undefined, item: ItemState): boolean {
  return previous?.kind === "tool_call" && item.kind === "tool_call";
}
