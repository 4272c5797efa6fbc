// A transcript of a million items is taller than a page can be. Only the held stretch has its real height; what stands
// before and after it is room for the scroll bar, squeezed when there is very much of it.
import type { Stretch } from "../feed/state";

const ROW_PX = 48;
/** Half of what every engine can lay out, so that both rooms and the stretch fit. */
const MAX_ROOM_PX = 8_000_000;

/** How much stands outside the held stretch. */
export interface Extent {
  readonly earlier: number;
  readonly later: number;
  readonly roomBefore: number;
  readonly roomAfter: number;
}

/** The rooms around a stretch; a sequence number counts as a place, and gaps close when a page is read. */
export function extentOf(stretch: Stretch, lastSeq: number): Extent {
  const first = stretch.items[0]?.seq ?? 1;
  const last = stretch.items.at(-1)?.seq ?? 0;
  const earlier = stretch.atStart ? 0 : Math.max(0, first - 1);
  const later = stretch.atEnd ? 0 : Math.max(0, lastSeq - last);
  return { earlier, later, roomBefore: room(earlier), roomAfter: room(later) };
}

/** The item that a scroll position within a room stands for. */
export function seqInRoom(extent: Extent, place: "before" | "after", offset: number, lastSeq: number): number {
  const size = place === "before" ? extent.roomBefore : extent.roomAfter;
  const many = place === "before" ? extent.earlier : extent.later;
  const from = place === "before" ? 1 : lastSeq - extent.later + 1;
  const share = size === 0 ? 0 : Math.min(1, Math.max(0, offset / size));
  return Math.min(lastSeq, from + Math.floor(share * many));
}

function room(items: number): number {
  return Math.min(items * ROW_PX, MAX_ROOM_PX);
}
