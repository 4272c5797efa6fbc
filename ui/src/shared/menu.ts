// A short list that lies over the window: what opens it, what closes it, and where the focus is meanwhile and afterwards.
import { type KeyboardEvent, type RefObject, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { moveFocus } from "./keyboard";
import "./choicemenu.css";

const LINE = ".choice";
const CHOSEN = "[role=menuitemradio][aria-checked=true]";

/** What the element of an open list needs. Its lines are of the class `choice`. */
export interface MenuList {
  readonly role: "menu";
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** The state of one below its button, and what its elements need. */
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
  readonly list: MenuList & { readonly id: string };
}

/** A menu of so many lines below a button. */
export function useMenu(lines: number): Menu {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const close = (back: boolean): void => {
    setOpen(false);
    if (back) button.current?.focus();
  };
  const list = useMenuList({ box, open, lines, close });
  return {
    open,
    toggle: () => setOpen(!open),
    close,
    box,
    button: { ref: button, "aria-haspopup": "menu", "aria-expanded": open, "aria-controls": open ? id : undefined },
    list: { ...list, id },
  };
}

/** A menu of so many lines, wherever it was asked for. A press outside `box` closes it; `back`: by a key. */
export function useMenuList({ box, open, lines, close }: { box: RefObject<HTMLElement | null>; open: boolean; lines: number; close: (back: boolean) => void }): MenuList {
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
  }, [box, open, lines]);
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
  return { role: "menu", onKeyDown };
}

/** To what is chosen, which may come late; otherwise to the first line, unless somebody is at one already. */
function focusLine(box: HTMLElement | null): void {
  const chosen = box?.querySelector<HTMLElement>(CHOSEN);
  const isThere = document.activeElement?.matches(LINE) === true && box?.contains(document.activeElement) === true;
  if (chosen != null) chosen.focus();
  else if (!isThere) box?.querySelector<HTMLElement>(LINE)?.focus();
}
