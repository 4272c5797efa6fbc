// Which model answers.
import { useEffect, useState } from "react";
import { asCallError } from "../bridge/bridge";
import type { ListModelsReply, Settings } from "../bridge/wire";
import { useBridge } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { isStarter, shortModel } from "../shared/model";
import { Select } from "./controls";
import { FieldError, Row } from "./Row";
import { useSetting } from "./saved";

/** The choice, by provider. */
export function ModelRow({ settings }: { settings: Settings }) {
  const t = useText();
  const setting = useSetting("agent.model", settings.model ?? "");
  const { list, error } = useModels(settings);
  const models = list?.models ?? [];
  const unlisted = setting.value !== "" && !models.some(({ id }) => id === setting.value);
  return (
    <>
      <Row
        label="set-model"
        effect={models.find(({ id }) => id === setting.value)?.local === true ? t("set-model-local") : t("set-model-effect")}
        error={setting.error}
        control={({ id, describedBy }) => (
          <Select id={id} data-testid="setting-agent.model" value={setting.value} aria-describedby={describedBy} onChange={(event) => void setting.change(event.target.value)}>
            {setting.value === "" ? <option value="">{t("set-model-none")}</option> : null}
            {unlisted ? <option value={setting.value}>{setting.value}</option> : null}
            {[...new Set(models.map(({ provider }) => provider))].map((provider) => (
              <optgroup key={provider} label={provider}>
                {models
                  .filter((model) => model.provider === provider)
                  .map((model) => (
                    <option key={model.id} value={model.id}>
                      {isStarter(model.name, model.chatOnly) ? t("model-starter", { name: model.name }) : model.chatOnly === true ? shortModel(model.name) : model.name}
                    </option>
                  ))}
              </optgroup>
            ))}
          </Select>
        )}
      />
      {error === null ? null : <FieldError>{error}</FieldError>}
      {list?.failures.map((failure) => (
        <FieldError key={failure.provider}>{t("models-failed", { provider: failure.provider, reason: failure.message })}</FieldError>
      ))}
    </>
  );
}

/** Every model of every provider; asked again when the providers are others. */
function useModels(settings: Settings): { list: ListModelsReply | null; error: string | null } {
  const bridge = useBridge();
  const [state, setState] = useState<{ list: ListModelsReply | null; error: string | null }>({ list: null, error: null });
  const providers = JSON.stringify(settings.providers);
  useEffect(() => {
    let current = true;
    bridge.call("list_models", {}).then(
      (list) => {
        if (current) setState({ list, error: null });
      },
      (reason: unknown) => {
        if (current) setState({ list: null, error: asCallError(reason).message });
      },
    );
    return () => {
      current = false;
    };
  }, [bridge, providers]);
  return state;
}
