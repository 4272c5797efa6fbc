// Patterns of commands that the agent may never run.
import { useId, useState, type FormEvent } from "react";
import { visible } from "../approval/visible";
import { useText } from "../l10n/l10n";
import { FieldError } from "./Row";
import { useSetting } from "./saved";

/** The list, with a line to add to it. */
export function DenyList({ held }: { held: string[] }) {
  const t = useText();
  const id = useId();
  const setting = useSetting("agent.deny", held);
  const [typed, setTyped] = useState("");
  const add = (event: FormEvent): void => {
    event.preventDefault();
    const pattern = typed.trim();
    if (pattern === "" || setting.value.includes(pattern)) return;
    void setting.change([...setting.value, pattern]).then((taken) => {
      if (taken) setTyped("");
    });
  };
  return (
    <section data-row="set-deny" aria-label={t("set-deny")}>
      <h2 className="set-group">{t("set-deny")}</h2>
      <p className="set-none" id={`${id}-effect`}>
        {t("set-deny-effect")}
      </p>
      <ul>
        {setting.value.map((pattern) => (
          <li className="set set-rule" key={pattern}>
            <code className="set-command" dir="ltr">
              {visible(pattern)}
            </code>
            <div className="set-control">
              <button type="button" className="btn sm" aria-label={t("deny-remove-of", { pattern })} onClick={() => void setting.change(setting.value.filter((row) => row !== pattern))}>
                {t("rule-remove")}
              </button>
            </div>
          </li>
        ))}
      </ul>
      <form className="set-add" onSubmit={add}>
        <input
          className="field mono"
          data-testid="setting-agent.deny"
          aria-label={t("deny-add-label")}
          aria-describedby={`${id}-effect`}
          aria-invalid={setting.error !== null}
          placeholder={t("deny-example")}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <button type="submit" className="btn">
          {t("deny-add")}
        </button>
      </form>
      {setting.error === null ? null : <FieldError>{setting.error}</FieldError>}
    </section>
  );
}
