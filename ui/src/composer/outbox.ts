// Messages on their way. Each keeps one key for all its attempts, so a message that did arrive although the answer got
// lost is not said twice. Within a session they go one after the
// other: what was typed first is said first.
import { useSyncExternalStore } from "react";
import type { SendMessageReply, SendMode } from "../bridge/wire";
import { asCallError, type Bridge, type CallError } from "../bridge/bridge";

/** A message that was not taken. */
export interface Unsent {
  sessionId: string;
  text: string;
  mode: SendMode;
  clientKey: string;
  error: CallError;
}

let unsent: readonly Unsent[] = [];
/** The last message on its way, by session: one session does not wait for another. */
const tails = new Map<string, Promise<unknown>>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(next: readonly Unsent[]): void {
  unsent = next;
  for (const listener of listeners) listener();
}

/** The last message of a session that was not taken, if any. */
export function useUnsent(sessionId: string): Unsent | undefined {
  return useSyncExternalStore(subscribe, () => unsent.findLast((one) => one.sessionId === sessionId));
}

/** Forgets a message that was not taken. */
export function forget(message: Unsent): void {
  change(unsent.filter((one) => one !== message));
}

/** How a message is sent. */
export interface Sending {
  sessionId: string;
  text: string;
  mode: SendMode;
  /** Only when this is another attempt. */
  clientKey?: string;
  /** The person has said "run anyway". */
  runAnyway?: boolean;
}

/** Sends a message; answers what came of it. One that was not taken is kept, with the reason, and nothing is answered. */
export function send(bridge: Bridge, message: Sending): Promise<SendMessageReply | null> {
  const { sessionId, text, mode, runAnyway } = message;
  const clientKey = message.clientKey ?? keyOf(sessionId, text) ?? crypto.randomUUID();
  change(unsent.filter((one) => one.clientKey !== clientKey));
  const attempt = (tails.get(sessionId) ?? Promise.resolve()).then(async () => {
    try {
      return await bridge.call("send_message", { sessionId, text, mode, clientKey, ...(runAnyway === true ? { runAnyway } : {}) });
    } catch (reason) {
      change([...unsent, { sessionId, text, mode, clientKey, error: asCallError(reason) }]);
      return null;
    }
  });
  tails.set(sessionId, attempt);
  return attempt;
}

/** The same words again, after they were not taken, are the same message. */
function keyOf(sessionId: string, text: string): string | undefined {
  return unsent.find((one) => one.sessionId === sessionId && one.text === text)?.clientKey;
}
