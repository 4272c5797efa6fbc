// All steps of a turn as one row of 28 px: how many, how they went, how long. It opens to the steps themselves.
import { ChevronDown, ChevronRight } from "lucide-react";
import { useId } from "react";
import type { Card, Item } from "../bridge/wire";
import { useSession } from "../feed/hooks";
import { type Translate, useText } from "../l10n/l10n";
import { useDisclosure } from "../shared/disclosure";
import { duration } from "../shared/format";
import { Glyph, type GlyphName } from "../shared/Glyph";
import { useSecondTick } from "../shared/tick";
import { unsettled } from "../task/words";
import { Reasoning } from "./Reasoning";
import { Task } from "./Task";

/** The row. */
export function TurnSteps({ steps }: { steps: readonly Item[] }) {
  const t = useText();
  const bodyId = useId();
  const first = steps[0];
  const [open, toggle] = useDisclosure(`steps ${first?.sessionId ?? ""} ${first?.turnId ?? ""}`, false);
  const cards = steps.flatMap((step) => step.card ?? []);
  const running = cards.findLast(unsettled);
  // Between two calls nothing moves, and the turn is at work all the same.
  const session = useSession(first?.sessionId ?? null);
  const atWork = running !== undefined || (first?.turnId != null && session?.runningTurnId === first.turnId);
  const cut = atWork ? null : cutShort(cards.at(-1), t);
  const failed = cards.filter((card) => card.status === "error" && card.annotation == null).length;
  const Chevron = open ? ChevronDown : ChevronRight;
  const count = t("turn-steps", { count: steps.length });
  return (
    <div role="group" className="task task-closed" aria-label={count}>
      <button type="button" className="task-row" aria-expanded={open} aria-controls={bodyId} onClick={toggle}>
        <Glyph name={glyphOf(atWork, cut, failed)} />
        <span className="turn-count">{count}</span>
        <span className="task-verb turn-words">{wordsOf(running, cards, t)}</span>
        {failed > 0 && <span className="task-result tone-fail">{t("turn-failed", { count: failed })}</span>}
        {cut !== null && <span className="task-result tone-plain">{cut}</span>}
        <Elapsed cards={cards} running={atWork} />
        <Chevron className="icon k task-chevron" aria-hidden />
      </button>
      {open && (
        <div id={bodyId} className="turn-steps">
          {steps.map((step) => (step.card == null ? <Reasoning key={step.itemId} item={step} /> : <Task key={step.itemId} item={step} />))}
        </div>
      )}
    </div>
  );
}

function glyphOf(atWork: boolean, cut: string | null, failed: number): GlyphName {
  if (atWork) return "running";
  if (cut !== null) return "stopped";
  return failed > 0 ? "failed" : "complete";
}

/** Why the last step did not come to its end, if a person did not let it. */
function cutShort(last: Card | undefined, t: Translate): string | null {
  switch (last?.annotation) {
    case "cancelled":
      return t("turn-stopped");
    case "denied":
      return t("task-denied");
    default:
      return null;
  }
}

/** What runs now, else how many commands ran. */
function wordsOf(running: Card | undefined, cards: readonly Card[], t: Translate): string {
  if (running !== undefined) return running.title;
  const commands = cards.filter((card) => card.tool === "terminal" && card.status !== "pending" && card.annotation !== "denied").length;
  return commands === 0 ? "" : t("turn-commands", { count: commands });
}

function Elapsed({ cards, running }: { cards: readonly Card[]; running: boolean }) {
  const now = useSecondTick(running);
  if (cards.length === 0) return null;
  const start = Math.min(...cards.map((card) => card.startedAtMs));
  const end = running ? Math.max(now, start) : Math.max(...cards.map((card) => card.endedAtMs ?? card.startedAtMs));
  return <span className="task-elapsed">{duration(end - start, { exact: !running })}</span>;
}
