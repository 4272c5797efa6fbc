// The window's own keys. A key that an input method or an inner view took is not ours.
import { useEffect, useEffectEvent, type RefObject } from "react";
import { nextDensity, nextNeeded } from "../actions/actions";
import { keyName, placeOf, type KeyName } from "../actions/keys";
import { useStore } from "../feed/hooks";
import { groupSessions } from "../session/groups";
import { isComposing } from "../shared/keyboard";
import type { Overlays } from "./overlays";
import type { Panes } from "./panes";

/** Listens on the window while the frame stands. */
export function useFrameKeys(ref: RefObject<HTMLElement | null>, panes: Panes, overlays: Overlays): void {
  const store = useStore();
  const { frame } = overlays;

  /** Whether something was there to go back from, or to stop. */
  const escape = (): boolean => {
    const { view } = store.selection;
    const session = store.state.sessions.get(store.selection.sessionId ?? "");
    const covered = panes.layout !== "three" && ((view === "chat" && panes.rail) || (panes.layout === "one" && panes.sidebar));
    if (overlays.closeTop()) return true;
    if (covered) panes.closeOverlays();
    else if (view !== "chat") store.closeSettings();
    else if (overlays.finding > 0) overlays.endFinding();
    else if (session?.runningTurnId != null) frame.stopTurn(session.sessionId, session.runningTurnId);
    else return false;
    return true;
  };

  const perform = (name: KeyName, event: KeyboardEvent): boolean => {
    switch (name) {
      case "palette":
      case "find":
        store.openPalette();
        return true;
      case "findHere":
        if (store.selection.view !== "chat" || store.selection.sessionId === null) return false;
        frame.findHere();
        return true;
      case "newSession":
        frame.newSession();
        return true;
      case "nextNeeded": {
        const next = nextNeeded(store);
        if (next !== undefined) store.openSession(next.sessionId);
        return next !== undefined;
      }
      case "sidebar":
        frame.toggleSidebar();
        return true;
      case "rail":
        frame.toggleRail();
        return true;
      case "processes":
        frame.showProcesses();
        return true;
      case "density":
        nextDensity(store);
        return true;
      case "settings":
        store.openSettings();
        return true;
      case "keyMap":
        if (isWriting(event)) return false;
        frame.openKeyMap();
        return true;
      case "panes":
        nextPane(ref.current, event.shiftKey ? -1 : 1);
        return true;
      case "stop":
        return escape();
    }
  };

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || isComposing(event)) return;
    const name = keyName(event);
    const place = placeOf(event);
    if (store.selection.palette || document.querySelector("dialog[open]") !== null) {
      // Nothing happens behind what lies over the window; nor does the browser do its own with these keys.
      if ((name !== null || place !== null) && (event.ctrlKey || event.metaKey)) event.preventDefault();
      return;
    }
    if (name !== null) {
      if (perform(name, event)) event.preventDefault();
    } else if (place !== null) {
      const chosen = groupSessions([...store.state.sessions.values()]).flatMap((group) => group.sessions)[place];
      if (chosen === undefined) return;
      event.preventDefault();
      store.openSession(chosen.sessionId);
    }
  });

  useEffect(() => {
    const listener = (event: KeyboardEvent): void => onKey(event);
    window.addEventListener("keydown", listener);
    return () => window.removeEventListener("keydown", listener);
  }, []);
}

/** A sign that is written is no key. */
function isWriting(event: KeyboardEvent): boolean {
  return event.target instanceof Element && event.target.matches("input, textarea, select, [contenteditable], .xterm *");
}

/** Where the focus goes in a pane: to the words that are written there, else to its list, else to its first button. */
const STOPS = [".composer-text", "[tabindex='0']:not(.handle)", "button:not([tabindex='-1']), input, select, textarea, a[href]"];

/** Sidebar, transcript, dock, rail; of other views their panes. */
function stretches(frame: HTMLElement): HTMLElement[] {
  return [...frame.querySelectorAll<HTMLElement>("[data-pane]")].flatMap((pane) => {
    const parts = [...pane.querySelectorAll<HTMLElement>(".scroll, .dock")];
    return parts.length > 0 ? parts : [pane];
  });
}

function nextPane(frame: HTMLElement | null, step: number): void {
  if (frame === null) return;
  const all = stretches(frame);
  const at = all.findIndex((part) => part.contains(document.activeElement));
  // From outside of all of them, the way back begins at the last one.
  focusPane(all.at(at < 0 && step < 0 ? -1 : (at + step + all.length) % all.length));
}

/** Puts the focus into a pane, where it is of most use. */
export function focusPane(pane: HTMLElement | null | undefined): void {
  const place = pane?.matches("[tabindex='0']") ? pane : STOPS.map((stop) => pane?.querySelector<HTMLElement>(stop)).find((found) => found != null);
  place?.focus();
}
