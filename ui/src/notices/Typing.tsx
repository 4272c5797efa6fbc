// A process that stands still until somebody types, in the list of notices.
import type { Process } from "../bridge/wire";
import { useSession, useStore } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { Glyph } from "../shared/Glyph";
import type { RowProps } from "./rows";

/** One row. */
export function Typing({ process, stop, onClose }: RowProps & { process: Process }) {
  const t = useText();
  const store = useStore();
  const title = useSession(process.sessionId)?.title ?? "";
  return (
    <article className="notice" data-notice tabIndex={stop ? 0 : -1} data-waits={process.processId}>
      <Glyph name="needs" />
      <div className="notice-text">
        <p className="notice-what">{t("notices-input")}</p>
        <p className="t2 small cut">{title}</p>
        <p className="notice-command notice-one" title={process.command}>
          {process.command}
        </p>
        <div className="notice-actions">
          <button
            type="button"
            className="btn sm"
            onClick={() => {
              onClose();
              store.openSession(process.sessionId);
              store.openProcess(process.processId);
            }}
          >
            {t("notices-open")}
          </button>
        </div>
      </div>
    </article>
  );
}
