// A button that opens a short list of choices below it; the one that applies is marked.
import { Check, ChevronDown } from "lucide-react";
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { moveFocus } from "./keyboard";
import "./choicemenu.css";

/** One choice. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  /** What it means, on a second line. */
  readonly detail?: string;
}

interface ChoiceMenuProps {
  /** What is chosen here, for readers. */
  name: string;
  shown: string;
  value: string | null;
  choices: readonly Choice[];
  onOpen?: () => void;
  onChoose: (value: string) => void;
}

/** The button and its list. */
export function ChoiceMenu({ name, shown, value, choices, onOpen, onChoose }: ChoiceMenuProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const close = (back: boolean): void => {
    setOpen(false);
    if (back) button.current?.focus();
  };
  const onAway = useEffectEvent((event: Event) => {
    if (!(event.target instanceof Node) || box.current?.contains(event.target) !== true) close(false);
  });
  useEffect(() => {
    if (!open) return undefined;
    const list = box.current;
    (list?.querySelector<HTMLElement>("[aria-checked=true]") ?? list?.querySelector<HTMLElement>("[role=menuitemradio]"))?.focus();
    const away = (event: Event): void => onAway(event);
    window.addEventListener("pointerdown", away, { capture: true });
    window.addEventListener("blur", away);
    return () => {
      window.removeEventListener("pointerdown", away, { capture: true });
      window.removeEventListener("blur", away);
    };
  }, [open, choices.length]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      event.stopPropagation();
      close(true);
    } else moveFocus(event, box.current, "[role=menuitemradio]");
  };
  return (
    <div className="choice-menu" ref={box}>
      <button
        ref={button}
        type="button"
        className="btn ghost"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={`${name}: ${shown}`}
        onClick={() => {
          if (!open) onOpen?.();
          setOpen(!open);
        }}
      >
        <span className="cut">{shown}</span>
        <ChevronDown className="icon k" aria-hidden />
      </button>
      {open ? (
        <div id={id} className="choice-list" role="menu" aria-label={name} onKeyDown={onKeyDown}>
          {choices.map((choice) => (
            <button
              key={choice.value}
              type="button"
              role="menuitemradio"
              aria-checked={choice.value === value}
              tabIndex={-1}
              className="choice"
              onClick={() => {
                close(true);
                onChoose(choice.value);
              }}
            >
              {choice.value === value ? <Check className="icon k" aria-hidden /> : <span />}
              <span className="cut">{choice.label}</span>
              {choice.detail === undefined ? null : <span className="choice-detail">{choice.detail}</span>}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  );
}
