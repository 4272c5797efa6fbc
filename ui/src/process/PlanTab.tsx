// What the agent means to do in the open session.
import { ListChecks } from "lucide-react";
import { useText } from "../l10n/l10n";
import { usePlan } from "./plan";
import { PlanStepRow } from "./PlanSteps";

/** The plan's steps, or the sentence that there is none. */
export function PlanTab({ sessionId }: { sessionId: string | null }) {
  const t = useText();
  const plan = usePlan(sessionId);
  if (plan === null) {
    return (
      <div className="process-empty">
        <ListChecks className="process-empty-icon" strokeWidth={1.5} aria-hidden />
        <b>{t("plan-none")}</b>
        <span>{t("plan-none-how")}</span>
      </div>
    );
  }
  return (
    <div className="rail-page">
      <p className="plan-sum">{t("plan-sum", { done: plan.done, count: plan.steps.length })}</p>
      <ol>
        {plan.steps.map((step) => (
          <PlanStepRow key={step.itemId} step={step} />
        ))}
      </ol>
    </div>
  );
}
