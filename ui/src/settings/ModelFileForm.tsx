// Adding a model by its file, or choosing another file, in its place in the list.
import { useContext, useState, type FormEvent } from "react";
import { asCallError } from "../bridge/bridge";
import type { ProviderSetting } from "../bridge/wire";
import { useBridge, useSetup, useStore } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { asFileProvider, useModelFile } from "./modelFile";
import { ModelFileField } from "./ModelFileField";
import { SavedContext } from "./saved";

interface FormProps {
  held: ProviderSetting | null;
  onDone: () => void;
}

/** The form. The gateway looks at the file before it is saved, and names its fault. */
export function ModelFileForm({ held, onDone }: FormProps) {
  const t = useText();
  const bridge = useBridge();
  const store = useStore();
  const told = useContext(SavedContext);
  const taken = useSetup().settings?.providers.map(({ name }) => name) ?? [];
  const [error, setError] = useState<string | null>(null);
  const file = useModelFile(held?.models[0] ?? "", () => setError(null));
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (file.path.trim() === "") {
      setError(t("model-file-missing"));
      return;
    }
    try {
      const { settings } = await bridge.call("put_provider", asFileProvider(file.path, held, taken));
      store.setup.take(settings);
      told();
      onDone();
    } catch (reason) {
      setError(asCallError(reason).message);
    }
  };
  return (
    <form className="set-form" aria-label={held === null ? t("model-file-add") : t("provider-edit-of", { name: held.name })} onSubmit={(event) => void save(event)}>
      <ModelFileField file={file} error={error} />
      <div className="set-actions">
        <button type="submit" className="btn primary" data-testid="model-file-save">
          {t("model-file-save")}
        </button>
        <button type="button" className="btn ghost" onClick={onDone}>
          {t("provider-cancel")}
        </button>
      </div>
    </form>
  );
}
