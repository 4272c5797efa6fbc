// Every process, who needs a person first, and below them the one that was picked.
import { Terminal } from "lucide-react";
import { useRef, useState } from "react";
import type { Process } from "../bridge/wire";
import { useConnection, useProcess, useProcesses, useSelection } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { moveFocus } from "../shared/keyboard";
import { useSecondTick } from "../shared/tick";
import { ended, liveFirst } from "./order";
import { ProcessDetail } from "./ProcessDetail";
import { ProcessRow } from "./ProcessRow";
import "./process.css";

/** More ended ones than this wait behind a press. */
const ENDED_SHOWN = 5;

/** The rail's list of processes and the detail of the selected one. */
export function ProcessRail({ sessionId }: { sessionId: string | null }) {
  const t = useText();
  const [here, setHere] = useState(false);
  const processes = useProcesses(here && sessionId !== null ? sessionId : undefined);
  const selection = useSelection();
  // Without a gateway nobody knows that there are none.
  const connected = useConnection().kind === "open";
  const selected = useProcess(selection.processId);
  const list = useRef<HTMLDivElement>(null);
  return (
    <div className="process-rail">
      <div className="process-scope">
        <button type="button" className="btn sm ghost" aria-pressed={here} onClick={() => setHere(!here)}>
          {here ? t("process-scope-session") : t("process-scope-all")}
        </button>
      </div>
      {processes.length === 0 ? (
        connected && <Empty />
      ) : (
        <div ref={list} className="process-list" onKeyDown={(event) => moveFocus(event, list.current, ".process-row")}>
          <Rows processes={processes} sessionId={sessionId} selected={selection.processId} onSelect={selection.openProcess} />
        </div>
      )}
      {selected !== undefined && <ProcessDetail key={selected.processId} process={selected} />}
    </div>
  );
}

interface RowsProps {
  processes: readonly Process[];
  sessionId: string | null;
  selected: string | null;
  onSelect: (processId: string) => void;
}

function Rows({ processes, sessionId, selected, onSelect }: RowsProps) {
  const t = useText();
  const live = liveFirst(processes);
  // Midnight moves a row only when something else draws the list; a label does not need a timer.
  const now = useSecondTick(false);
  const { today, earlier } = ended(processes, now);
  const row = (process: Process) => (
    <ProcessRow
      key={process.processId}
      process={process}
      selected={process.processId === selected}
      foreign={process.sessionId !== sessionId}
      onSelect={() => onSelect(process.processId)}
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
  row: (process: Process) => React.ReactNode;
  selected: string | null;
}

function EndedGroup({ title, rows, row, selected }: EndedGroupProps) {
  const t = useText();
  const [all, setAll] = useState(false);
  if (rows.length === 0) return null;
  const shown = all ? rows : rows.filter((process, index) => index < ENDED_SHOWN || process.processId === selected);
  return (
    <>
      <h3 className="process-heading">
        {title} <span className="process-count">{rows.length}</span>
      </h3>
      <ul className="process-group" aria-label={title}>
        {shown.map(row)}
      </ul>
      {shown.length < rows.length && (
        <button type="button" className="btn sm ghost process-more" onClick={() => setAll(true)}>
          {t("process-show-ended", { count: rows.length - shown.length })}
        </button>
      )}
    </>
  );
}

function Empty() {
  const t = useText();
  return (
    <div className="process-empty">
      <Terminal className="process-empty-icon" strokeWidth={1.5} aria-hidden />
      <b>{t("process-none")}</b>
      <span>{t("process-none-how")}</span>
    </div>
  );
}
