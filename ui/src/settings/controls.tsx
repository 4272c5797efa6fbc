// The kinds of rows: yes or no, one of a few, something typed.
import { ChevronDown } from "lucide-react";
import { useState, type KeyboardEvent, type ReactNode, type SelectHTMLAttributes } from "react";
import { useText } from "../l10n/l10n";
import { isComposing } from "../shared/keyboard";
import { Row } from "./Row";
import { useSetting } from "./saved";

/** A native select in the house's clothes. */
export function Select({ children, ...rest }: SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <span className="set-select">
      <select {...rest}>{children}</select>
      <ChevronDown className="icon k" aria-hidden />
    </span>
  );
}

interface OfKey<T> {
  /** The key of the file, dotted. */
  name: string;
  /** The Fluent id of its label. */
  label: string;
  effect: ReactNode;
  held: T;
}

/** Yes or no. */
export function SwitchRow({ name, label, effect, held }: OfKey<boolean>) {
  const setting = useSetting(name, held);
  return (
    <Row
      label={label}
      effect={effect}
      error={setting.error}
      control={({ id, describedBy }) => (
        <button
          type="button"
          role="switch"
          className="set-switch"
          id={id}
          data-testid={`setting-${name}`}
          aria-checked={setting.value}
          aria-describedby={describedBy}
          onClick={() => void setting.change(!setting.value)}
        />
      )}
    />
  );
}

/** One of a few; `choices` are the words of the file and the words for a person. */
export function SelectRow({ name, label, effect, held, choices }: OfKey<string> & { choices: readonly (readonly [string, string])[] }) {
  const setting = useSetting(name, held);
  return (
    <Row
      label={label}
      effect={effect}
      error={setting.error}
      control={({ id, describedBy }) => (
        <Select id={id} data-testid={`setting-${name}`} value={setting.value} aria-describedby={describedBy} onChange={(event) => void setting.change(event.target.value)}>
          {choices.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </Select>
      )}
    />
  );
}

/** A whole number; sent when the field is left or Enter is pressed, and kept as typed while it is wrong. */
export function NumberRow({ name, label, effect, held }: OfKey<number>) {
  const t = useText();
  const setting = useSetting(name, held);
  const typed = useTyped(String(held), (text) => {
    if (/^\d{1,9}$/.test(text)) return setting.change(Number(text));
    setting.refuse(t("settings-number", { old: held }));
    return Promise.resolve(false);
  }, () => setting.refuse(null));
  return (
    <Row
      label={label}
      effect={effect}
      error={setting.error}
      control={({ id, describedBy, invalid }) => (
        <input className="field num set-number" id={id} data-testid={`setting-${name}`} inputMode="numeric" autoComplete="off" aria-describedby={describedBy} aria-invalid={invalid} {...typed} />
      )}
    />
  );
}

/** What a typed field needs: `send` answers whether the text was taken, `forget` hears that the person gave it up. */
export function useTyped(held: string, send: (text: string) => Promise<boolean>, forget: () => void) {
  const [draft, setDraft] = useState<string | null>(null);
  const commit = (): void => {
    if (draft === null) return;
    const text = draft.trim();
    if (text === held) {
      setDraft(null);
      forget();
      return;
    }
    void send(text).then((taken) => {
      if (taken) setDraft(null);
    });
  };
  return {
    value: draft ?? held,
    onChange: (event: { target: { value: string } }) => setDraft(event.target.value),
    onBlur: commit,
    onKeyDown: (event: KeyboardEvent) => {
      if (isComposing(event)) return;
      if (event.key === "Enter") {
        event.preventDefault();
        commit();
      } else if (event.key === "Escape" && draft !== null) {
        event.preventDefault();
        setDraft(null);
        forget();
      }
    },
  };
}
