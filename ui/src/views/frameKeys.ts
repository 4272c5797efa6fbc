// The window's own keys. A key that an input method or an inner view took is not ours.
import { useEffect, useEffectEvent, type RefObject } from "react";
import { useSelection, useSession, useSessions, useView } from "../feed/hooks";
import { groupSessions } from "../session/groups";
import { useNewSession } from "../session/newSession";
import { isComposing, isMainKey } from "../shared/keyboard";
import type { Panes } from "./panes";
import { useStopTurn } from "./stopTurn";

/** Listens on the window while the frame stands. */
export function useFrameKeys(frame: RefObject<HTMLElement | null>, panes: Panes): void {
  const { sessionId, openSession } = useSelection();
  const sessions = groupSessions(useSessions()).flatMap((group) => group.sessions);
  const session = useSession(sessionId);
  const { create } = useNewSession();
  const { view, openSettings, closeSettings } = useView();
  const stop = useStopTurn();

  const onEscape = (event: KeyboardEvent): void => {
    const covered = panes.layout !== "three" && ((view === "chat" && panes.rail) || (panes.layout === "one" && panes.sidebar));
    if (covered) {
      event.preventDefault();
      panes.closeOverlays();
    } else if (view !== "chat") {
      event.preventDefault();
      closeSettings();
    } else if (session?.runningTurnId != null) {
      event.preventDefault();
      stop.stop(session.sessionId);
    }
  };

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || isComposing(event)) return;
    if (event.key === "Escape") {
      onEscape(event);
    } else if (event.key === "F6") {
      event.preventDefault();
      nextPane(frame.current, event.shiftKey ? -1 : 1);
    } else if (isMainKey(event, "b")) {
      event.preventDefault();
      panes.toggleSidebar();
    } else if (isMainKey(event, "j")) {
      event.preventDefault();
      panes.toggleRail();
    } else if (isMainKey(event, ",")) {
      event.preventDefault();
      openSettings();
    } else if (isMainKey(event, "k")) {
      event.preventDefault();
      if (!panes.sidebar) panes.toggleSidebar();
      requestAnimationFrame(() => frame.current?.querySelector<HTMLElement>("[data-find]")?.focus());
    } else if (isMainKey(event, "n")) {
      event.preventDefault();
      create();
    } else if (/^[1-9]$/.test(event.key) && isMainKey(event, event.key)) {
      const chosen = sessions[Number(event.key) - 1];
      if (chosen === undefined) return;
      event.preventDefault();
      openSession(chosen.sessionId);
    } else if (isNextNeeded(event)) {
      const next = sessions.find((row) => row.group === "needs_you" && row.sessionId !== sessionId) ?? sessions.find((row) => row.unread > 0);
      if (next === undefined) return;
      event.preventDefault();
      openSession(next.sessionId);
    }
  });

  useEffect(() => {
    const listener = (event: KeyboardEvent): void => onKey(event);
    window.addEventListener("keydown", listener);
    return () => window.removeEventListener("keydown", listener);
  }, []);
}

function isNextNeeded(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && event.shiftKey && !event.altKey && event.key.toLowerCase() === "u";
}

const STOPS = "[tabindex='0'], textarea, button:not([tabindex='-1']), input, a[href]";

function nextPane(frame: HTMLElement | null, step: number): void {
  if (frame === null) return;
  const panes = [...frame.querySelectorAll<HTMLElement>("[data-pane]")];
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  const next = panes[(at + step + panes.length) % panes.length];
  next?.querySelector<HTMLElement>(STOPS)?.focus();
}
