// Sorting the waiting messages: with the pointer, which picks a card up and lets it go between two others, or with
// Alt Up and Alt Down.
import { type PointerEvent, type RefObject, useRef, useState } from "react";

/** Less than this is a press, not a drag. */
const SLOP_PX = 4;

/** Before which place a card lands when it moves one up or down; nothing when it is there already. */
export function neighbour(at: number, many: number, step: 1 | -1): number | null {
  if (step === -1) return at === 0 ? null : at - 1;
  return at === many - 1 ? null : at + 2;
}

/** The place before which a pointer at `y` would let a card go, given the middles of all cards. */
export function placeAt(middles: readonly number[], y: number): number {
  const below = middles.findIndex((middle) => y < middle);
  return below < 0 ? middles.length : below;
}

interface Dragging {
  /** The card that is held. */
  readonly from: number;
  /** Where it would go. */
  readonly to: number;
}

/** What a card needs to be dragged. */
export interface Sorting {
  readonly dragging: Dragging | null;
  readonly onPointerDown: (event: PointerEvent<HTMLElement>, from: number) => void;
  readonly onPointerMove: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerUp: () => void;
  readonly onPointerCancel: () => void;
}

/** Dragging within a list; `onMove` hears from which place to before which. */
export function useSorting(list: RefObject<HTMLElement | null>, onMove: (from: number, before: number) => void): Sorting {
  const start = useRef<{ from: number; y: number } | null>(null);
  const [dragging, setDragging] = useState<Dragging | null>(null);
  const end = () => {
    start.current = null;
    setDragging(null);
  };
  return {
    dragging,
    onPointerDown: (event, from) => {
      const within = event.target instanceof Element ? event.target.closest("button, input, textarea") : null;
      if (event.button !== 0 || within !== null) return;
      start.current = { from, y: event.clientY };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event) => {
      const { current } = start;
      if (current === null || (dragging === null && Math.abs(event.clientY - current.y) < SLOP_PX)) return;
      const to = placeAt(middlesOf(list.current), event.clientY);
      if (dragging?.to !== to) setDragging({ from: current.from, to });
    },
    onPointerUp: () => {
      // Right before itself and right behind itself are where it stands already.
      if (dragging !== null && dragging.to !== dragging.from && dragging.to !== dragging.from + 1) onMove(dragging.from, dragging.to);
      end();
    },
    onPointerCancel: end,
  };
}

function middlesOf(list: HTMLElement | null): number[] {
  return [...(list?.querySelectorAll("[data-admission-id]") ?? [])].map((card) => {
    const { top, height } = card.getBoundingClientRect();
    return top + height / 2;
  });
}
