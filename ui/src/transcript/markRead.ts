// What was seen is told to the gateway: the newest item is on screen, in a window that has the person's focus.
import { useEffect, useRef, useSyncExternalStore } from "react";
import { asCallError } from "../bridge/bridge";
import { useBridge, useSession } from "../feed/hooks";

function subscribe(listener: () => void): () => void {
  window.addEventListener("focus", listener);
  window.addEventListener("blur", listener);
  document.addEventListener("visibilitychange", listener);
  return () => {
    window.removeEventListener("focus", listener);
    window.removeEventListener("blur", listener);
    document.removeEventListener("visibilitychange", listener);
  };
}

function useLookedAt(): boolean {
  return useSyncExternalStore(subscribe, () => document.hasFocus() && !document.hidden);
}

/** Marks a session as read while its end is looked at. */
export function useMarkRead(sessionId: string, atEnd: boolean): void {
  const bridge = useBridge();
  const session = useSession(sessionId);
  const lookedAt = useLookedAt();
  const told = useRef(0);
  const lastSeq = session?.lastSeq ?? 0;
  const unread = session?.unread ?? 0;
  useEffect(() => {
    if (!atEnd || !lookedAt || unread === 0 || told.current >= lastSeq) return;
    told.current = lastSeq;
    bridge.call("mark_read", { sessionId, seq: lastSeq }).catch((reason: unknown) => {
      // Nothing is lost: the session stays marked as unread, and the next new item tells it again.
      told.current = 0;
      console.warn("mark_read", asCallError(reason).code);
    });
  }, [bridge, sessionId, atEnd, lookedAt, unread, lastSeq]);
}
