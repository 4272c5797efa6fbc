// What became of a question: a few words on its card, or one row like any other step where the card is not held.
import type { ApprovalAnswer, Item } from "../bridge/wire";
import { type Translate, useText } from "../l10n/l10n";
import { clock, fullTime } from "../shared/format";
import { Glyph, type GlyphName } from "../shared/Glyph";
import { useLate } from "./late";
import { visible } from "./visible";

/** The 28 px row of a question that is no longer open. */
export function Answered({ item }: { item: Item }) {
  const t = useText();
  const late = useLate(item.approvalId);
  const words = verdict(item, late, t);
  const command = visible(item.command ?? "");
  return (
    <div className="approval-answered" role="group" aria-label={`${words}: ${command}`}>
      <Glyph name={glyphOf(item.state)} />
      <span className="approval-verdict" title={item.answer == null ? undefined : fullTime(item.answer.atMs)}>
        {words}
      </span>
      <span className="approval-what" title={command}>
        {command}
      </span>
    </div>
  );
}

/** What a card says about the question that was asked before it ran; nothing while that is open. */
export function useVerdict(question: Item | undefined): string | null {
  const t = useText();
  const late = useLate(question?.approvalId);
  if (question === undefined || question.state === "pending") return null;
  return verdict(question, late, t);
}

function glyphOf(state: string | null | undefined): GlyphName {
  return state === "allowed" ? "complete" : "stopped";
}

/** The row's words; every window tells the same, because the question's own row carries the answer. */
function verdict(item: Item, late: boolean, t: Translate): string {
  const words = outcome(item, t);
  return late ? t("approval-late", { outcome: words }) : words;
}

function outcome({ state, answer }: Item, t: Translate): string {
  switch (state) {
    case "allowed":
      return answer == null ? t("approval-allowed") : allowed(answer, t);
    case "denied":
      return answer == null ? t("approval-denied") : denied(answer, t);
    case "expired":
      return t("approval-expired");
    default:
      return t("approval-withdrawn");
  }
}

function allowed({ by, choice, pattern, atMs }: ApprovalAnswer, t: Translate): string {
  const time = clock(atMs);
  if (by === "rule") return t("approval-allowed-rule", { time });
  switch (choice) {
    case "session":
      return t("approval-allowed-session", { time });
    case "always":
      return t("approval-allowed-always", { time });
    case "pattern":
      return t("approval-allowed-pattern", { pattern: visible(pattern ?? ""), time });
    default:
      return t("approval-allowed-at", { time });
  }
}

function denied({ by, reason, atMs }: ApprovalAnswer, t: Translate): string {
  const time = clock(atMs);
  if (by === "rule") return t("approval-denied-rule", { time });
  if (reason == null || reason === "") return t("approval-denied-at", { time });
  return t("approval-denied-reason", { time, reason: visible(reason) });
}
