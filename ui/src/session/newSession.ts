// Opening a session. A press that is repeated while the first is under way is the same session.
import { useRef, useState } from "react";
import { asCallError, type CallError } from "../bridge/bridge";
import { markNew } from "../composer/drafts";
import { useBridge, useSelection } from "../feed/hooks";

/** A way to open a session, and why it did not work. */
export interface NewSession {
  readonly create: () => void;
  readonly error: CallError | null;
}

/** Creates a session and opens it. */
export function useNewSession(): NewSession {
  const bridge = useBridge();
  const { openSession } = useSelection();
  const [error, setError] = useState<CallError | null>(null);
  const clientKey = useRef<string | null>(null);
  const create = async (): Promise<void> => {
    clientKey.current ??= crypto.randomUUID();
    try {
      const { sessionId } = await bridge.call("create_session", { clientKey: clientKey.current });
      clientKey.current = null;
      setError(null);
      markNew(sessionId);
      openSession(sessionId);
    } catch (reason) {
      // The key stays: a second press after a lost answer must not make a second session.
      setError(asCallError(reason));
    }
  };
  return { create: () => void create(), error };
}
