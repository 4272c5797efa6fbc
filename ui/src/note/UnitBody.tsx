// The open part of a report: its last line, where it came from and how much of it stands here, and what to do next.
import { useState } from "react";
import type { NoteUnit } from "../bridge/wire";
import { useText } from "../l10n/l10n";
import { useCommandMuted } from "../process/muting";
import { size } from "../shared/format";
import { newsOf } from "./words";

/** What a person can do about a report. */
export interface NoteActions {
  /** The session that the note stands in. */
  sessionId: string;
  openProcess: (processId: string) => void;
  /** Starts the same command again, with its end told; answers what was asked for in vain, rejects with words for a person. */
  runAgain: (unit: NoteUnit) => Promise<string | null>;
  askAgent: (unit: NoteUnit) => void;
  /** Silences its command in this session, or lets it speak again; rejects with words for a person. */
  mute: (unit: NoteUnit, muted: boolean) => Promise<void>;
}

/** One report, open. */
export function UnitBody({ unit, actions }: { unit: NoteUnit; actions: NoteActions }) {
  const t = useText();
  return (
    <>
      {unit.outputTail.trim() !== "" && <Tail unit={unit} />}
      <p className="note-origin">{origin(unit, t)}</p>
      <Actions unit={unit} actions={actions} />
    </>
  );
}

/** So many lines that were watched for stand open. */
const FEW = 5;

/** The last line stands alone; a press shows the rest of what the note carries. A few that were watched for all stand. */
function Tail({ unit }: { unit: NoteUnit }) {
  const t = useText();
  const lines = unit.outputTail.replace(/\s+$/, "").split("\n");
  const [whole, setWhole] = useState(unit.producer === "watch" && lines.length <= FEW);
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
      (told) => setAnswer(told === null ? t("note-started-again") : `${t("note-started-again")} ${told}`),
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
      {unit.command !== "" && unit.producer === "process" && (
        <button type="button" className="btn sm ghost" onClick={runAgain}>
          {t("run-again")}
        </button>
      )}
      <button type="button" className="btn sm ghost" onClick={() => actions.askAgent(unit)}>
        {t("ask-agent")}
      </button>
      {unit.command !== "" && unit.delegationId == null && (
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
  const news = newsOf(unit, t);
  // News of all watches together are about no process.
  if (unit.processId == null && unit.producer === "watch") return news;
  if (unit.delegationId != null) return started(unit, t);
  const about = news === "" ? written(unit, t) : unit.producer === "watch" ? news : `${news} ${written(unit, t)}`;
  return `${started(unit, t)} ${about}`;
}

function started(unit: NoteUnit, t: ReturnType<typeof useText>): string {
  return unit.turnNumber == null ? t("note-started-by-you") : t("note-started-by-turn", { turn: String(unit.turnNumber) });
}

/** How much of its output stands here. A watch carries the lines that it saw, not the end of the output. */
function written(unit: NoteUnit, t: ReturnType<typeof useText>): string {
  if (unit.producer === "watch") return "";
  const here = new TextEncoder().encode(unit.outputTail).length;
  if (unit.outputBytes === 0) return t("note-no-output");
  if (here < unit.outputBytes) return t("note-tail-shown", { shown: size(here), total: size(unit.outputBytes) });
  return t("note-all-shown", { total: size(unit.outputBytes) });
}
