// The lines of a menu whose every line does something: a glyph and what it does.
import { Check, type LucideIcon } from "lucide-react";

/** One line. */
export interface MenuLine {
  readonly id: string;
  readonly words: string;
  readonly icon: LucideIcon;
  /** It can be on or off. */
  readonly checked?: boolean;
  run(): void;
}

/** All of them. The menu is closed before a line is carried out. */
export function MenuLines({ lines, close }: { lines: readonly MenuLine[]; close: (back: boolean) => void }) {
  return lines.map(({ id, words, icon: Icon, checked, run }) => (
    <button
      key={id}
      type="button"
      className="choice"
      tabIndex={-1}
      role={checked === undefined ? "menuitem" : "menuitemcheckbox"}
      aria-checked={checked}
      onClick={() => {
        close(true);
        run();
      }}
    >
      {checked === true ? <Check className="icon k" aria-hidden /> : <Icon className="icon k" strokeWidth={1.75} aria-hidden />}
      <span className="cut">{words}</span>
    </button>
  ));
}
