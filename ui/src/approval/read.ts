// A command counts as read once its end was in sight, in the box that it scrolls in.
import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** A box of words, and how far they are read. */
export interface Reading {
  readonly box: RefObject<HTMLPreElement | null>;
  /** Their end was in sight. */
  readonly read: boolean;
  /** The box did not show all of them at once. */
  readonly scrolls: boolean;
  /** The box has scrolled. */
  readonly look: () => void;
}

/** Follows how far the words in a box are read. Where they are `folded`, they cannot fit. */
export function useRead(folded: boolean): Reading {
  const box = useRef<HTMLPreElement>(null);
  const [end, setEnd] = useState<"unseen" | "scrolled-to" | "at-once">("unseen");
  const look = () => {
    const element = box.current;
    if (element === null || end !== "unseen") return;
    const fits = !folded && element.scrollHeight <= element.clientHeight + 2;
    const atEnd = element.scrollHeight > 0 && element.scrollTop + element.clientHeight >= element.scrollHeight - 2;
    if (fits || atEnd) setEnd(fits ? "at-once" : "scrolled-to");
  };
  useLayoutEffect(look);
  return { box, read: end !== "unseen", scrolls: end !== "at-once", look };
}
