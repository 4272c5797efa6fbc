// Up, Down, j and k walk through the rows of a list.
import type { KeyboardEvent } from "react";

/** A handler for the list's container; the rows are the buttons with the class `process-row`. */
export function useArrowKeys(): (event: KeyboardEvent<HTMLElement>) => void {
  return (event) => {
    const step = stepOf(event.key);
    if (step === 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(".process-row")];
    const at = rows.findIndex((row) => row === document.activeElement);
    if (at < 0) return;
    event.preventDefault();
    rows[Math.min(rows.length - 1, Math.max(0, at + step))]?.focus();
  };
}

function stepOf(key: string): number {
  if (key === "ArrowDown" || key === "j") return 1;
  return key === "ArrowUp" || key === "k" ? -1 : 0;
}
