// The two keys that answer a question. They act only while this window has the focus, and never take it.
import { useEffect, useEffectEvent } from "react";
import { IS_MAC, isComposing } from "../shared/keyboard";

/** Which answer a key press gives, if any. A held key repeats; only its first press counts. */
export function answerOf(event: KeyboardEvent, mac: boolean): "once" | "deny" | null {
  if (event.repeat || event.ctrlKey || isComposing(event)) return null;
  const modifiers = mac ? event.metaKey && !event.altKey : event.altKey && !event.metaKey && !event.shiftKey;
  if (!modifiers) return null;
  const letter = letterOf(event);
  if (letter === "y" && !event.shiftKey) return "once";
  if (letter === "n" && event.shiftKey === mac) return "deny";
  return null;
}

/** Listens while this question owns the keys. */
export function useAnswerKeys(active: boolean, answer: (choice: "once" | "deny") => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const choice = answerOf(event, IS_MAC);
    if (choice === null || event.defaultPrevented || !document.hasFocus()) return;
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

/** The letter that is meant; by its place on the keyboard where the layout has no Latin letters. */
function letterOf(event: KeyboardEvent): string {
  const key = event.key.toLowerCase();
  return /^[a-z]$/.test(key) ? key : event.code.replace(/^Key/, "").toLowerCase();
}
