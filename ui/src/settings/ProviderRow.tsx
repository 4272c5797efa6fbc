// One provider: what it is, whether it has its key, and what a test says.
import { useContext, useState } from "react";
import { asCallError } from "../bridge/bridge";
import type { KeyPlace, ProviderSetting } from "../bridge/wire";
import { useBridge, useStore } from "../feed/hooks";
import { useText, type Translate } from "../l10n/l10n";
import { EngineState } from "./EngineState";
import { ModelFileForm } from "./ModelFileForm";
import { Outcome, useProbe } from "./probe";
import { ProviderForm } from "./ProviderForm";
import { placeWords } from "./ProviderFields";
import { FieldError } from "./Row";
import { SavedContext } from "./saved";

interface RowProps {
  provider: ProviderSetting;
  editing: boolean;
  /** Where its key was put a moment ago. */
  keyPlace: KeyPlace | null;
  onEdit: () => void;
  onDone: (name: string | null, keyPlace: KeyPlace | null) => void;
}

/** The row, or the form in its place. */
export function ProviderRow({ provider, editing, keyPlace, onEdit, onDone }: RowProps) {
  const t = useText();
  const probe = useProbe();
  const [removing, setRemoving] = useState(false);
  const { name, baseUrl } = provider;
  const isFile = provider.kind === "embedded";
  // It stands in no file, so nothing there can be changed.
  const isBuiltIn = provider.builtIn === true;
  return (
    <li className="set set-provider" data-testid={`provider-${name}`}>
      {editing && isFile ? (
        <ModelFileForm held={provider} onDone={() => onDone(name, null)} />
      ) : editing ? (
        <ProviderForm held={provider} onSaved={(saved, place) => onDone(saved, place)} onCancel={() => onDone(null, null)} />
      ) : (
        <>
          <div className="set-what">
            <p className="set-label">
              {name} <span className="set-kind">{kindWords(t, provider.kind)}</span>
            </p>
            {isBuiltIn ? (
              <p className="set-effect">{t("built-in-note")}</p>
            ) : (
              (isFile ? provider.models : [baseUrl]).map((place) => (
                <p key={place} className="set-effect mono cut" title={place}>
                  {place}
                </p>
              ))
            )}
            {isFile ? (
              <EngineState provider={provider} />
            ) : (
              <p className="set-effect">
                {keyWords(t, provider)}
                {keyPlace === null ? null : ` ${placeWords(t, keyPlace)}`}
              </p>
            )}
          </div>
          <div className="set-control">
            <button type="button" className="btn sm" data-testid="provider-test" aria-label={t("provider-test-of", { name })} onClick={() => void probe.run({ name })}>
              {t("provider-test")}
            </button>
            {isBuiltIn ? null : (
              <>
                <button type="button" className="btn sm ghost" aria-label={t("provider-edit-of", { name })} onClick={onEdit}>
                  {t("provider-edit")}
                </button>
                <button type="button" className="btn sm ghost" aria-label={t("provider-remove-of", { name })} aria-expanded={removing} onClick={() => setRemoving(!removing)}>
                  {t("provider-remove")}
                </button>
              </>
            )}
          </div>
          {provider.keyProblem == null ? null : <FieldError>{provider.keyProblem}</FieldError>}
          <Outcome tested={probe.tested} isFile={isFile} />
          {removing ? <Removal provider={provider} onKeep={() => setRemoving(false)} /> : null}
        </>
      )}
    </li>
  );
}

function Removal({ provider: { name, key }, onKeep }: { provider: ProviderSetting; onKeep: () => void }) {
  const t = useText();
  const bridge = useBridge();
  const store = useStore();
  const onSaved = useContext(SavedContext);
  const [error, setError] = useState<string | null>(null);
  const remove = async (): Promise<void> => {
    try {
      store.setup.take(await bridge.call("remove_provider", { name }));
      onSaved();
    } catch (reason) {
      setError(asCallError(reason).message);
    }
  };
  return (
    <div className="set-ask">
      <span>{key === "stored" ? t("provider-remove-ask-key", { name }) : t("provider-remove-ask", { name })}</span>
      <button type="button" className="btn sm danger" data-testid="provider-remove" onClick={() => void remove()}>
        {t("provider-remove-of", { name })}
      </button>
      <button type="button" className="btn sm ghost" onClick={onKeep}>
        {t("provider-keep")}
      </button>
      {error === null ? null : <FieldError>{error}</FieldError>}
    </div>
  );
}

function kindWords(t: Translate, kind: string): string {
  switch (kind) {
    case "openai":
      return t("kind-openai");
    case "ollama":
      return t("kind-ollama");
    case "embedded":
      return t("kind-embedded");
    default:
      return t("kind-compatible");
  }
}

function keyWords(t: Translate, { key, keyEnv }: ProviderSetting): string {
  switch (key) {
    case "stored":
      return t("provider-has-key");
    case "env":
      return t("provider-has-env", { name: keyEnv ?? "" });
    default:
      return t("provider-has-none");
  }
}
