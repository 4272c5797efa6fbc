// Facts about the open session. What this window cannot know is left out, not guessed.
import { Info } from "lucide-react";
import { useProcesses, useSession, useSetup, useSlice, useStretch } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { clock, count, fullTime, when } from "../shared/format";
import { useSecondTick } from "../shared/tick";
import { alive } from "./order";

/** The facts, or the sentence that no session is open. */
export function DetailsTab({ sessionId }: { sessionId: string | null }) {
  const t = useText();
  if (sessionId === null) {
    return (
      <div className="process-empty">
        <Info className="process-empty-icon" strokeWidth={1.5} aria-hidden />
        <b>{t("details-none")}</b>
        <span>{t("details-none-how")}</span>
      </div>
    );
  }
  return <Facts sessionId={sessionId} />;
}

function Facts({ sessionId }: { sessionId: string }) {
  const t = useText();
  const session = useSession(sessionId);
  const { health } = useSetup();
  const turns = useTurnCount(sessionId);
  const processes = useProcesses(sessionId);
  const startedAtMs = useStart(sessionId);
  const now = useSecondTick(false);
  if (session === undefined) return null;
  const live = processes.filter(alive).length;
  const folder = processes[0]?.cwd;
  return (
    <div className="rail-page">
      <dl className="facts details-facts">
        <dt>{t("details-title")}</dt>
        <dd className="fact-wide">{session.title === "" ? t("session-untitled") : session.title}</dd>
        {health?.model != null && (
          <>
            <dt>{t("details-model")}</dt>
            <dd className="fact-wide">{health.modelLocal === true ? t("details-model-here", { model: health.model }) : health.model}</dd>
          </>
        )}
        {turns !== null && (
          <>
            <dt>{t("details-turns")}</dt>
            <dd className="fact-wide">{count(turns)}</dd>
          </>
        )}
        <dt>{t("details-items")}</dt>
        <dd className="fact-wide">{count(session.lastSeq)}</dd>
        {startedAtMs !== null && (
          <>
            <dt>{t("fact-started")}</dt>
            <dd className="fact-wide" title={fullTime(startedAtMs)}>
              {dayAndTime(startedAtMs, now)}
            </dd>
          </>
        )}
        <dt>{t("details-last")}</dt>
        <dd className="fact-wide" title={fullTime(session.lastAtMs)}>
          {dayAndTime(session.lastAtMs, now)}
        </dd>
        {folder !== undefined && (
          <>
            <dt>{t("details-folder")}</dt>
            <dd className="fact-wide fact-mono">{folder}</dd>
          </>
        )}
        <dt>{t("rail-processes")}</dt>
        <dd className="fact-wide">{t("details-processes", { live, count: processes.length })}</dd>
        {session.muted && (
          <>
            <dt>{t("details-told")}</dt>
            <dd className="fact-wide">{t("muted")}</dd>
          </>
        )}
        <dt>{t("fact-id")}</dt>
        <dd className="fact-mono fact-wide fact-id">{sessionId}</dd>
      </dl>
    </div>
  );
}

/** How many turns there were; nothing where no turn of it has changed since this window opened. */
function useTurnCount(sessionId: string): number | null {
  return useSlice(({ state }) => {
    const numbers = [...state.turns.values()].filter((turn) => turn.sessionId === sessionId).map((turn) => turn.number);
    const told = [...state.processes.values()].filter((process) => process.sessionId === sessionId).map((process) => process.turnNumber ?? 0);
    // A process knows only the turn that started it: later turns may have followed, so alone it tells nothing.
    return numbers.length === 0 ? null : Math.max(...numbers, ...told);
  });
}

/** When it began; nothing while its first item is not held. */
function useStart(sessionId: string): number | null {
  const stretch = useStretch(sessionId);
  return stretch?.atStart === true ? (stretch.items[0]?.atMs ?? null) : null;
}

/** "14:01" today, "Fri, 14:01" before. */
function dayAndTime(atMs: number, now: number): string {
  const [day, time] = [when(atMs, now), clock(atMs)];
  return day === time ? time : `${day}, ${time}`;
}
