// Adding or changing a provider, in its place in the list.
import { useContext, useState, type FormEvent } from "react";
import { asCallError } from "../bridge/bridge";
import type { KeyPlace, ProviderSetting } from "../bridge/wire";
import { useBridge, useSetup, useStore } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { toPut, toTest, useDraft } from "./draft";
import { Outcome, useProbe } from "./probe";
import { ProviderFields } from "./ProviderFields";
import { FieldError } from "./Row";
import { SavedContext } from "./saved";

interface FormProps {
  held: ProviderSetting | null;
  /** Saved; `keyPlace` says where its key went, if one was given. */
  onSaved: (name: string, keyPlace: KeyPlace | null) => void;
  onCancel: () => void;
}

/** The form. */
export function ProviderForm({ held, onSaved, onCancel }: FormProps) {
  const t = useText();
  const bridge = useBridge();
  const store = useStore();
  const told = useContext(SavedContext);
  const others = useSetup().settings?.providers.filter(({ name }) => name !== held?.name) ?? [];
  const fields = useDraft(held);
  const probe = useProbe();
  const [error, setError] = useState<string | null>(null);
  const [tried, setTried] = useState(false);
  const name = fields.draft.name.trim();
  // Saving under a name that is there would change that provider instead.
  const taken = others.some((row) => row.name === name) ? t("provider-name-taken", { name }) : null;
  const nameError = taken ?? (tried && name === "" ? t("provider-name-missing") : null);
  const noVariable = fields.draft.keyChoice === "env" && fields.draft.env.trim() === "";
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setTried(true);
    if (taken !== null || name === "" || noVariable) return;
    try {
      const { settings, keyPlace } = await bridge.call("put_provider", toPut(fields));
      store.setup.take(settings);
      told();
      onSaved(name, keyPlace ?? null);
    } catch (reason) {
      setError(asCallError(reason).message);
    }
  };
  const onEdit = (): void => {
    setError(null);
    probe.forget();
  };
  return (
    <form className="set-form" aria-label={held === null ? t("provider-add") : t("provider-edit-of", { name: held.name })} onSubmit={(event) => void save(event)}>
      <ProviderFields fields={fields} nameError={nameError} variableError={tried && noVariable ? t("provider-key-variable-missing") : null} onEdit={onEdit} />
      <div className="set-actions">
        <button type="submit" className="btn primary" data-testid="provider-save">
          {t("provider-save")}
        </button>
        <button type="button" className="btn" data-testid="provider-test" onClick={() => void probe.run(toTest(fields))}>
          {t("provider-test")}
        </button>
        <button type="button" className="btn ghost" onClick={onCancel}>
          {t("provider-cancel")}
        </button>
      </div>
      <Outcome tested={probe.tested} />
      {error === null ? null : <FieldError>{error}</FieldError>}
    </form>
  );
}
