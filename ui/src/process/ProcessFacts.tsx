// The facts about a process. What nobody knows is left out.
import { useStore } from "../feed/hooks";
import type { Process } from "../bridge/wire";
import { type Translate, useText } from "../l10n/l10n";
import { clock, duration, fullTime } from "../shared/format";
import { lostTerminal } from "./hasTerminal";
import { useRestartNote } from "./restart";

/** The list of them. */
export function ProcessFacts({ process }: { process: Process }) {
  const t = useText();
  return (
    <dl className="facts">
      <dt>{t("fact-command")}</dt>
      <dd className="fact-mono fact-wide">{process.command}</dd>
      <dt>{t("fact-folder")}</dt>
      <dd className="fact-mono fact-wide">{process.cwd}</dd>
      <dt>{t("fact-started")}</dt>
      <dd title={fullTime(process.startedAtMs)}>{started(process, t)}</dd>
      <dt>{t("fact-pid")}</dt>
      <dd>{process.pid == null ? t("fact-none") : String(process.pid)}</dd>
      {process.restartOf != null && <Before process={process} processId={process.restartOf} />}
      {process.matches != null && (
        <>
          <dt>{t("fact-watched")}</dt>
          <dd>{t("fact-matches", { count: process.matches })}</dd>
        </>
      )}
      {process.endedAtMs != null && (
        <>
          <dt>{t("fact-ended")}</dt>
          <dd title={fullTime(process.endedAtMs)} className="fact-wide">
            {t("fact-ended-after", { time: clock(process.endedAtMs), duration: duration(process.endedAtMs - process.startedAtMs, { exact: true }) })}
          </dd>
        </>
      )}
      {process.reason != null && process.reason !== "" && (
        <>
          <dt>{t("fact-cause")}</dt>
          <dd className="fact-wide">{process.reason}</dd>
        </>
      )}
      {process.escapePossible === true && <dd className="fact-all">{t("fact-escape")}</dd>}
    </dl>
  );
}

/** The process that this one took the place of, while it is still known. */
function Before({ process, processId }: { process: Process; processId: string }) {
  const t = useText();
  const store = useStore();
  const before = store.state.processes.get(processId);
  const note = useRestartNote(process.processId);
  if (before === undefined) return null;
  return (
    <>
      <dt>{t("fact-restart")}</dt>
      <dd className="fact-wide">
        <button type="button" className="fact-link" onClick={() => store.openProcess(processId)}>
          {t("fact-restart-of", { time: clock(before.startedAtMs) })}
        </button>
      </dd>
      {note !== undefined && <dd className="fact-all">{note}</dd>}
      {note === undefined && lostTerminal(process, before) && <dd className="fact-all">{t("fact-no-terminal")}</dd>}
    </>
  );
}

function started(process: Process, t: Translate): string {
  const time = clock(process.startedAtMs);
  return process.turnNumber == null
    ? t("fact-started-by-you", { time })
    : t("fact-started-by-turn", { time, turn: String(process.turnNumber) });
}
