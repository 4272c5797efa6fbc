// The keys that answer a question. They act only while this window has the focus, and never take it.
import { useEffect, useEffectEvent } from "react";
import { IS_MAC, isComposing } from "../shared/keyboard";

/** The answers that have a key. */
export type KeyedChoice = "once" | "session" | "deny";

/** Which answer a key press gives, if any. A held key repeats; only its first press counts. */
export function answerOf(event: KeyboardEvent, mac: boolean): KeyedChoice | null {
  if (event.repeat || event.ctrlKey || isComposing(event)) return null;
  const modifiers = mac ? event.metaKey && !event.altKey : event.altKey && !event.metaKey;
  if (!modifiers) return null;
  const letter = letterOf(event);
  if (letter === "y") return event.shiftKey ? "session" : "once";
  if (letter === "n" && event.shiftKey === mac) return "deny";
  return null;
}

/** How a choice's key is shown, and how it is told to readers. */
export const KEY_HINTS: Record<KeyedChoice, { shown: string; spoken: string }> = IS_MAC
  ? {
      once: { shown: "\u2318Y", spoken: "Meta+Y" },
      session: { shown: "\u2318\u21e7Y", spoken: "Meta+Shift+Y" },
      deny: { shown: "\u2318\u21e7N", spoken: "Meta+Shift+N" },
    }
  : {
      once: { shown: "Alt Y", spoken: "Alt+Y" },
      session: { shown: "Alt Shift Y", spoken: "Alt+Shift+Y" },
      deny: { shown: "Alt N", spoken: "Alt+N" },
    };

/** Listens while this question owns the keys. */
export function useAnswerKeys(active: boolean, answer: (choice: KeyedChoice) => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const choice = answerOf(event, IS_MAC);
    if (choice === null || event.defaultPrevented || !document.hasFocus() || isCovered()) return;
    event.preventDefault();
    answer(choice);
  });
  useEffect(() => {
    if (!active) return;
    const listener = (event: KeyboardEvent) => onKey(event);
    window.addEventListener("keydown", listener);
    return () => window.removeEventListener("keydown", listener);
  }, [active]);
}

/** What lies over the window hides the question, wherever its card may stand. */
function isCovered(): boolean {
  return document.querySelector("dialog[open], [aria-modal=true]") !== null;
}

/** The letter that is meant; by its place on the keyboard where the layout has no Latin letters. */
function letterOf(event: KeyboardEvent): string {
  const key = event.key.toLowerCase();
  return /^[a-z]$/.test(key) ? key : event.code.replace(/^Key/, "").toLowerCase();
}
