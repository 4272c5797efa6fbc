// What an empty session says while no model is set up: commands work, words need a model.
import { useSetup, useView } from "../feed/hooks";
import { useText } from "../l10n/l10n";

/** Whether words would find nobody. */
export function useNoModel(): boolean {
  const { settings, health } = useSetup();
  return settings !== null && settings.model == null && health !== null && health.model == null;
}

/** The line and the way to the settings. */
export function NoModel() {
  const t = useText();
  const { openSettings } = useView();
  return (
    <>
      <p className="t2" data-testid="no-model">
        {t("no-model-how")}
      </p>
      <button type="button" className="btn" onClick={() => openSettings("models")}>
        {t("no-model-choose")}
      </button>
    </>
  );
}
