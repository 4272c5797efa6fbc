// Where what is new begins, as it was when the transcript was opened: reading it, or saying something, moves neither the
// place nor the number.
import { useState } from "react";
import type { Item } from "../bridge/wire";
import type { Stretch } from "../feed/state";

/** The line above what is new. */
export interface UnreadLine {
  /** The first new item. */
  readonly seq: number;
  readonly count: number;
}

/** The line of an open transcript; nothing while its place is not held, or where nothing stands before it. `lastSeq` and
 *  `unread` are the session's. */
export function useUnreadLine(stretch: Stretch, lastSeq: number, unread: number): UnreadLine | null {
  const [opened] = useState({ lastSeq, unread });
  const [held, hold] = useState<UnreadLine | null>(null);
  const line = held ?? lineIn(stretch, opened.lastSeq, opened.unread);
  if (line !== held) hold(line);
  return line;
}

function lineIn({ items, atStart, atEnd }: Stretch, lastSeq: number, unread: number): UnreadLine | null {
  if (unread === 0 || !(atEnd || (items.at(-1)?.seq ?? 0) >= lastSeq)) return null;
  let left = unread;
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = items[at];
    if (item === undefined || item.seq > lastSeq || !counts(item)) continue;
    left -= 1;
    if (left === 0) return at === 0 && atStart ? null : { seq: item.seq, count: unread };
  }
  return null;
}

/** As the gateway counts. */
function counts({ author, kind }: Item): boolean {
  return author !== "human" && kind !== "hidden";
}
