// When the agent asks, what it need not ask for, and what it may never run.
import { useId } from "react";
import type { Settings } from "../bridge/wire";
import { useText } from "../l10n/l10n";
import { DenyList } from "./DenyList";
import { FieldError } from "./Row";
import { RuleList } from "./RuleList";
import { useSetting } from "./saved";

/** The room. */
export function Approvals({ settings }: { settings: Settings }) {
  return (
    <>
      <Mode held={settings.approvals} />
      <RuleList />
      <DenyList held={settings.deny} />
    </>
  );
}

function Mode({ held }: { held: string }) {
  const t = useText();
  const id = useId();
  const setting = useSetting("agent.approvals", held);
  const modes = [
    ["ask", t("approvals-mode-ask"), t("approvals-mode-ask-means")],
    ["risky", t("approvals-mode-risky"), t("approvals-mode-risky-means")],
    ["off", t("approvals-mode-off"), t("approvals-mode-off-means")],
  ] as const;
  return (
    <fieldset className="set-radios" data-row="set-approvals" data-testid="setting-agent.approvals">
      <legend className="set-label">{t("set-approvals")}</legend>
      {modes.map(([mode, words, means]) => (
        <div className="set-radio" key={mode}>
          <input
            type="radio"
            className="radio"
            id={`${id}-${mode}`}
            name={id}
            value={mode}
            checked={setting.value === mode}
            aria-describedby={`${id}-${mode}-means`}
            onChange={() => void setting.change(mode)}
          />
          <label className="set-label" htmlFor={`${id}-${mode}`}>
            {words}
          </label>
          <p className="set-effect" id={`${id}-${mode}-means`}>
            {means}
          </p>
        </div>
      ))}
      {setting.error === null ? null : <FieldError>{setting.error}</FieldError>}
    </fieldset>
  );
}
