// A message that was not taken: why, and what can be done. Its words are kept.
import { X } from "lucide-react";
import type { CallCode } from "../bridge/bridge";
import { useBridge, useSelection, useSession } from "../feed/hooks";
import { type Translate, useText } from "../l10n/l10n";
import { Glyph } from "../shared/Glyph";
import { draftOf, prefill, keepDraft } from "./drafts";
import { forget, send, type Unsent, useUnsent } from "./outbox";

/** The banner above the composer, while a message of this session was not taken. */
export function UnsentNote({ sessionId }: { sessionId: string }) {
  const message = useUnsent(sessionId);
  return message === undefined ? null : <Note message={message} />;
}

function Note({ message }: { message: Unsent }) {
  const t = useText();
  const bridge = useBridge();
  const { openSession } = useSelection();
  const { sessionId, text, mode, clientKey, error } = message;
  const next = useSession(sessionId)?.nextSessionId ?? null;
  const inNext = (to: string) => {
    forget(message);
    keepDraft(sessionId, "");
    prefill(to, text);
    openSession(to);
  };
  const again = (runAnyway: boolean) => {
    // The words stand in the composer; sending them from here takes them out of it.
    if (draftOf(sessionId) === text) {
      keepDraft(sessionId, "");
      prefill(sessionId, "");
    }
    void send(bridge, { sessionId, text, mode, clientKey, runAnyway });
  };
  const blocked = error.code === "blocked" && text.trimStart().startsWith("!");
  return (
    <div className="unsent" role="alert">
      <Glyph name="failed" />
      <span className="unsent-words">
        <b>{unsentTitle(error.code, t)}</b> <span className="unsent-reason">{error.message}</span>
        {draftOf(sessionId) !== text && <span className="unsent-text">{text}</span>}
      </span>
      {blocked ? (
        <button type="button" className="btn sm danger" onClick={() => again(true)}>
          {t("run-anyway")}
        </button>
      ) : error.code === "session_ended" && next !== null ? (
        <button type="button" className="btn sm" onClick={() => inNext(next)}>
          {t("unsent-take-along")}
        </button>
      ) : (
        <button type="button" className="btn sm" onClick={() => again(false)}>
          {t("send-again")}
        </button>
      )}
      <button type="button" className="btn sm ghost ic" aria-label={t("unsent-dismiss")} onClick={() => forget(message)}>
        <X className="icon k" aria-hidden />
      </button>
    </div>
  );
}

/** What happened, in a few words; the gateway's own message says why. */
export function unsentTitle(code: CallCode, t: Translate): string {
  switch (code) {
    case "blocked":
      return t("unsent-blocked");
    case "start_failed":
      return t("unsent-start-failed");
    case "process_limit":
      return t("unsent-limit");
    case "queue_full":
      return t("unsent-queue-full");
    case "session_ended":
      return t("unsent-ended");
    case "store_unavailable":
      return t("unsent-store");
    case "shutting_down":
      return t("unsent-shutting-down");
    case "unreachable":
      return t("unsent-unreachable");
    default:
      return t("unsent");
  }
}
