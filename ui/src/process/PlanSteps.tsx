// The steps of a plan, 28 px each: the same rows in the rail and above the composer.
import type { Card } from "../bridge/wire";
import { duration } from "../shared/format";
import { Glyph, type GlyphName } from "../shared/Glyph";
import { useSecondTick } from "../shared/tick";
import type { PlanStep } from "./plan";
import "./plan.css";

/** One step. */
export function PlanStepRow({ step }: { step: PlanStep }) {
  const { card } = step;
  return (
    <li className="plan-step" data-status={card.status}>
      <Glyph name={glyphOf(card)} />
      <span className="plan-title" title={card.title}>
        {card.title}
      </span>
      <Elapsed card={card} />
    </li>
  );
}

/** How a step stands. */
export function glyphOf({ status, annotation }: Card): GlyphName {
  if (annotation === "needs_input") return "needs";
  if (annotation === "cancelled" || annotation === "denied") return "stopped";
  switch (status) {
    case "in_progress":
      return "running";
    case "complete":
      return "complete";
    case "error":
      return "failed";
    default:
      return "pending";
  }
}

function Elapsed({ card }: { card: Card }) {
  const running = card.status === "in_progress" && card.endedAtMs == null;
  const now = useSecondTick(running);
  if (card.status === "pending") return null;
  const end = card.endedAtMs ?? (running ? Math.max(now, card.startedAtMs) : null);
  return end === null ? null : <span className="plan-time">{duration(end - card.startedAtMs, { exact: !running })}</span>;
}
