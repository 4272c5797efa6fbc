// What a quit shall do to running processes. The only dialog of the window: the program is about to go.
import { useEffect, useRef } from "react";
import type { QuitChoice } from "../bridge/wire";
import { useText } from "../l10n/l10n";
import { useFocusBack } from "../shared/focusback";
import "./dialog.css";

interface QuitDialogProps {
  processes: number;
  onQuit: (choice: QuitChoice) => void;
  onCancel: () => void;
}

/** The open question. */
export function QuitDialog({ processes, onQuit, onCancel }: QuitDialogProps) {
  const t = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  useFocusBack();
  useEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) element.showModal();
  }, []);
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby="quit-title" data-testid="quit" onCancel={onCancel}>
      <h2 id="quit-title" className="dialog-title">
        {t("quit-title")}
      </h2>
      <p className="t2">{t("quit-running", { count: processes })}</p>
      <div className="dialog-actions">
        <button type="button" className="btn primary" onClick={() => onQuit("leave")} data-testid="quit-leave">
          {t("quit-leave")}
        </button>
        <button type="button" className="btn danger" onClick={() => onQuit("stop")} data-testid="quit-stop">
          {t("quit-stop")}
        </button>
        <span className="grow" />
        <button type="button" className="btn ghost" onClick={onCancel} data-testid="quit-cancel">
          {t("quit-cancel")}
        </button>
      </div>
    </dialog>
  );
}
