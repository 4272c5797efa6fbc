// Keys: what the main modifier is, and moving through a list that is one stop of the tab key.
import type { KeyboardEvent as ReactKeyboardEvent } from "react";

/** Whether this computer's main modifier is Cmd. */
export const IS_MAC = /Mac/.test(navigator.platform);

/** Ctrl, or Cmd on a Mac; without the other one, Alt and Shift. */
export function isMainKey(event: KeyboardEvent, key: string): boolean {
  const main = IS_MAC ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  return main && !event.altKey && !event.shiftKey && event.key.toLowerCase() === key;
}

/** A key that an input method is still using: it is neither a command nor an Enter. */
export function isComposing(event: KeyboardEvent | ReactKeyboardEvent): boolean {
  const native = "nativeEvent" in event ? event.nativeEvent : event;
  // WebKit ends the composition just before the Enter that ended it, and marks that Enter with 229 only.
  return native.isComposing || native.keyCode === 229;
}

/** Arrow keys, Home and End move the focus between the elements that match. */
export function moveFocus(event: ReactKeyboardEvent, list: HTMLElement | null, selector: string): void {
  if (list === null || isComposing(event)) return;
  const rows = [...list.querySelectorAll<HTMLElement>(selector)];
  const at = rows.findIndex((row) => row === document.activeElement);
  const to = target(event.key, at, rows.length);
  if (to === null) return;
  event.preventDefault();
  rows[to]?.focus();
}

function target(key: string, at: number, many: number): number | null {
  if (many === 0) return null;
  switch (key) {
    case "ArrowDown":
      return Math.min(many - 1, at + 1);
    case "ArrowUp":
      return Math.max(0, at - 1);
    case "Home":
      return 0;
    case "End":
      return many - 1;
    default:
      return null;
  }
}
