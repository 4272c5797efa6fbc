// A question to the person: may exactly this command run? It never takes focus, and no answer means no.
import { useRef, useState } from "react";
import type { Item } from "../bridge/wire";
import { asCallError } from "../bridge/bridge";
import { useBridge } from "../feed/hooks";
import { type Translate, useText } from "../l10n/l10n";
import { clock } from "../shared/format";
import { Glyph } from "../shared/Glyph";
import { useComposerInk } from "../shared/ink";
import { IS_MAC } from "../shared/keyboard";
import { Answered } from "./Answered";
import { noteAnswer } from "./answers";
import { Command } from "./Command";
import { useGuard, useVisible } from "./guard";
import { useAnswerKeys } from "./keys";
import { useAskingCard } from "./pairs";
import { useOwnsKeys } from "./queue";
import "./approval.css";

type Choice = "once" | "deny";

/** An approval: the question while it is open, one row once it is answered. */
export function ApprovalCard({ item }: { item: Item }) {
  if (item.state !== "pending") return <Answered item={item} />;
  return <Question item={item} />;
}

function Question({ item }: { item: Item }) {
  const t = useText();
  const bridge = useBridge();
  const card = useAskingCard(item);
  const actions = useRef<HTMLDivElement>(null);
  const visible = useVisible(actions);
  const guard = useGuard(actions, visible);
  const owns = useOwnsKeys(item.itemId, item.seq, visible);
  const [read, setRead] = useState(false);
  const [sending, setSending] = useState<Choice | null>(null);
  const [trouble, setTrouble] = useState("");

  const answer = (choice: Choice) => {
    const { approvalId } = item;
    if (approvalId == null || sending !== null || !guard.armed || guard.moved()) return;
    if (choice === "once" && !read) return;
    setSending(choice);
    setTrouble("");
    bridge.call("answer_approval", { approvalId, choice }).then(() => noteAnswer(approvalId), (reason: unknown) => {
      setSending(null);
      setTrouble(troubleWords(reason, t));
    });
  };
  useAnswerKeys(owns && guard.armed, answer);

  const titleId = `approval-${item.itemId}`;
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
      <Why item={item} />
      <div className="approval-actions" ref={actions}>
        {item.choices?.includes("once") === true && (
          <AllowOnce read={read} dead={!guard.armed || !read || sending !== null} hint={owns} onPress={() => answer("once")} />
        )}
        {trouble !== "" && (
          <span className="approval-trouble" role="alert">
            {trouble}
          </span>
        )}
        <button
          type="button"
          className="btn ghost approval-deny"
          data-choice="deny"
          aria-disabled={!guard.armed || sending !== null}
          aria-keyshortcuts={owns ? DENY_KEYS : undefined}
          onClick={() => answer("deny")}
        >
          {t("approval-deny")}
          {owns && <kbd>{IS_MAC ? "⌘⇧N" : "Alt N"}</kbd>}
        </button>
      </div>
    </section>
  );
}

const ALLOW_KEYS = IS_MAC ? "Meta+Y" : "Alt+Y";
const DENY_KEYS = IS_MAC ? "Meta+Shift+N" : "Alt+N";

function AllowOnce({ read, dead, hint, onPress }: { read: boolean; dead: boolean; hint: boolean; onPress: () => void }) {
  const t = useText();
  const composerHasInk = useComposerInk();
  // Only the question that owns the keys may be the view's ink button, and only once it can be answered.
  const ink = hint && read && !composerHasInk;
  return (
    <button
      type="button"
      className={ink ? "btn primary" : read ? "btn" : "btn approval-unread"}
      data-choice="once"
      aria-disabled={dead}
      aria-keyshortcuts={hint ? ALLOW_KEYS : undefined}
      onClick={onPress}
    >
      {t("approval-allow-once")}
      {hint && <kbd>{IS_MAC ? "⌘Y" : "Alt Y"}</kbd>}
    </button>
  );
}

/** Where it would run, and what the agent says about it. */
function Why({ item }: { item: Item }) {
  const t = useText();
  // Where the agent gave no reason, the question's words are the command itself, and that stands above already.
  const reason = item.text === item.command ? "" : (item.text ?? "");
  if (item.cwd == null && reason === "") return <div className="approval-why-none" />;
  return (
    <p className="approval-why">
      {reason !== "" && <span className="approval-reason">{reason}</span>}
      {item.cwd != null && (
        <span className="approval-place">
          {t("approval-in")} <span className="approval-cwd">{item.cwd}</span>
        </span>
      )}
    </p>
  );
}

function troubleWords(reason: unknown, t: Translate): string {
  const error = asCallError(reason);
  if (error.code === "approval_closed") return t("approval-closed");
  return t("approval-not-sent", { reason: error.message });
}
