// Carrying out what was chosen in a session's menu.
import type { Session } from "../bridge/wire";
import { asCallError, type Bridge } from "../bridge/bridge";
import { beginAnew } from "../composer/goOn";
import type { Store } from "../feed/store";
import type { Translate } from "../l10n/l10n";
import { copyLater } from "./clipboard";

/** What is said below a row after something was done to it. */
export interface RowNote {
  readonly sessionId: string;
  readonly words: string;
  readonly failed: boolean;
}

/** Silences a session, or lets it speak again; its row tells. */
export function muteSession(bridge: Bridge, { sessionId, muted }: Session, t: Translate): Promise<RowNote | null> {
  return quietly(bridge.call("set_muted", { sessionId, muted: !muted }), sessionId, t);
}

/** Gives a session another title; its row tells. */
export function renameSession(bridge: Bridge, { sessionId }: Session, title: string, t: Translate): Promise<RowNote | null> {
  return quietly(bridge.call("update_session", { sessionId, title }), sessionId, t);
}

/** Puts a session among the earlier ones; its place tells. */
export function moveToEarlier(bridge: Bridge, { sessionId }: Session, t: Translate): Promise<RowNote | null> {
  return quietly(bridge.call("update_session", { sessionId, earlier: true }), sessionId, t);
}

/** Ends a session and begins another one in its place; the rows tell. */
export function sessionAnew(store: Store, { sessionId }: Session, t: Translate): Promise<RowNote | null> {
  return quietly(beginAnew(store, sessionId), sessionId, t);
}

/** Closes a session; its place tells. */
export function closeSession(bridge: Bridge, { sessionId }: Session, t: Translate): Promise<RowNote | null> {
  return quietly(bridge.call("close_session", { sessionId }), sessionId, t);
}

/** Puts the whole transcript on the clipboard, as Markdown. */
export async function copyTranscript(bridge: Bridge, { sessionId }: Session, t: Translate): Promise<RowNote> {
  try {
    await copyLater(bridge.call("export_session", { sessionId }).then((reply) => reply.markdown));
    return { sessionId, words: t("session-copied"), failed: false };
  } catch (reason) {
    return { sessionId, words: t("session-not-copied", { reason: asCallError(reason).message }), failed: true };
  }
}

async function quietly(done: Promise<unknown>, sessionId: string, t: Translate): Promise<RowNote | null> {
  try {
    await done;
    return null;
  } catch (reason) {
    return { sessionId, words: t("not-done", { reason: asCallError(reason).message }), failed: true };
  }
}
