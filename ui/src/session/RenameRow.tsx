// A session's title as a field, in the place of its row: Enter saves, Esc goes back, and so does leaving it unchanged.
import { type KeyboardEvent, useEffect, useRef } from "react";
import type { Session } from "../bridge/wire";
import { useText } from "../l10n/l10n";
import { isComposing } from "../shared/keyboard";

interface RenameRowProps {
  session: Session;
  /** The new title; null when it stays as it is. `back`: the row has the focus again. */
  onDone: (title: string | null, back: boolean) => void;
}

/** The field. */
export function RenameRow({ session, onDone }: RenameRowProps) {
  const t = useText();
  const field = useRef<HTMLInputElement>(null);
  const over = useRef(false);
  useEffect(() => {
    over.current = false;
    field.current?.select();
  }, []);
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
