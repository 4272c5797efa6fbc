// What is done to a process less often, in a list below a button.
import { Check, Ellipsis, type LucideIcon } from "lucide-react";
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { useText } from "../l10n/l10n";
import { moveFocus } from "../shared/keyboard";
import "../shared/choicemenu.css";

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
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const close = (back: boolean) => {
    setOpen(false);
    if (back) button.current?.focus();
  };
  const onAway = useEffectEvent((event: Event) => {
    if (!(event.target instanceof Node) || box.current?.contains(event.target) !== true) close(false);
  });
  useEffect(() => {
    if (!open) return undefined;
    box.current?.querySelector<HTMLElement>(".choice")?.focus();
    const away = (event: Event): void => onAway(event);
    window.addEventListener("pointerdown", away, { capture: true });
    window.addEventListener("blur", away);
    return () => {
      window.removeEventListener("pointerdown", away, { capture: true });
      window.removeEventListener("blur", away);
    };
  }, [open]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" && event.key !== "Tab") return moveFocus(event, box.current, ".choice");
    event.preventDefault();
    event.stopPropagation();
    close(true);
  };
  return (
    <div className="choice-menu" ref={box}>
      <button
        ref={button}
        type="button"
        className="btn sm ghost ic"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={t("process-more")}
        title={t("process-more")}
        onClick={() => setOpen(!open)}
      >
        <Ellipsis className="icon" strokeWidth={1.75} aria-hidden />
      </button>
      {open && (
        <div id={id} className="choice-list" role="menu" aria-label={t("process-more")} onKeyDown={onKeyDown}>
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
