// A question to the person: may exactly this command run? It never takes focus, and no answer means no.
import { useRef, useState } from "react";
import type { Item } from "../bridge/wire";
import { useText } from "../l10n/l10n";
import { clock } from "../shared/format";
import { Glyph } from "../shared/Glyph";
import { useComposerInk } from "../shared/ink";
import { Actions, type PlainChoice, type Worded } from "./Actions";
import { useAnswer } from "./answer";
import { Answered } from "./Answered";
import { AnswerField } from "./AnswerField";
import { Command } from "./Command";
import { Effect } from "./Effect";
import { useGuard, useVisible } from "./guard";
import { useAnswerKeys } from "./keys";
import { useAskingCard } from "./pairs";
import { useOwnsKeys } from "./queue";
import "./approval.css";

/** An approval: the question while it is open, one row once it is answered. */
export function ApprovalCard({ item }: { item: Item }) {
  if (item.state !== "pending") return <Answered item={item} />;
  // Another command would be another question: nothing that was seen of this one counts for that.
  return <Question key={item.command} item={item} />;
}

function Question({ item }: { item: Item }) {
  const t = useText();
  const card = useAskingCard(item);
  const actions = useRef<HTMLDivElement>(null);
  const seen = useVisible(actions);
  const guard = useGuard(actions, seen);
  const owns = useOwnsKeys(item.itemId, item.seq, seen);
  const composerHasInk = useComposerInk();
  const [read, setRead] = useState(false);
  const [field, setField] = useState<Worded | null>(null);
  const { sending, trouble, send, calm } = useAnswer(item);

  const counts = () => guard.armed && !guard.moved();
  const answer = (choice: PlainChoice) => {
    if ((choice !== "deny" && !read) || item.choices?.includes(choice) !== true || !counts()) return;
    send({ choice });
  };
  useAnswerKeys(owns && guard.armed, answer);
  const openField = (kind: Worded) => {
    if ((kind === "pattern" && !read) || !counts()) return;
    calm();
    setField(kind);
  };
  const closeField = () => {
    calm();
    setField(null);
    // Back to where the field came from: it took the focus only because it was asked for.
    requestAnimationFrame(() => actions.current?.querySelector<HTMLElement>(`[data-choice="${field ?? ""}"]`)?.focus());
  };

  const titleId = `approval-${item.itemId}`;
  const dead = !guard.armed || sending;
  // Only the question that owns the keys may hold the view's ink button, and only once it can be answered.
  const ink = owns && read && !composerHasInk;
  return (
    <section className="approval" aria-labelledby={titleId} data-armed={guard.armed} data-card-id={card?.id} data-status={card?.status}>
      <header className="approval-head">
        <Glyph name="needs" />
        <h2 id={titleId} className="approval-title">
          {t("approval-question")}
        </h2>
        {item.expiresAtMs != null && (
          <span className="approval-until">{t("approval-until", { time: clock(item.expiresAtMs) })}</span>
        )}
      </header>
      <Command text={item.command ?? ""} onRead={() => setRead(true)} />
      <Effect item={item} />
      <div className="approval-actions" ref={actions}>
        {field === null ? (
          <>
            <Actions item={item} read={read} dead={dead} owns={owns} ink={ink} onAnswer={answer} onWords={openField} />
            {trouble !== "" && (
              <p className="approval-trouble" role="alert">
                {trouble}
              </p>
            )}
          </>
        ) : (
          <AnswerField
            key={field}
            label={field === "pattern" ? t("approval-pattern-label") : t("approval-reason-label")}
            send={field === "pattern" ? t("approval-pattern-send") : t("approval-deny")}
            initial={field === "pattern" ? (item.suggestedPattern ?? "") : ""}
            mono={field === "pattern"}
            ink={field === "pattern" && ink}
            dead={dead}
            trouble={trouble}
            onSend={(words, pressed) => {
              if (pressed && !counts()) return;
              send(field === "pattern" ? { choice: "pattern", pattern: words } : { choice: "deny", ...(words === "" ? {} : { reason: words }) });
            }}
            onBack={closeField}
          />
        )}
      </div>
    </section>
  );
}
