// What lies over the window takes the focus. When it is gone, the focus is where it was before, never nowhere.
import { useEffect, useState } from "react";

/** Where the person was when nothing lay over the window. */
let place: Element | null = null;
/** Where one goes on when that place is gone. */
const USUAL = ".composer-text, main button";

/**
 * For a view that takes the focus: gives it back when the view goes, unless somebody else has taken it. Where the place
 * itself is gone, `instead` tells what stands there now.
 */
export function useFocusBack(instead = USUAL): void {
  useState(remember);
  useEffect(() => () => giveBack(instead), [instead]);
}

/** One view may open another: what counts is the place before the first. */
function remember(): void {
  const now = document.activeElement;
  if (now !== null && now !== document.body && now.closest("[role=dialog], dialog") === null) place = now;
}

function giveBack(instead: string): void {
  if (document.activeElement !== document.body) return;
  const held = place instanceof HTMLElement && place.isConnected ? place : null;
  (held ?? document.querySelector<HTMLElement>(instead) ?? document.querySelector<HTMLElement>(USUAL))?.focus();
}
