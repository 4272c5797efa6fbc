// What lies over the window takes the focus. When it is gone, the focus is where it was before, never nowhere.
import { useEffect, useState } from "react";

/** Where the person was when nothing lay over the window. */
let place: Element | null = null;

/** For a view that takes the focus: gives it back when the view goes, unless somebody else has taken it. */
export function useFocusBack(): void {
  useState(remember);
  useEffect(() => giveBack, []);
}

/** One view may open another: what counts is the place before the first. */
function remember(): void {
  const now = document.activeElement;
  if (now !== null && now !== document.body && now.closest("[role=dialog], dialog") === null) place = now;
}

function giveBack(): void {
  if (document.activeElement !== document.body) return;
  const held = place instanceof HTMLElement && place.isConnected ? place : null;
  (held ?? document.querySelector<HTMLElement>(".composer-text, main button"))?.focus();
}
