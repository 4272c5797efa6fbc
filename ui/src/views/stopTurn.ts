// Stopping a turn: the state comes back over the feed; only a failure to ask is kept here, for every place that shows Stop.
import { useSyncExternalStore } from "react";
import { asCallError } from "../bridge/bridge";
import { useBridge } from "../feed/hooks";

const failures = new Map<string, string>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setFailure(sessionId: string, message: string | null): void {
  if (message === null) failures.delete(sessionId);
  else failures.set(sessionId, message);
  for (const listener of listeners) listener();
}

/** Asks the gateway to stop a turn. If it has ended by itself meanwhile, the one that follows it goes on. */
export function useStopTurn(): { stop: (sessionId: string, turnId: string) => void } {
  const bridge = useBridge();
  return {
    stop: (sessionId, turnId) => {
      bridge.call("stop_turn", { sessionId, turnId }).then(
        () => setFailure(sessionId, null),
        (reason: unknown) => setFailure(sessionId, asCallError(reason).message),
      );
    },
  };
}

/** Why the last stop of a session was not even heard. */
export function useStopFailure(sessionId: string): string | undefined {
  return useSyncExternalStore(subscribe, () => failures.get(sessionId));
}
