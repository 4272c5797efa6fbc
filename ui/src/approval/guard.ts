// A question must not catch a press that was meant for something else: it is dead while it has only just come into
// sight, and while it moves.
import { type RefObject, useEffect, useRef, useState } from "react";

/** How long a question looks at you before it listens. */
export const DEAD_MS = 500;

/** Whether the whole of an element is in sight. */
export function useVisible(ref: RefObject<HTMLElement | null>): boolean {
  const [visible, setVisible] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    // A busy window is told of several moves at once; the last is how the element stands now.
    const observer = new IntersectionObserver((entries) => setVisible((entries.at(-1)?.intersectionRatio ?? 0) >= 0.99), {
      threshold: [0, 0.99, 1],
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return visible;
}

/** `armed` tells whether a press counts; `moved` must be asked right before one is taken. */
export function useGuard(ref: RefObject<HTMLElement | null>, visible: boolean): { armed: boolean; moved: () => boolean } {
  const [armed, setArmed] = useState(false);
  const place = useRef<number | null>(null);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const restart = () => {
      clearTimeout(timer);
      setArmed(false);
      place.current = null;
      if (!visible) return;
      timer = setTimeout(() => {
        place.current = ref.current?.getBoundingClientRect().top ?? null;
        setArmed(true);
      }, DEAD_MS);
    };
    restart();
    // Scrolling what holds the card, and a changed window, move it under the pointer. Other panes may scroll as they like.
    const onScroll = (event: Event) => {
      if (event.target instanceof Node && event.target !== ref.current && event.target.contains(ref.current)) restart();
    };
    window.addEventListener("scroll", onScroll, { capture: true, passive: true });
    window.addEventListener("resize", restart);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("scroll", onScroll, { capture: true });
      window.removeEventListener("resize", restart);
    };
  }, [ref, visible]);

  // Text that grows above moves the card without any event. Its place when it armed is compared at the press.
  const moved = () => {
    const top = ref.current?.getBoundingClientRect().top ?? null;
    const still = place.current !== null && top !== null && Math.abs(top - place.current) < 2;
    if (top !== null) place.current = top;
    return !still;
  };
  return { armed, moved };
}
