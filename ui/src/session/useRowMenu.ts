// The menu of the rows: where it is open, what was chosen, and what came of it.
import { type KeyboardEvent, type MouseEvent, type RefObject, useRef, useState } from "react";
import type { Session } from "../bridge/wire";
import { useBridge, useStore } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { isComposing } from "../shared/keyboard";
import type { Typed } from "./RenameRow";
import type { RowAction } from "./RowMenu";
import { closeSession, copyTranscript, moveToEarlier, muteSession, renameSession, type RowNote, sessionAnew } from "./rowActions";

interface Open {
  readonly session: Session;
  readonly at: { readonly x: number; readonly y: number };
}

/** The state of the menu, and how to drive it. */
export interface RowMenuState {
  readonly open: Open | null;
  /** The session whose title is a field now. */
  readonly renaming: string | null;
  /** What was typed into that field, while it is in no place. */
  readonly typed: RefObject<Typed | null>;
  readonly note: RowNote | null;
  /** Answers whether the key was the menu's. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
  readonly onContextMenu: (event: MouseEvent) => void;
  readonly act: (action: RowAction) => void;
  readonly close: (back: boolean) => void;
  readonly rename: (session: Session, title: string | null, back: boolean) => void;
  /** What was said is read. */
  readonly calm: () => void;
}

/** Drives the menu of the rows within `list`. */
export function useRowMenu(list: RefObject<HTMLElement | null>, sessions: readonly Session[]): RowMenuState {
  const t = useText();
  const bridge = useBridge();
  const store = useStore();
  const [open, setOpen] = useState<Open | null>(null);
  const [renaming, setRenaming] = useState<string | null>(null);
  const typed = useRef<Typed | null>(null);
  const [note, setNote] = useState<RowNote | null>(null);
  const show = (row: HTMLElement | null, at: Open["at"]): boolean => {
    const session = sessions.find((one) => one.sessionId === row?.dataset["sessionId"]);
    if (session === undefined) return false;
    setNote(null);
    setOpen({ session, at });
    return true;
  };
  /** The row may only just come back, so it is looked for when it is drawn. */
  const focusRow = (sessionId: string) => {
    requestAnimationFrame(() => {
      const rows = [...(list.current?.querySelectorAll<HTMLElement>(".session-row") ?? [])];
      rows.find((row) => row.dataset["sessionId"] === sessionId)?.focus();
    });
  };
  const tell = (work: Promise<RowNote | null>) => void work.then(setNote);
  return {
    open,
    renaming,
    typed,
    note,
    onKeyDown: (event) => {
      const asked = event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey) || (event.key === "." && isPlain(event));
      if (!asked || isComposing(event) || !(event.target instanceof HTMLElement)) return false;
      const row = event.target.closest<HTMLElement>(".session-row");
      const { left, bottom } = row?.getBoundingClientRect() ?? { left: 0, bottom: 0 };
      if (!show(row, { x: left + 24, y: bottom })) return false;
      event.preventDefault();
      return true;
    },
    onContextMenu: (event) => {
      const row = event.target instanceof HTMLElement || event.target instanceof SVGElement ? event.target.closest<HTMLElement>(".session-row") : null;
      if (show(row, { x: event.clientX, y: event.clientY })) event.preventDefault();
    },
    act: (action) => {
      const session = open?.session;
      if (session === undefined) return;
      if (action === "rename") {
        typed.current = null;
        return setRenaming(session.sessionId);
      }
      if (action === "anew") return tell(sessionAnew(store, session, t));
      if (action === "close") return tell(closeSession(bridge, session, t));
      if (action === "mute") tell(muteSession(bridge, session, t));
      else if (action === "copy") tell(copyTranscript(bridge, session, t));
      else tell(moveToEarlier(bridge, session, t));
    },
    close: (back) => {
      if (back && open !== null) focusRow(open.session.sessionId);
      setOpen(null);
    },
    rename: (session, title, back) => {
      setRenaming(null);
      if (back) focusRow(session.sessionId);
      if (title !== null) tell(renameSession(bridge, session, title, t));
    },
    calm: () => setNote(null),
  };
}

function isPlain(event: KeyboardEvent): boolean {
  return !event.ctrlKey && !event.altKey && !event.metaKey;
}
