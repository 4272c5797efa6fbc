// A new profile needs a name and nothing else. The window goes there at once.
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { asCallError } from "../bridge/bridge";
import { useStore } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { FieldError } from "../settings/Row";
import { useFocusBack } from "../shared/focusback";
import { goToProfile } from "./goTo";
import "../desktop/dialog.css";
import "../settings/settings.css";
import "./profile.css";

/** The open question. */
export function NewProfile({ onClose }: { onClose: () => void }) {
  const t = useText();
  const id = useId();
  const store = useStore();
  const dialog = useRef<HTMLDialogElement>(null);
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  useFocusBack();
  useEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) element.showModal();
  }, []);
  const create = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (busy) return;
    if (name.trim() === "") return setError(t("profile-nameless"));
    setBusy(true);
    try {
      await store.bridge.call("create_profile", { name: name.trim() });
      await goToProfile(store, name.trim());
    } catch (reason) {
      setError(asCallError(reason).message);
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={`${id}-title`} data-testid="new-profile" onCancel={onClose}>
      <form onSubmit={(event) => void create(event)}>
        <h2 id={`${id}-title`} className="dialog-title">
          {t("profile-new")}
        </h2>
        <p className="t2" id={`${id}-what`}>
          {t("profile-new-what")}
        </p>
        <div className="set-field profile-field">
          <label htmlFor={`${id}-name`}>{t("profile-name")}</label>
          <input
            className="field"
            id={`${id}-name`}
            data-testid="profile-name"
            autoComplete="off"
            spellCheck={false}
            value={name}
            aria-invalid={error !== null}
            aria-describedby={error === null ? `${id}-what` : `${id}-error ${id}-what`}
            onChange={(event) => {
              setName(event.target.value);
              setError(null);
            }}
          />
          {error === null ? null : <FieldError id={`${id}-error`}>{error}</FieldError>}
        </div>
        <div className="dialog-actions">
          <button type="submit" className="btn primary" aria-disabled={busy} data-testid="profile-create">
            {t("profile-create")}
          </button>
          <span className="grow" />
          <button type="button" className="btn ghost" onClick={onClose} data-testid="profile-cancel">
            {t("quit-cancel")}
          </button>
        </div>
      </form>
    </dialog>
  );
}
