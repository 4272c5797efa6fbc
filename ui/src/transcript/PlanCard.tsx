// What a turn means to do, and how far it is: an open card with a row for each step.
import { useText } from "../l10n/l10n";
import type { Plan } from "../process/plan";
import { glyphOf, PlanStepRow } from "../process/PlanSteps";
import { useDisclosure } from "../shared/disclosure";
import { Glyph, type GlyphName } from "../shared/Glyph";

/** More steps than this: those that are done fold into one row. */
const SHOWN = 8;

/** The card of a plan. */
export function PlanCard({ plan }: { plan: Plan }) {
  const t = useText();
  const { steps, done, current } = plan;
  const [unfolded, toggle] = useDisclosure(`plan ${steps[0]?.itemId ?? ""}`, steps.length <= SHOWN);
  const shown = unfolded ? steps : steps.filter(({ card }) => card.status !== "complete");
  return (
    <section className="plan" aria-label={t("rail-plan")}>
      <header className="plan-head">
        <Glyph name={standing(plan)} />
        <h2 className="plan-name">{current?.card.title ?? t("rail-plan")}</h2>
        <span className="plan-time">{t("plan-sum", { done, count: steps.length })}</span>
      </header>
      <ol className="plan-steps">
        {steps.length > SHOWN && done > 0 && (
          <li>
            <button type="button" className="plan-step plan-fold" aria-expanded={unfolded} onClick={toggle}>
              <Glyph name="complete" />
              {unfolded ? t("plan-fold") : t("plan-done", { count: done })}
            </button>
          </li>
        )}
        {shown.map((step) => (
          <PlanStepRow key={step.itemId} step={step} />
        ))}
      </ol>
    </section>
  );
}

function standing({ steps, done, current }: Plan): GlyphName {
  if (done === steps.length) return "complete";
  return current === undefined ? "failed" : glyphOf(current.card);
}
