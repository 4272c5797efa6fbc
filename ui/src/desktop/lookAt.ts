// Tells the desktop app what this window shows, so that nobody is told what they look at.
import { useEffect } from "react";
import { useBridge } from "../feed/hooks";

/** While a transcript stands. */
export function useLookAt(sessionId: string, atEnd: boolean): void {
  const { desktop } = useBridge();
  useEffect(() => {
    if (desktop === null) return undefined;
    // A notice too many is all that a lost word can cost.
    void desktop.lookAt({ sessionId, atEnd }).catch(() => undefined);
    return () => void desktop.lookAt({ sessionId: null, atEnd: false }).catch(() => undefined);
  }, [desktop, sessionId, atEnd]);
}
