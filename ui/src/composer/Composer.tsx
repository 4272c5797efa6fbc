// Where a person types. The text field keeps its own text: what an input method writes into it is never overwritten by
// a render.
import { ArrowUp } from "lucide-react";
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { SendMode } from "../bridge/wire";
import { useBridge, useSession, useStore } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { claimInk } from "../shared/ink";
import { isComposing } from "../shared/keyboard";
import { draftOf, keepDraft, onPrefill, takeNew } from "./drafts";
import { meaning } from "./enter";
import { historyOf, NOWHERE, step } from "./history";
import { send } from "./outbox";
import { goOn } from "./goOn";
import { editQueued } from "./queueEdit";

/** The text field with its bar. */
export function Composer({ sessionId }: { sessionId: string }) {
  const t = useText();
  const bridge = useBridge();
  const store = useStore();
  const session = useSession(sessionId);
  const running = session?.runningTurnId != null;
  const recalled = useRef(NOWHERE);
  const field = useRef<HTMLTextAreaElement>(null);
  const [filled, setFilled] = useState(() => draftOf(sessionId).trim() !== "");
  const [focused, setFocused] = useState(false);

  const put = (text: string) => {
    const element = field.current;
    if (element === null) return;
    element.value = text;
    keepDraft(sessionId, text);
    fit(element);
    setFilled(text.trim() !== "");
  };
  useEffect(() => {
    return onPrefill(sessionId, (text, focus) => {
      const element = field.current;
      if (element === null) return;
      element.value = text;
      fit(element);
      setFilled(text.trim() !== "");
      if (focus) element.focus();
    });
  }, [sessionId]);
  useLayoutEffect(() => {
    if (field.current === null) return;
    fit(field.current);
    // Whoever opened this session just now wants to write in it.
    if (takeNew(sessionId)) field.current.focus();
  }, [sessionId]);
  const ink = filled && focused;
  useEffect(() => {
    claimInk(ink);
    return () => claimInk(false);
  }, [ink]);

  const submit = (mode: SendMode) => {
    const text = field.current?.value ?? "";
    if (text.trim() === "") return;
    put("");
    void send(bridge, { sessionId, text, mode }).then((reply) => {
      // Whatever was typed meanwhile stays; the words that were not taken stand above the composer then.
      if (reply === null && field.current?.value === "") put(text);
      if (reply !== null) goOn(store, sessionId, reply);
    });
  };
  /** Up in an empty field: the last message that waits, else what was said before. */
  const recall = (direction: 1 | -1): boolean => {
    const element = field.current;
    if (element === null || !atEdge(element, direction)) return false;
    const { value } = element;
    const waiting = session?.queued.at(-1);
    if (direction === 1 && value === "" && waiting !== undefined) {
      editQueued(waiting.admissionId);
      return true;
    }
    const next = step(historyOf(store.state.stretches.get(sessionId)?.items ?? []), recalled.current, value, direction);
    if (next === null) return false;
    recalled.current = next;
    put(next.text);
    return true;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event)) return;
    const plain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    if (plain && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      if (recall(event.key === "ArrowUp" ? 1 : -1)) event.preventDefault();
      return;
    }
    const what = meaning(event);
    if (what === null) return;
    event.preventDefault();
    if (what === "newline") insertLine(event.currentTarget, put);
    else submit(what === "steer" && running ? "steer" : "queue");
  };
  return (
    <div className="composer">
      <textarea
        ref={field}
        className="composer-text"
        data-testid="composer"
        rows={1}
        dir="auto"
        defaultValue={draftOf(sessionId)}
        placeholder={t("composer-placeholder")}
        aria-label={t("composer-label")}
        onInput={(event) => {
          const element = event.currentTarget;
          keepDraft(sessionId, element.value);
          fit(element);
          setFilled(element.value.trim() !== "");
        }}
        onKeyDown={onKeyDown}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
      />
      <div className="composer-bar">
        <span className="composer-hint">{running ? t("composer-hint-running") : ""}</span>
        <button
          type="button"
          className={ink ? "btn ic composer-send primary" : "btn ic composer-send"}
          aria-label={running ? t("composer-queue") : t("composer-send")}
          aria-disabled={!filled}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => submit("queue")}
        >
          <ArrowUp className="icon" strokeWidth={1.75} aria-hidden />
        </button>
      </div>
    </div>
  );
}

function insertLine(element: HTMLTextAreaElement, put: (text: string) => void): void {
  const { selectionStart, selectionEnd, value } = element;
  put(`${value.slice(0, selectionStart)}\n${value.slice(selectionEnd)}`);
  element.setSelectionRange(selectionStart + 1, selectionStart + 1);
}

/** Whether the caret is in the line from which Up, or Down, leaves the text. */
function atEdge({ value, selectionStart, selectionEnd }: HTMLTextAreaElement, direction: 1 | -1): boolean {
  if (selectionStart !== selectionEnd) return false;
  return !(direction === 1 ? value.slice(0, selectionStart) : value.slice(selectionEnd)).includes("\n");
}

/** Grows with its text; the style sheet says where it starts to scroll. */
function fit(element: HTMLTextAreaElement): void {
  element.style.setProperty("height", "auto");
  element.style.setProperty("height", `${element.scrollHeight}px`);
}
