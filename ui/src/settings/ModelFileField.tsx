// Where the path of a model's file is typed or chosen, and what there is to know before.
import { useId } from "react";
import { useEngine } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import type { ModelFile } from "./modelFile";
import { FieldError } from "./Row";

/** The field. */
export function ModelFileField({ file, error = null }: { file: ModelFile; error?: string | null }) {
  const t = useText();
  const id = useId();
  const engine = useEngine();
  const wrong = file.error ?? error;
  return (
    <div className="set-fields">
      <div className="set-field">
        <label htmlFor={id}>{t("model-file")}</label>
        <div className="set-file">
          <input
            className="field mono"
            id={id}
            data-testid="model-file-path"
            autoComplete="off"
            spellCheck={false}
            placeholder={t("model-file-example")}
            value={file.path}
            aria-invalid={wrong !== null}
            aria-describedby={wrong === null ? `${id}-hint` : `${id}-error ${id}-hint`}
            onChange={(event) => file.set(event.target.value)}
          />
          {file.browse === null ? null : (
            <button type="button" className="btn" data-testid="model-file-browse" onClick={file.browse}>
              {t("model-file-browse")}
            </button>
          )}
        </div>
        {wrong === null ? null : <FieldError id={`${id}-error`}>{wrong}</FieldError>}
        <p className="set-hint" id={`${id}-hint`}>
          {file.browse === null ? t("model-file-hint-there") : t("model-file-hint")} {engine?.installed === false ? t("engine-absent") : null}
        </p>
      </div>
    </div>
  );
}
