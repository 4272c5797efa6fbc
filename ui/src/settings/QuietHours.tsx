// Hours of every day in which the system is told nothing.
import { useId } from "react";
import { useText } from "../l10n/l10n";
import { useTyped } from "./controls";
import { FieldError } from "./Row";
import { useSetting, type Setting } from "./saved";

/** Two times. Either one alone does nothing, and it says so. */
export function QuietHours({ from, to }: { from: string; to: string }) {
  const t = useText();
  const id = useId();
  const begin = useSetting("notifications.quiet_from", from);
  const end = useSetting("notifications.quiet_to", to);
  const error = begin.error ?? end.error;
  const one = (begin.value === "") !== (end.value === "");
  return (
    <div className="set" role="group" aria-labelledby={`${id}-label`} aria-describedby={`${id}-effect`} data-row="set-quiet-hours">
      <p className="set-label" id={`${id}-label`}>
        {t("set-quiet-hours")}
      </p>
      <div className="set-control">
        <Time setting={begin} held={from} name="notifications.quiet_from" label={t("quiet-from")} />
        <span className="t2">{t("quiet-to-between")}</span>
        <Time setting={end} held={to} name="notifications.quiet_to" label={t("quiet-to")} />
      </div>
      <p className="set-effect" id={`${id}-effect`}>
        {one ? t("set-quiet-hours-both") : t("set-quiet-hours-effect")}
      </p>
      {error === null ? null : <FieldError>{error}</FieldError>}
    </div>
  );
}

function Time({ setting, held, name, label }: { setting: Setting<string>; held: string; name: string; label: string }) {
  const t = useText();
  const typed = useTyped(held, (text) => setting.change(text === "" ? null : text), () => setting.refuse(null));
  return <input className="field num set-time" type="time" placeholder={t("quiet-example")} data-testid={`setting-${name}`} aria-label={label} aria-invalid={setting.error !== null} {...typed} />;
}
