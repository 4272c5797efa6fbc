// The small field of an answer that needs words: a pattern, or a reason. It opens in the card and only when it is asked
// for, so it may take the focus.
import { type KeyboardEvent, useEffect, useId, useRef } from "react";
import { useText } from "../l10n/l10n";
import { isComposing } from "../shared/keyboard";

interface AnswerFieldProps {
  label: string;
  send: string;
  /** What stands in it at first. */
  initial: string;
  /** What it holds is code. */
  mono: boolean;
  /** Sending is the view's main act. */
  ink: boolean;
  /** A press would not count now. */
  dead: boolean;
  trouble: string;
  /** Enter, or a press of the button; a press says so, because it may have hit something that moved. */
  onSend: (words: string, pressed: boolean) => void;
  onBack: () => void;
}

/** The field, its button, and what went wrong with it. */
export function AnswerField({ label, send, initial, mono, ink, dead, trouble, onSend, onBack }: AnswerFieldProps) {
  const t = useText();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (pressed: boolean) => onSend(field.current?.value.trim() ?? "", pressed);
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Enter") {
      event.preventDefault();
      if (!event.repeat) submit(false);
    } else if (event.key === "Escape") {
      // It closes this field and stops nothing else.
      event.preventDefault();
      onBack();
    }
  };
  return (
    <div className="approval-form">
      <label className="approval-label" htmlFor={id}>
        {label}
      </label>
      <div className="approval-line">
        <input
          ref={field}
          id={id}
          className={mono ? "approval-field approval-field-mono" : "approval-field"}
          defaultValue={initial}
          autoComplete="off"
          spellCheck={!mono}
          aria-invalid={trouble !== ""}
          aria-describedby={trouble === "" ? undefined : `${id}-trouble`}
          onKeyDown={onKeyDown}
        />
        <button type="button" className={ink ? "btn primary" : "btn"} aria-disabled={dead} onClick={() => submit(true)}>
          {send} <kbd>Enter</kbd>
        </button>
        <button type="button" className="btn ghost" onClick={onBack}>
          {t("approval-back")} <kbd>Esc</kbd>
        </button>
      </div>
      {trouble !== "" && (
        <p id={`${id}-trouble`} className="approval-trouble" role="alert">
          {trouble}
        </p>
      )}
    </div>
  );
}
