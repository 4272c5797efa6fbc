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

/** Remembers a measured height. */
export function rememberHeight(bucket: number, itemId: string, height: number): void {
  const key = `${bucket}:${itemId}`;
  heights.delete(key);
  heights.set(key, height);
  if (heights.size > MAX_HEIGHTS) {
    const oldest = heights.keys().next();
    if (oldest.done !== true) heights.delete(oldest.value);
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
      return 150;
    case "hidden":
      return 0;
    case "message":
    case "steer":
      return item.author === "human" ? 50 + Math.min(lines, 12) * 22 : 16 + lines * 22;
    default:
      return 40;
  }
}
