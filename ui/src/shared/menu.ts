// A short list below its button: what opens it, what closes it, and where the focus is meanwhile and afterwards.
import { type KeyboardEvent, type RefObject, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { moveFocus } from "./keyboard";
import "./choicemenu.css";

const LINE = ".choice";
const CHOSEN = "[role=menuitemradio][aria-checked=true]";

/** The state of one, and what its elements need. The lines of the list are of the class `choice`. */
export interface Menu {
  readonly open: boolean;
  readonly toggle: () => void;
  /** Closes it; `back` gives the focus to the button again. */
  readonly close: (back: boolean) => void;
  /** Around the button and the list. */
  readonly box: RefObject<HTMLDivElement | null>;
  readonly button: {
    readonly ref: RefObject<HTMLButtonElement | null>;
    readonly "aria-haspopup": "menu";
    readonly "aria-expanded": boolean;
    readonly "aria-controls": string | undefined;
  };
  readonly list: { readonly id: string; readonly role: "menu"; readonly onKeyDown: (event: KeyboardEvent) => void };
}

/** A menu of so many lines. */
export function useMenu(lines: number): Menu {
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
  const onKey = useEffectEvent((event: globalThis.KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    close(true);
  });
  useEffect(() => {
    if (open) focusLine(box.current);
  }, [open, lines]);
  useEffect(() => {
    if (!open) return undefined;
    const away = (event: Event): void => onAway(event);
    const key = (event: globalThis.KeyboardEvent): void => onKey(event);
    // Before the window's own Escape, wherever the focus is.
    window.addEventListener("keydown", key, { capture: true });
    window.addEventListener("pointerdown", away, { capture: true });
    window.addEventListener("blur", away);
    return () => {
      window.removeEventListener("keydown", key, { capture: true });
      window.removeEventListener("pointerdown", away, { capture: true });
      window.removeEventListener("blur", away);
    };
  }, [open]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Tab") return moveFocus(event, box.current, LINE);
    event.preventDefault();
    event.stopPropagation();
    close(true);
  };
  return {
    open,
    toggle: () => setOpen(!open),
    close,
    box,
    button: { ref: button, "aria-haspopup": "menu", "aria-expanded": open, "aria-controls": open ? id : undefined },
    list: { id, role: "menu", onKeyDown },
  };
}

/** To what is chosen, which may come late; otherwise to the first line, unless somebody is at one already. */
function focusLine(box: HTMLElement | null): void {
  const chosen = box?.querySelector<HTMLElement>(CHOSEN);
  const isThere = document.activeElement?.matches(LINE) === true && box?.contains(document.activeElement) === true;
  if (chosen != null) chosen.focus();
  else if (!isThere) box?.querySelector<HTMLElement>(LINE)?.focus();
}
