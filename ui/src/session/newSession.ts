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

/** Creates a session and opens it; fails with a `CallError`. */
export function useMakeSession(): () => Promise<void> {
  const bridge = useBridge();
  const { openSession } = useSelection();
  const clientKey = useRef<string | null>(null);
  return async () => {
    // After a failure the key stays: a second press after a lost answer must not make a second session.
    clientKey.current ??= crypto.randomUUID();
    const { sessionId } = await bridge.call("create_session", { clientKey: clientKey.current });
    clientKey.current = null;
    markNew(sessionId);
    openSession(sessionId);
  };
}

/** The same for a button that has room for the reason beside it. */
export function useNewSession(): NewSession {
  const make = useMakeSession();
  const [error, setError] = useState<CallError | null>(null);
  const create = (): void =>
    void make().then(
      () => setError(null),
      (reason: unknown) => setError(asCallError(reason)),
    );
  return { create, error };
}
