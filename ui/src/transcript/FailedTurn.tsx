// A turn that gave no answer: what happened and what to do next, where it happened.
import { useState } from "react";
import type { Item } from "../bridge/wire";
import { asCallError } from "../bridge/bridge";
import { useBridge } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { Glyph } from "../shared/Glyph";

/** A failed turn, with Retry where it may be tried again. */
export function FailedTurn({ item }: { item: Item }) {
  const t = useText();
  const bridge = useBridge();
  const [answer, setAnswer] = useState<{ sent: boolean; words: string }>({ sent: false, words: "" });
  const { turnId, failure } = item;
  const retry = (turn: string) => {
    setAnswer({ sent: true, words: "" });
    bridge.call("retry_turn", { turnId: turn }).then(
      () => setAnswer({ sent: true, words: t("retry-sent") }),
      (reason: unknown) => setAnswer({ sent: false, words: asCallError(reason).message }),
    );
  };
  return (
    <div role="group" className="failed-turn" aria-label={t("failed-turn")}>
      <Glyph name="failed" />
      <p className="failed-turn-text">
        {item.text ?? t("failed-turn-no-reason")}
        {answer.words !== "" && <span className="failed-turn-answer"> {answer.words}</span>}
      </p>
      {failure?.retryable === true && turnId != null && (
        <button type="button" className="btn sm" disabled={answer.sent} onClick={() => retry(turnId)}>
          {t("retry")}
        </button>
      )}
    </div>
  );
}
