// Heights of rows that were measured once. They outlive the list: a session that is opened again stands at once where it
// will stand, instead of settling there.
import type { ItemState } from "../feed/state";

const BUCKET_PX = 40;
const MAX_HEIGHTS = 20_000;
const CHARS_PER_LINE = 90;

const heights = new Map<string, number>();

/** Widths that break lines alike, near enough for an estimate. */
export function widthBucket(width: number): number {
  return Math.floor(width / BUCKET_PX);
}

/** Remembers what a list has measured. */
export function rememberHeights(bucket: number, measured: ReadonlyMap<unknown, number>): void {
  for (const [itemId, height] of measured) {
    const key = `${bucket}:${String(itemId)}`;
    heights.delete(key);
    heights.set(key, height);
  }
  for (const key of heights.keys()) {
    if (heights.size <= MAX_HEIGHTS) break;
    heights.delete(key);
  }
}

/** The measured height, or what such an item usually takes. */
export function heightOf(bucket: number, item: ItemState | undefined): number {
  if (item === undefined) return 40;
  return heights.get(`${bucket}:${item.itemId}`) ?? guess(item);
}

function guess(item: ItemState): number {
  const lines = Math.max(1, Math.ceil((item.text?.length ?? 0) / CHARS_PER_LINE));
  switch (item.kind) {
    case "tool_call":
      return 28;
    case "machine_note":
      return 110;
    case "approval":
      return item.state === "pending" ? 150 : 0;
    case "hidden":
      return 0;
    case "message":
    case "steer":
      return item.author === "human" ? 50 + Math.min(lines, 12) * 22 : 16 + lines * 22;
    default:
      return 40;
  }
}
