// The open part of a report: its last line, where it came from and how much of it stands here, and what to do next.
import { useState } from "react";
import type { NoteUnit } from "../bridge/wire";
import { useText } from "../l10n/l10n";
import { useCommandMuted } from "../process/muting";
import { size } from "../shared/format";

/** What a person can do about a report. */
export interface NoteActions {
  /** The session that the note stands in. */
  sessionId: string;
  openProcess: (processId: string) => void;
  /** Starts the same command again, with its end told; rejects with words for a person. */
  runAgain: (unit: NoteUnit) => Promise<void>;
  askAgent: (unit: NoteUnit) => void;
  /** Silences its command in this session, or lets it speak again; rejects with words for a person. */
  mute: (unit: NoteUnit, muted: boolean) => Promise<void>;
}

/** One report, open. */
export function UnitBody({ unit, actions }: { unit: NoteUnit; actions: NoteActions }) {
  const t = useText();
  return (
    <>
      {unit.outputTail.trim() !== "" && <Tail text={unit.outputTail} />}
      <p className="note-origin">{origin(unit, t)}</p>
      <Actions unit={unit} actions={actions} />
    </>
  );
}

/** The last line stands alone; a press shows the rest of what the note carries. */
function Tail({ text }: { text: string }) {
  const t = useText();
  const [whole, setWhole] = useState(false);
  const lines = text.replace(/\s+$/, "").split("\n");
  return (
    <div className="note-tail">
      <pre className="note-output" tabIndex={whole ? 0 : undefined} aria-label={t("task-output")}>
        {whole ? lines.join("\n") : lines.at(-1)}
      </pre>
      {lines.length > 1 && (
        <button type="button" className="btn sm ghost" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? t("note-last-line") : t("note-all-lines", { count: lines.length })}
        </button>
      )}
    </div>
  );
}

function Actions({ unit, actions }: { unit: NoteUnit; actions: NoteActions }) {
  const t = useText();
  const [answer, setAnswer] = useState("");
  const { processId } = unit;
  const muted = useCommandMuted(actions.sessionId, unit.command);
  const runAgain = () => {
    actions.runAgain(unit).then(
      () => setAnswer(t("note-started-again")),
      (reason: unknown) => setAnswer(t("note-not-started", { reason: wordsOf(reason) })),
    );
  };
  const mute = () => {
    actions.mute(unit, !muted).then(
      () => setAnswer(muted ? "" : t("note-muted")),
      (reason: unknown) => setAnswer(t("not-done", { reason: wordsOf(reason) })),
    );
  };
  return (
    <div className="note-actions">
      {processId != null && (
        <button type="button" className="btn sm ghost" onClick={() => actions.openProcess(processId)}>
          {t("open-process")}
        </button>
      )}
      {unit.command !== "" && (
        <button type="button" className="btn sm ghost" onClick={runAgain}>
          {t("run-again")}
        </button>
      )}
      <button type="button" className="btn sm ghost" onClick={() => actions.askAgent(unit)}>
        {t("ask-agent")}
      </button>
      {unit.command !== "" && (
        <button type="button" className="btn sm ghost" aria-pressed={muted} onClick={mute}>
          {muted ? t("unmute") : t("mute")}
        </button>
      )}
      <span className="note-answer" role="status">
        {answer}
      </span>
    </div>
  );
}

function wordsOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

function origin(unit: NoteUnit, t: ReturnType<typeof useText>): string {
  const here = new TextEncoder().encode(unit.outputTail).length;
  const who = unit.turnNumber == null ? t("note-started-by-you") : t("note-started-by-turn", { turn: String(unit.turnNumber) });
  if (unit.outputBytes === 0) return `${who} ${t("note-no-output")}`;
  if (here < unit.outputBytes) return `${who} ${t("note-tail-shown", { shown: size(here), total: size(unit.outputBytes) })}`;
  return `${who} ${t("note-all-shown", { total: size(unit.outputBytes) })}`;
}
