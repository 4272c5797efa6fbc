// What of this session is planned and what lives right now, beside where the eyes are. Nothing of either: no strip.
import { useId, useState } from "react";
import type { Process } from "../bridge/wire";
import { useProcesses, useSelection } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { liveFirst } from "../process/order";
import type { Outcome } from "../process/outcome";
import { type Plan, usePlan } from "../process/plan";
import { glyphOf, PlanStepRow } from "../process/PlanSteps";
import { standing } from "../process/standing";
import { useStop } from "../process/stop";
import { StopProcessButton } from "../process/StopButton";
import { Glyph } from "../shared/Glyph";

/** More rows than this are the rail's business. */
const ROWS = 3;

type Cell = "plan" | "processes";

/** The strip above the composer. */
export function StatusStack({ sessionId }: { sessionId: string }) {
  const t = useText();
  const bodyId = useId();
  const [chosen, setChosen] = useState<Cell | null>(null);
  const plan = unfinished(usePlan(sessionId));
  const live = liveFirst(useProcesses(sessionId));
  const first = live[0];
  if (plan === null && first === undefined) return null;
  const open = chosen === "plan" ? (plan === null ? null : chosen) : first === undefined ? null : chosen;
  const cell = (name: Cell) => ({
    "aria-expanded": open === name,
    "aria-controls": bodyId,
    onClick: () => setChosen(open === name ? null : name),
  });
  return (
    <div className="stack">
      <div className="stack-cells">
        {plan !== null && (
          <button type="button" className="stack-cell" {...cell("plan")}>
            <Glyph name={plan.current === undefined ? "failed" : glyphOf(plan.current.card)} small />
            <b className="stack-title">{t("rail-plan")}</b>
            <span className="stack-count">{t("plan-sum", { done: plan.done, count: plan.steps.length })}</span>
            <span className="stack-name">{plan.current?.card.title}</span>
          </button>
        )}
        {first !== undefined && (
          <button type="button" className="stack-cell" {...cell("processes")}>
            <First process={first} count={live.length} />
          </button>
        )}
      </div>
      {open !== null && (
        <ul id={bodyId} className="stack-rows">
          {open === "plan" && plan !== null && nextSteps(plan).map((step) => <PlanStepRow key={step.itemId} step={step} />)}
          {open === "processes" && live.slice(0, ROWS).map((process) => <Row key={process.processId} process={process} />)}
          {open === "processes" && live.length > ROWS && <li className="stack-rest">{t("stack-rest", { count: live.length - ROWS })}</li>}
        </ul>
      )}
    </div>
  );
}

/** A plan that is through is no news. */
function unfinished(plan: Plan | null): Plan | null {
  return plan === null || plan.done === plan.steps.length ? null : plan;
}

/** The step at work and what comes after it. */
function nextSteps({ steps, current }: Plan): Plan["steps"] {
  const at = current === undefined ? steps.length - ROWS : steps.indexOf(current);
  return steps.slice(Math.max(0, Math.min(at, steps.length - ROWS)), Math.max(0, at) + ROWS);
}

/** How many live, and how the first of them stands. */
function First({ process, count }: { process: Process; count: number }) {
  const t = useText();
  const { glyph, words } = useStanding(process);
  return (
    <>
      <Glyph name={glyph} small />
      <b className="stack-title">{t("stack-processes")}</b>
      <span className="stack-count">{count}</span>
      <span className="stack-name">
        <span className="process-name">{process.command.split("\n", 1)[0]}</span> {words}
      </span>
    </>
  );
}

function Row({ process }: { process: Process }) {
  const t = useText();
  const { openProcess } = useSelection();
  const { glyph, tone, words } = useStanding(process);
  return (
    <li className="stack-row">
      <Glyph name={glyph} small />
      <span className="process-name" title={process.command}>
        {process.command}
      </span>
      <span className={`process-state tone-${tone}`}>{words}</span>
      <button type="button" className="btn sm ghost stack-open" onClick={() => openProcess(process.processId)}>
        {t("open-process")}
      </button>
      <StopProcessButton process={process} />
    </li>
  );
}

/** As the rail tells it. */
function useStanding(process: Process): Outcome {
  const t = useText();
  return standing(process, useStop(process.processId), t);
}
