// Which of a provider's models answers: a choice when it names some, a line to type into when it names none.
import { useId } from "react";
import { useText } from "../l10n/l10n";
import { Select } from "../settings/controls";

interface ModelSelectProps {
  models: readonly string[];
  value: string;
  onChoose: (model: string) => void;
}

/** The field. */
export function ModelSelect({ models, value, onChoose }: ModelSelectProps) {
  const t = useText();
  const id = useId();
  return (
    <div className="set-field">
      <label htmlFor={id}>{t("first-model")}</label>
      {models.length === 0 ? (
        <input className="field mono" id={id} data-testid="first-run-model" autoComplete="off" spellCheck={false} value={value} onChange={(event) => onChoose(event.target.value)} />
      ) : (
        <Select id={id} data-testid="first-run-model" value={value} onChange={(event) => onChoose(event.target.value)}>
          {models.map((model) => (
            <option key={model} value={model}>
              {model}
            </option>
          ))}
        </Select>
      )}
    </div>
  );
}
