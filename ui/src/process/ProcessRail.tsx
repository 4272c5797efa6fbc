// Every process, who needs a person first, and below them the one that was picked.
import { ArrowDownWideNarrow, ChevronDown, Terminal } from "lucide-react";
import { type KeyboardEvent, useRef, useState } from "react";
import type { Process } from "../bridge/wire";
import { asCallError } from "../bridge/bridge";
import { useConnection, useProcess, useProcesses, useSelection, useStore } from "../feed/hooks";
import { type Translate, useText } from "../l10n/l10n";
import { useSecondTick } from "../shared/tick";
import { onListKey } from "./listKeys";
import { ended, liveFirst, type Sort, SORTS } from "./order";
import { ProcessDetail } from "./ProcessDetail";
import { ProcessRow } from "./ProcessRow";
import { useSampling } from "./samples";
import "./process.css";

/** More ended ones than this wait behind a press. */
const ENDED_SHOWN = 5;

/** The rail's list of processes and the detail of the selected one. */
export function ProcessRail({ sessionId }: { sessionId: string | null }) {
  const t = useText();
  const [here, setHere] = useState(false);
  const [sort, setSort] = useState<Sort>("newest");
  const processes = useProcesses(here && sessionId !== null ? sessionId : undefined);
  const selection = useSelection();
  // Without a gateway nobody knows that there are none.
  const connected = useConnection().kind === "open";
  const selected = useProcess(selection.processId);
  const list = useRef<HTMLDivElement>(null);
  const store = useStore();
  const [trouble, setTrouble] = useState("");
  useSampling();
  const onKeyDown = (event: KeyboardEvent) => {
    setTrouble("");
    onListKey(event, {
      bridge: store.bridge,
      list: list.current,
      processOf: (processId) => store.state.processes.get(processId),
      openProcess: selection.openProcess,
      onTrouble: (reason) => setTrouble(asCallError(reason).message),
    });
  };
  return (
    <div className="process-rail">
      <div className="process-scope">
        <label className="pick">
          <span className="hidden">{t("process-scope")}</span>
          <select value={here ? "session" : "all"} onChange={(event) => setHere(event.target.value === "session")}>
            <option value="all">{t("process-scope-all")}</option>
            <option value="session">{t("process-scope-session")}</option>
          </select>
          <ChevronDown className="icon k" aria-hidden />
        </label>
        <label className="pick" title={t("process-sort")}>
          <span className="hidden">{t("process-sort")}</span>
          <ArrowDownWideNarrow className="icon k" aria-hidden />
          <select value={sort} onChange={(event) => setSort(SORTS.find((known) => known === event.target.value) ?? "newest")}>
            {SORTS.map((known) => (
              <option key={known} value={known}>
                {sortName(known, t)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {processes.length === 0 ? (
        connected && <Empty />
      ) : (
        <div ref={list} className="process-list" onKeyDown={onKeyDown}>
          <Rows processes={processes} sort={sort} sessionId={sessionId} selected={selection.processId} onSelect={selection.openProcess} />
        </div>
      )}
      {trouble !== "" && (
        <p className="process-trouble" role="alert">
          {t("not-done", { reason: trouble })}
        </p>
      )}
      {selected !== undefined && <ProcessDetail key={selected.processId} process={selected} />}
    </div>
  );
}

interface RowsProps {
  processes: readonly Process[];
  sort: Sort;
  sessionId: string | null;
  selected: string | null;
  onSelect: (processId: string) => void;
}

function Rows({ processes, sort, sessionId, selected, onSelect }: RowsProps) {
  const t = useText();
  const live = liveFirst(processes, sort);
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

function sortName(sort: Sort, t: Translate): string {
  switch (sort) {
    case "newest":
      return t("process-sort-newest");
    case "oldest":
      return t("process-sort-oldest");
    case "name":
      return t("process-sort-name");
  }
}
