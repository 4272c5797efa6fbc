// A session's title as a field, in the place of its row: Enter saves, Esc goes back, and so does leaving it unchanged.
import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from "react";
import type { Session } from "../bridge/wire";
import { useText } from "../l10n/l10n";
import { isComposing } from "../shared/keyboard";

/** What stands in the field, and what of it is selected. */
export interface Typed {
  readonly words: string;
  readonly from: number | null;
  readonly to: number | null;
}

interface RenameRowProps {
  session: Session;
  /** Outlives the field: the row goes to another place whenever the session's group changes. */
  typed: RefObject<Typed | null>;
  /** The new title; null when it stays as it is. `back`: the row has the focus again. */
  onDone: (title: string | null, back: boolean) => void;
}

/** The field. */
export function RenameRow({ session, typed, onDone }: RenameRowProps) {
  const t = useText();
  const field = useRef<HTMLInputElement>(null);
  const over = useRef(false);
  useLayoutEffect(() => {
    const input = field.current;
    if (input === null) return undefined;
    over.current = false;
    input.focus();
    if (typed.current === null) input.select();
    else {
      input.value = typed.current.words;
      input.setSelectionRange(typed.current.from, typed.current.to);
    }
    return () => {
      typed.current = { words: input.value, from: input.selectionStart, to: input.selectionEnd };
    };
  }, [typed]);
  const done = (save: boolean, back: boolean) => {
    if (over.current) return;
    over.current = true;
    const title = field.current?.value.trim() ?? "";
    onDone(save && title !== "" && title !== session.title ? title : null, back);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // The list's own keys are letters here.
    event.stopPropagation();
    if (isComposing(event) || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.preventDefault();
    done(event.key === "Enter", true);
  };
  return (
    <input
      ref={field}
      className="session-rename"
      defaultValue={session.title}
      maxLength={200}
      aria-label={t("session-rename-label")}
      autoComplete="off"
      onKeyDown={onKeyDown}
      onBlur={() => done(true, false)}
    />
  );
}
