// What is done to a process less often, in a list below a button.
import { Check, Ellipsis, type LucideIcon } from "lucide-react";
import { useText } from "../l10n/l10n";
import { useMenu } from "../shared/menu";

/** One line of it. */
export interface MoreItem {
  readonly id: string;
  readonly words: string;
  readonly icon: LucideIcon;
  /** It can be on or off. */
  readonly checked?: boolean;
  run(): void;
}

/** The button and its list. */
export function MoreMenu({ items }: { items: readonly MoreItem[] }) {
  const t = useText();
  const { open, toggle, close, box, button, list } = useMenu(items.length);
  return (
    <div className="choice-menu" ref={box}>
      <button {...button} type="button" className="btn sm ghost ic" aria-label={t("process-more")} title={t("process-more")} onClick={toggle}>
        <Ellipsis className="icon" strokeWidth={1.75} aria-hidden />
      </button>
      {open && (
        <div {...list} className="choice-list" aria-label={t("process-more")}>
          {items.map(({ id: key, words, icon: Icon, checked, run }) => (
            <button
              key={key}
              type="button"
              className="choice"
              tabIndex={-1}
              data-more={key}
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
          ))}
        </div>
      )}
    </div>
  );
}
