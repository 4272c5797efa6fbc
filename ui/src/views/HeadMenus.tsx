// Which model answers and when a person is asked: shown in the header, changed there.
import { useState } from "react";
import { attempt } from "../actions/trouble";
import type { ModelChoice } from "../bridge/wire";
import { useBridge, useSetup, useStore, useView } from "../feed/hooks";
import { useText, type Translate } from "../l10n/l10n";
import { ChoiceMenu } from "../shared/ChoiceMenu";
import { isStarter, shortModel } from "../shared/model";

/** The last entry of the models: not one of them. */
const MORE = "";

/** The model. */
export function ModelMenu() {
  const t = useText();
  const store = useStore();
  const bridge = useBridge();
  const { openSettings } = useView();
  const { settings } = useSetup();
  const [models, setModels] = useState<readonly ModelChoice[]>([]);
  if (settings === null) return null;
  const now = settings.model ?? null;
  const known = models.map((model) => ({ value: model.id, label: model.chatOnly === true ? shortModel(model.name) : model.name, detail: detailOf(t, model) }));
  // Before they were asked for, and when their provider does not answer, the chosen one still stands in the list.
  const listed = now === null || known.some(({ value }) => value === now) ? known : [{ value: now, label: shortModel(now) }, ...known];
  return (
    <ChoiceMenu
      name={t("model-menu")}
      shown={now === null ? t("model-unset") : shortModel(now)}
      value={now}
      choices={[...listed, { value: MORE, label: t("model-more") }]}
      onOpen={() =>
        attempt(bridge.call("list_models", {}).then((reply) => setModels(reply.models)))
      }
      onChoose={(value) => {
        if (value === MORE) openSettings("models");
        else attempt(bridge.call("set_setting", { key: "agent.model", value }).then(store.setup.take));
      }}
    />
  );
}

function detailOf(t: Translate, { name, provider, local, chatOnly }: ModelChoice): string {
  if (isStarter(name, chatOnly)) return t("model-starter-here");
  return local ? t("model-here", { provider }) : provider;
}

/** When a person is asked. */
export function ApprovalMenu() {
  const t = useText();
  const store = useStore();
  const bridge = useBridge();
  const { settings, health } = useSetup();
  if (settings === null || health === null) return null;
  const choices = [
    { value: "ask", label: t("approvals-ask"), detail: t("approvals-ask-detail") },
    { value: "risky", label: t("approvals-risky"), detail: t("approvals-risky-detail") },
    { value: "off", label: t("approvals-off"), detail: t("approvals-off-detail") },
  ];
  return (
    <ChoiceMenu
      name={t("approvals-menu")}
      shown={choices.find(({ value }) => value === health.approvals)?.label ?? health.approvals}
      value={health.approvals}
      choices={choices}
      onChoose={(value) => attempt(bridge.call("set_setting", { key: "agent.approvals", value }).then(store.setup.take))}
    />
  );
}
