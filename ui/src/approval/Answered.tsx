// What became of a question: a few words on its card, or one row like any other step where the card is not held.
import type { Item } from "../bridge/wire";
import { type Translate, useText } from "../l10n/l10n";
import { clock } from "../shared/format";
import { Glyph, type GlyphName } from "../shared/Glyph";
import { useAnsweredAt } from "./answers";

/** The 28 px row of a question that is no longer open. */
export function Answered({ item }: { item: Item }) {
  const t = useText();
  const atMs = useAnsweredAt(item.approvalId);
  const { glyph, words } = verdict(item.state ?? "", atMs, t);
  return (
    <div className="approval-answered" role="group" aria-label={`${words}: ${item.command ?? ""}`}>
      <Glyph name={glyph} />
      <span className="approval-verdict">{words}</span>
      <span className="approval-what" title={item.command ?? undefined}>
        {item.command}
      </span>
    </div>
  );
}

/** What a card says about the question that was asked before it ran; nothing while that is open. */
export function useVerdict(question: Item | undefined): string | null {
  const t = useText();
  const atMs = useAnsweredAt(question?.approvalId);
  if (question === undefined || question.state === "pending") return null;
  return verdict(question.state ?? "", atMs, t).words;
}

/** The row's words; the time is known where the answer was given in this window. */
function verdict(state: string, atMs: number | null, t: Translate): { glyph: GlyphName; words: string } {
  const time = atMs === null ? null : clock(atMs);
  switch (state) {
    case "allowed":
      return { glyph: "complete", words: time === null ? t("approval-allowed") : t("approval-allowed-at", { time }) };
    case "denied":
      return { glyph: "stopped", words: time === null ? t("approval-denied") : t("approval-denied-at", { time }) };
    case "expired":
      return { glyph: "stopped", words: t("approval-expired") };
    default:
      return { glyph: "stopped", words: t("approval-withdrawn") };
  }
}
