// A button that opens a short list of choices below it; the one that applies is marked.
import { Check, ChevronDown } from "lucide-react";
import { useMenu } from "./menu";

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
  const { open, toggle, close, box, button, list } = useMenu(choices.length);
  return (
    <div className="choice-menu" ref={box}>
      <button
        {...button}
        type="button"
        className="btn ghost"
        aria-label={`${name}: ${shown}`}
        onClick={() => {
          if (!open) onOpen?.();
          toggle();
        }}
      >
        <span className="cut">{shown}</span>
        <ChevronDown className="icon k" aria-hidden />
      </button>
      {open ? (
        <div {...list} className="choice-list" aria-label={name}>
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
