// The rows of the list, in their groups: what lives, what ended today, and what ended before.
import { type ReactNode, useState } from "react";
import type { Process } from "../bridge/wire";
import { useText } from "../l10n/l10n";
import { useSecondTick } from "../shared/tick";
import { alive, ended, liveFirst, type Sort } from "./order";
import { ProcessRow } from "./ProcessRow";
import { useSteadyLoads } from "./samples";

/** More ended ones than this wait behind a press. */
const ENDED_SHOWN = 5;
/** Each press brings so many. */
const ENDED_MORE = 50;

const NOBODY: readonly string[] = [];

interface ProcessRowsProps {
  processes: readonly Process[];
  sort: Sort;
  /** Somebody is at work in the list: nothing moves. */
  held: boolean;
  sessionId: string | null;
  selected: string | null;
  onSelect: (processId: string) => void;
}

/** The groups. */
export function ProcessRows({ processes, sort, held, sessionId, selected, onSelect }: ProcessRowsProps) {
  const t = useText();
  const measured = sort === "cpu" || sort === "memory";
  const loads = useSteadyLoads(measured ? processes.filter(alive).map(({ processId }) => processId) : NOBODY, held);
  const live = liveFirst(processes, sort, loads);
  // Midnight moves a row only when something else draws the list; a label does not need a timer.
  const now = useSecondTick(false);
  const { today, earlier } = ended(processes, now, sort);
  const listed = [...live, ...today, ...earlier].map(({ processId }) => processId);
  const stop = selected !== null && listed.includes(selected) ? selected : listed[0];
  const row = (process: Process) => (
    <ProcessRow
      key={process.processId}
      process={process}
      selected={process.processId === selected}
      foreign={process.sessionId !== sessionId}
      inTabOrder={process.processId === stop}
      onSelect={onSelect}
    />
  );
  return (
    <>
      {live.length > 0 && (
        <ul className="process-group" aria-label={t("process-group-live")}>
          {live.map(row)}
        </ul>
      )}
      <EndedGroup title={t("process-ended-today")} rows={today} row={row} selected={selected} />
      <EndedGroup title={t("process-ended-earlier")} rows={earlier} row={row} selected={selected} />
    </>
  );
}

interface EndedGroupProps {
  title: string;
  rows: readonly Process[];
  row: (process: Process) => ReactNode;
  selected: string | null;
}

function EndedGroup({ title, rows, row, selected }: EndedGroupProps) {
  const t = useText();
  const [most, setMost] = useState(ENDED_SHOWN);
  if (rows.length === 0) return null;
  const shown = rows.filter((process, index) => index < most || process.processId === selected);
  const more = Math.min(ENDED_MORE, rows.length - shown.length);
  return (
    <>
      <h2 className="process-heading">
        {title} <span className="process-count">{rows.length}</span>
      </h2>
      <ul className="process-group" aria-label={title}>
        {shown.map(row)}
      </ul>
      {more > 0 && (
        <button type="button" className="btn sm ghost process-more" onClick={() => setMost(most + ENDED_MORE)}>
          {t("process-show-ended", { count: more })}
        </button>
      )}
    </>
  );
}
