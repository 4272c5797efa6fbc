// One waiting message.
import { CornerDownLeft, Pencil, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import type { Queued } from "../bridge/wire";
import { useText } from "../l10n/l10n";
import { isComposing } from "../shared/keyboard";
import { prefill } from "./drafts";
import { editQueued } from "./queueEdit";
import type { RunQueue } from "./QueueCards";
import type { Sorting } from "./sorting";

interface QueueCardProps {
  sessionId: string;
  message: Queued;
  at: number;
  many: number;
  editing: boolean;
  sorting: Sorting;
  run: RunQueue;
  onStep: (step: 1 | -1) => void;
  /** What can be done with it first. */
  children: ReactNode;
}

/** The 34 px row; while it is changed, its words are a field. */
export function QueueCard({ sessionId, message, at, many, editing, sorting, run, onStep, children }: QueueCardProps) {
  const t = useText();
  const { admissionId, text } = message;
  const { dragging } = sorting;
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    onStep(event.key === "ArrowUp" ? -1 : 1);
  };
  return (
    <li
      className={dragging?.from === at ? "queue-card queue-held" : "queue-card"}
      data-admission-id={admissionId}
      data-drop={dragging === null ? undefined : dragging.to === at ? "before" : dragging.to === many && at === many - 1 ? "after" : undefined}
      title={many > 1 && !editing ? t("queue-sort-how") : undefined}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => sorting.onPointerDown(event, at)}
      onPointerMove={sorting.onPointerMove}
      onPointerUp={sorting.onPointerUp}
      onPointerCancel={sorting.onPointerCancel}
    >
      <CornerDownLeft className="icon" strokeWidth={1.75} aria-hidden />
      <span className="queue-tag">{t("queued")}</span>
      {editing ? (
        <Words sessionId={sessionId} message={message} run={run} />
      ) : (
        <>
          <span className="queue-text" title={text} dir="auto">
            {text}
          </span>
          {children}
          <button type="button" className="btn sm ghost ic" data-act="edit" aria-label={t("queue-edit")} title={t("queue-edit")} onClick={() => editQueued(admissionId)}>
            <Pencil className="icon k" strokeWidth={1.75} aria-hidden />
          </button>
          <button type="button" className="btn sm ghost ic" data-act="remove" aria-label={t("queue-remove")} title={t("queue-remove")} onClick={() => void run("remove_queued", { admissionId })}>
            <X className="icon k" strokeWidth={1.75} aria-hidden />
          </button>
        </>
      )}
    </li>
  );
}

/** The words as a field: Enter saves, Esc goes back. Either way the composer is where one goes on. */
function Words({ sessionId, message, run }: { sessionId: string; message: Queued; run: RunQueue }) {
  const t = useText();
  const field = useRef<HTMLTextAreaElement>(null);
  const unsaved = useRef<string | null>(null);
  // Where the message was sent under somebody's hands, what they had changed goes on in the composer.
  useEffect(() => {
    return () => {
      if (unsaved.current !== null) prefill(sessionId, unsaved.current);
    };
  }, [sessionId]);
  useEffect(() => {
    const element = field.current;
    element?.focus();
    element?.setSelectionRange(element.value.length, element.value.length);
  }, []);
  const close = () => {
    const composer = field.current?.closest(".dock")?.querySelector<HTMLElement>(".composer-text");
    unsaved.current = null;
    editQueued(null);
    composer?.focus();
  };
  const save = async () => {
    const text = field.current?.value.trim() ?? "";
    if (text === "" || text === message.text) return close();
    if (await run("edit_queued", { admissionId: message.admissionId, text })) close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (!event.repeat) void save();
    } else if (event.key === "Escape") {
      // It closes this field and stops no turn.
      event.preventDefault();
      close();
    }
  };
  return (
    <textarea
      ref={field}
      className="queue-field"
      rows={1}
      dir="auto"
      defaultValue={message.text}
      aria-label={t("queue-edit-label")}
      onInput={(event) => {
        const text = event.currentTarget.value;
        unsaved.current = text.trim() === "" || text === message.text ? null : text;
      }}
      onKeyDown={onKeyDown}
    />
  );
}
