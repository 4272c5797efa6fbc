// The fields of a provider: the same in the settings and on the first run.
import { useId, type ReactNode } from "react";
import { useSetup } from "../feed/hooks";
import type { KeyPlace } from "../bridge/wire";
import { useText, type Translate } from "../l10n/l10n";
import { Select } from "./controls";
import { FieldError } from "./Row";
import type { DraftFields, KeyChoice } from "./draft";
import { PRESETS } from "./presets";

interface FieldsProps {
  fields: DraftFields;
  /** Why its name cannot be used. */
  nameError?: string | null;
  /** Why its variable cannot be used. */
  variableError?: string | null;
  /** The first run asks only for what it cannot know. */
  brief?: boolean;
  onEdit: () => void;
}

/** The fields. */
export function ProviderFields({ fields, nameError = null, variableError = null, brief = false, onEdit }: FieldsProps) {
  const t = useText();
  const id = useId();
  const { draft, held } = fields;
  const set: DraftFields["set"] = (change) => {
    onEdit();
    fields.set(change);
  };
  return (
    <div className="set-fields">
      {held === null ? (
        <Field id={`${id}-preset`} label={t("provider-preset")}>
          <Select
            id={`${id}-preset`}
            data-testid="provider-preset"
            value={draft.preset}
            onChange={(event) => {
              onEdit();
              fields.choosePreset(event.target.value);
            }}
          >
            {PRESETS.map((preset) => (
              <option key={preset.id} value={preset.id}>
                {t(preset.label)}
              </option>
            ))}
          </Select>
        </Field>
      ) : null}
      {brief && draft.preset !== "other" ? null : (
        <Field id={`${id}-name`} label={t("provider-name")} error={nameError}>
          <input className="field" id={`${id}-name`} data-testid="provider-name" autoComplete="off" spellCheck={false} value={draft.name} aria-invalid={nameError !== null} aria-describedby={nameError === null ? undefined : `${id}-name-error`} onChange={(event) => set({ name: event.target.value })} />
        </Field>
      )}
      <Field id={`${id}-address`} label={t("provider-address")}>
        <input className="field mono" id={`${id}-address`} data-testid="provider-address" inputMode="url" autoComplete="off" spellCheck={false} value={draft.baseUrl} onChange={(event) => set({ baseUrl: event.target.value })} />
      </Field>
      <KeyField id={id} fields={fields} set={set} variableError={variableError} />
      {brief ? null : (
        <Field id={`${id}-models`} label={t("provider-models")} hint={t("provider-models-hint")}>
          <input className="field mono" id={`${id}-models`} data-testid="provider-models" autoComplete="off" spellCheck={false} value={draft.models} aria-describedby={`${id}-models-hint`} onChange={(event) => set({ models: event.target.value })} />
        </Field>
      )}
    </div>
  );
}

interface KeyFieldProps {
  id: string;
  fields: DraftFields;
  set: DraftFields["set"];
  variableError: string | null;
}

function KeyField({ id, fields: { draft, held }, set, variableError }: KeyFieldProps) {
  const t = useText();
  const words: Record<KeyChoice, string> = {
    keep: t("provider-key-keep"),
    stored: t("provider-key-typed"),
    env: t("provider-key-env"),
    none: t("provider-key-none"),
  };
  const choices: readonly KeyChoice[] = held?.key === "stored" ? ["keep", "stored", "env", "none"] : ["stored", "env", "none"];
  return (
    <>
      <Field id={`${id}-source`} label={t("provider-key-source")}>
        <Select id={`${id}-source`} data-testid="provider-key-source" value={draft.keyChoice} onChange={(event) => set({ keyChoice: event.target.value as KeyChoice })}>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {words[choice]}
            </option>
          ))}
        </Select>
      </Field>
      {draft.keyChoice === "stored" ? (
        <Field id={`${id}-key`} label={t("provider-key")} hint={<KeyPlaceWords />}>
          <input className="field mono" id={`${id}-key`} data-testid="provider-key" type="password" autoComplete="off" spellCheck={false} value={draft.key} aria-describedby={`${id}-key-hint`} onChange={(event) => set({ key: event.target.value })} />
        </Field>
      ) : null}
      {draft.keyChoice === "env" ? (
        <Field id={`${id}-env`} label={t("provider-key-variable")} hint={t("provider-key-variable-hint")} error={variableError}>
          <input className="field mono" id={`${id}-env`} data-testid="provider-env" autoComplete="off" spellCheck={false} value={draft.env} aria-invalid={variableError !== null} aria-describedby={variableError === null ? `${id}-env-hint` : `${id}-env-error ${id}-env-hint`} onChange={(event) => set({ env: event.target.value })} />
        </Field>
      ) : null}
    </>
  );
}

/** Where a key that is typed goes. */
export function KeyPlaceWords() {
  const t = useText();
  const keys = useSetup().settings?.keys;
  if (keys === undefined) return null;
  return placeWords(t, keys);
}

/** The same for a key that was just put there. */
export function placeWords(t: Translate, { kind, reason }: KeyPlace): string {
  return kind === "file" ? t("key-place-file", { reason: reason ?? t("key-place-untold") }) : t("key-place-keyring");
}

function Field({ id, label, hint, error = null, children }: { id: string; label: string; hint?: ReactNode; error?: string | null; children: ReactNode }) {
  return (
    <div className="set-field">
      <label htmlFor={id}>{label}</label>
      {children}
      {hint === undefined ? null : (
        <p className="set-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error === null ? null : <FieldError id={`${id}-error`}>{error}</FieldError>}
    </div>
  );
}
