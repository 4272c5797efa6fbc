// What of this session lives right now, beside where the eyes are. Nothing alive: no strip.
import { useId, useState } from "react";
import type { Process } from "../bridge/wire";
import { useProcesses, useSelection } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { alive, isFinal, liveFirst } from "../process/order";
import { outcome } from "../process/outcome";
import { StopProcessButton } from "../process/StopButton";
import { Glyph } from "../shared/Glyph";

/** More rows than this are the rail's business. */
const ROWS = 3;

/** The strip above the composer. */
export function StatusStack({ sessionId }: { sessionId: string }) {
  const t = useText();
  const bodyId = useId();
  const [open, setOpen] = useState(false);
  const processes = useProcesses(sessionId).filter(alive);
  const live = liveFirst(processes);
  const first = live[0];
  if (first === undefined) return null;
  return (
    <div className="stack">
      <button type="button" className="stack-cell" aria-expanded={open} aria-controls={bodyId} onClick={() => setOpen(!open)}>
        <Glyph name={outcome(first, t).glyph} />
        <b className="stack-title">{t("stack-processes")}</b>
        <span className="stack-count">{live.length}</span>
        <span className="stack-names">
          {live.slice(0, ROWS).map((process) => (
            <span key={process.processId} className="stack-name">
              <span className="process-name">{process.command.split("\n", 1)[0]}</span> {outcome(process, t).words}
            </span>
          ))}
        </span>
      </button>
      {open && (
        <ul id={bodyId} className="stack-rows">
          {live.slice(0, ROWS).map((process) => (
            <Row key={process.processId} process={process} />
          ))}
          {live.length > ROWS && <li className="stack-rest">{t("stack-rest", { count: live.length - ROWS })}</li>}
        </ul>
      )}
    </div>
  );
}

function Row({ process }: { process: Process }) {
  const t = useText();
  const { openProcess } = useSelection();
  const words = outcome(process, t);
  return (
    <li className="stack-row">
      <Glyph name={words.glyph} small />
      <span className="process-name" title={process.command}>
        {process.command}
      </span>
      <span className={`process-state tone-${words.tone}`}>
        {isFinal(process.state) ? t("process-left-behind", { outcome: words.words, count: process.descendants }) : words.words}
      </span>
      <button type="button" className="btn sm ghost stack-open" onClick={() => openProcess(process.processId)}>
        {t("open-process")}
      </button>
      <StopProcessButton process={process} />
    </li>
  );
}
