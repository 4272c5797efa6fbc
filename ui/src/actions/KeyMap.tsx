// The map of the keys, under "?".
import { useEffect, useRef } from "react";
import { useText } from "../l10n/l10n";
import { Keyboard } from "../settings/Keyboard";
import { useFocusBack } from "../shared/focusback";
import "../desktop/dialog.css";

/** The open map. */
export function KeyMap({ onClose }: { onClose: () => void }) {
  const t = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  useFocusBack();
  useEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) element.showModal();
  }, []);
  return (
    <dialog ref={dialog} className="dialog keys" aria-labelledby="keys-title" data-testid="key-map" onCancel={onClose}>
      <header className="dialog-head">
        <h2 id="keys-title" className="dialog-title">
          {t("keys-title")}
        </h2>
        <span className="grow" />
        <button type="button" className="btn sm" autoFocus onClick={onClose}>
          {t("keys-close")}
        </button>
      </header>
      <div className="dialog-body">
        <Keyboard />
      </div>
    </dialog>
  );
}
