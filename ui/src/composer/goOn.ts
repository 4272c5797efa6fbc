// A conversation that ended and goes on in another one: whoever looked at it is taken along.
import type { SendMessageReply } from "../bridge/wire";
import type { Store } from "../feed/store";
import { markNew } from "./drafts";

/** What the chat box understands as the wish for a new beginning. */
const NEW = "/new";

/** Moves the window on, if it still shows the conversation that ended. */
export function goOn(store: Store, from: string, { nextSessionId }: SendMessageReply): void {
  if (nextSessionId == null || store.selection.sessionId !== from) return;
  markNew(nextSessionId);
  store.openSession(nextSessionId);
}

/** Ends a conversation and begins another one in its place. Rejects with words for a person. */
export async function beginAnew(store: Store, sessionId: string): Promise<void> {
  goOn(store, sessionId, await store.bridge.call("send_message", { sessionId, text: NEW, mode: "queue", clientKey: crypto.randomUUID() }));
}
