// What was allowed for longer than once, and taking it back.
import { useEffect, useState } from "react";
import { visible } from "../approval/visible";
import { asCallError } from "../bridge/bridge";
import type { Rule } from "../bridge/wire";
import { useBridge, useSession, useSlice } from "../feed/hooks";
import { useText, type Translate } from "../l10n/l10n";
import { count, fullTime } from "../shared/format";
import { FieldError } from "./Row";

/** The list. */
export function RuleList() {
  const t = useText();
  const bridge = useBridge();
  // A rule is made by an answer: then the number of waiting questions changes.
  const questions = useSlice((store) => store.state.questions);
  const [rules, setRules] = useState<readonly Rule[] | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    let current = true;
    bridge.call("list_rules", {}).then(
      (reply) => {
        if (current) setRules(reply.rules);
      },
      (reason: unknown) => {
        if (current) setError(asCallError(reason).message);
      },
    );
    return () => {
      current = false;
    };
  }, [bridge, questions]);
  const remove = (ruleId: string): void => {
    bridge.call("remove_rule", { ruleId }).then(
      (reply) => {
        setRules(reply.rules);
        setError(null);
      },
      (reason: unknown) => setError(asCallError(reason).message),
    );
  };
  return (
    <section data-row="set-rules" aria-label={t("set-rules")}>
      <h2 className="set-group">{t("set-rules")}</h2>
      {rules?.length === 0 ? <p className="set-none">{t("rules-none")}</p> : null}
      {error === null ? null : <FieldError>{error}</FieldError>}
      <ul>{rules?.map((rule) => <RuleRow key={rule.ruleId} rule={rule} onRemove={() => remove(rule.ruleId)} />)}</ul>
    </section>
  );
}

function RuleRow({ rule, onRemove }: { rule: Rule; onRemove: () => void }) {
  const t = useText();
  const session = useSession(rule.sessionId ?? null);
  return (
    <li className="set set-rule" data-testid={`rule-${rule.ruleId}`}>
      <code className="set-command" dir="ltr">
        {visible(rule.text)}
      </code>
      <div className="set-control">
        <button type="button" className="btn sm" aria-label={t("rule-remove-of", { text: visible(rule.text) })} onClick={onRemove}>
          {t("rule-remove")}
        </button>
      </div>
      <p className="set-effect num">
        {kindWords(t, rule.kind, session?.title)}
        {rule.cwd == null ? "" : ` ${t("rule-in", { folder: visible(rule.cwd) })}`} {t("rule-used", { count: rule.uses, words: count(rule.uses) })}{" "}
        <time dateTime={new Date(rule.createdAtMs).toISOString()} title={fullTime(rule.createdAtMs)}>
          {t("rule-made", { day: new Date(rule.createdAtMs).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" }) })}
        </time>
      </p>
    </li>
  );
}

function kindWords(t: Translate, kind: string, session: string | undefined): string {
  switch (kind) {
    case "session":
      return session === undefined ? t("rule-session") : t("rule-session-of", { title: session });
    case "exact":
      return t("rule-exact");
    default:
      return t("rule-pattern");
  }
}
