// The notices: who waits for the person first, then what happened, the newest first. Runs of successes fold.
import { BellOff, Check, ListChecks } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { attempt } from "../actions/trouble";
import type { DesktopState, Notice } from "../bridge/wire";
import { useBridge, useNotices, useProcesses, useQuestions, useSetup, useStore } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { waitsForInput } from "../process/order";
import { clock, fullTime, when } from "../shared/format";
import { useFocusBack } from "../shared/focusback";
import { Glyph } from "../shared/Glyph";
import { moveFocus } from "../shared/keyboard";
import { Question } from "./Question";
import { readAll } from "./readAll";
import { type RowProps, rows } from "./rows";
import { Typing } from "./Typing";
import "./notices.css";

const HOUR_MS = 3_600_000;

interface NoticesProps {
  system: DesktopState | null;
  onClose: () => void;
}

/** The open list. */
export function Notices({ system, onClose }: NoticesProps) {
  const t = useText();
  const panel = useRef<HTMLElement>(null);
  const questions = useQuestions();
  const waiting = useProcesses().filter(waitsForInput);
  const told = rows(useNotices());
  const [now] = useState(() => Date.now());
  const { muted } = useSetup();
  useFocusBack();
  useEffect(() => panel.current?.focus(), []);
  useEffect(() => {
    // The row that had the focus is gone.
    if (document.activeElement === document.body) panel.current?.focus();
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      onClose();
    } else moveFocus(event, panel.current, "[data-notice]");
  };
  const needing = questions.length + waiting.length;
  return (
    <>
      <button type="button" className="notices-away" tabIndex={-1} aria-label={t("notices-close")} onClick={onClose} />
      <section ref={panel} className="notices" role="dialog" aria-label={t("notices")} tabIndex={-1} data-testid="notices" onKeyDown={onKeyDown}>
        <Head />
        <div className="notices-list">
          {system?.notificationsProblem == null ? null : (
            <p className="notices-hint t2" role="status" data-testid="notices-problem">
              {t("notices-problem", { reason: system.notificationsProblem })}
            </p>
          )}
          {questions.map((question, at) => (
            <Question key={question.itemId} item={question} stop={at === 0} onClose={onClose} />
          ))}
          {waiting.map((process, at) => (
            <Typing key={process.processId} process={process} stop={at === 0 && questions.length === 0} onClose={onClose} />
          ))}
          {told.map((row, at) => {
            const stop = at === 0 && needing === 0;
            return row.kind === "one" ? (
              <Told key={row.notice.noticeId} notice={row.notice} now={now} stop={stop} onClose={onClose} />
            ) : (
              <Folded key={row.notices[0]?.noticeId} notices={row.notices} now={now} stop={stop} onClose={onClose} />
            );
          })}
          {needing + told.length === 0 ? <Nothing /> : null}
          {muted.map((source) => (
            <div key={`${source.sessionId} ${source.command ?? ""}`} className="notice notice-muted">
              <BellOff className="icon" aria-hidden />
              <span className="cut t2">{t("notices-muted", { title: source.title })}</span>
              <Unmute sessionId={source.sessionId} command={source.command ?? null} />
            </div>
          ))}
        </div>
      </section>
    </>
  );
}

function Head() {
  const t = useText();
  const store = useStore();
  const { quietUntilMs } = useSetup();
  return (
    <header className="notices-head">
      <h2 className="notices-title">{t("notices")}</h2>
      <span className="grow" />
      <button
        type="button"
        className="btn ghost sm"
        aria-pressed={quietUntilMs !== null}
        onClick={() => attempt(store.bridge.call("set_quiet", { untilMs: quietUntilMs === null ? Date.now() + HOUR_MS : null }))}
      >
        <BellOff className="icon k" aria-hidden />
        {quietUntilMs === null ? t("notices-quiet") : t("notices-quiet-until", { time: clock(quietUntilMs) })}
      </button>
      <button type="button" className="btn ghost sm" onClick={() => attempt(readAll(store))}>
        <ListChecks className="icon k" aria-hidden />
        {t("notices-read-all")}
      </button>
    </header>
  );
}

function Told({ notice, now, stop, onClose }: RowProps & { notice: Notice; now: number }) {
  const open = useOpen(notice, onClose);
  return (
    <button type="button" className="notice" tabIndex={stop ? 0 : -1} data-notice data-notice-id={notice.noticeId} data-read={notice.read} onClick={open}>
      <Glyph name={notice.tone === "fail" ? "failed" : "complete"} />
      <span className="notice-text">
        <span className="notice-what">
          <span className="cut">{notice.title}</span>
          <time className="notice-when num" title={fullTime(notice.atMs)}>
            {when(notice.atMs, now)}
          </time>
        </span>
        <span className="t2 small cut">{notice.body === "" ? notice.sessionTitle : `${notice.body}. ${notice.sessionTitle}`}</span>
      </span>
    </button>
  );
}

function useOpen(notice: Notice, onClose: () => void): () => void {
  const store = useStore();
  return () => {
    onClose();
    if (!notice.read) attempt(store.bridge.call("mark_notices_read", { noticeIds: [notice.noticeId] }));
    if (notice.seq == null) store.openSession(notice.sessionId);
    else store.showItem(notice.sessionId, notice.seq);
    if (notice.processId != null) store.openProcess(notice.processId);
  };
}

function Folded({ notices, now, stop, onClose }: RowProps & { notices: readonly Notice[]; now: number }) {
  const t = useText();
  const [open, setOpen] = useState(false);
  const first = notices.at(-1);
  const newest = notices[0]?.noticeId;
  useEffect(() => {
    // Its own button went with the fold.
    if (open && document.activeElement === document.body) document.querySelector<HTMLElement>(`[data-notice-id="${newest}"]`)?.focus();
  }, [open, newest]);
  if (open) return notices.map((notice, at) => <Told key={notice.noticeId} notice={notice} now={now} stop={stop && at === 0} onClose={onClose} />);
  return (
    <button type="button" className="notice" tabIndex={stop ? 0 : -1} data-notice aria-expanded={false} onClick={() => setOpen(true)}>
      <Glyph name="complete" />
      <span className="notice-text">
        <span className="notice-what">
          <span className="cut">{t("notices-folded", { count: notices.length })}</span>
          <span className="notice-when num">{t("notices-since", { time: first === undefined ? "" : when(first.atMs, now) })}</span>
        </span>
      </span>
    </button>
  );
}

function Unmute({ sessionId, command }: { sessionId: string; command: string | null }): ReactNode {
  const t = useText();
  const bridge = useBridge();
  return (
    <button type="button" className="btn ghost sm" onClick={() => attempt(bridge.call("set_muted", { sessionId, command, muted: false }))}>
      {t("unmute")}
    </button>
  );
}

function Nothing() {
  const t = useText();
  return (
    <div className="notices-none">
      <Check className="state-glyph" strokeWidth={1.5} aria-hidden />
      <p className="state-fact">{t("notices-none")}</p>
      <p className="t2">{t("notices-none-how")}</p>
    </div>
  );
}
