// The picked process: how it stands, the facts, what it writes, and a line to type into it.
import { RotateCw } from "lucide-react";
import { useState } from "react";
import type { Process } from "../bridge/wire";
import { asCallError } from "../bridge/bridge";
import { useBridge, useSelection } from "../feed/hooks";
import { type Translate, useText } from "../l10n/l10n";
import { clock, duration, fullTime } from "../shared/format";
import { Glyph } from "../shared/Glyph";
import { CopyCommand } from "./CopyCommand";
import { LiveOutput } from "./LiveOutput";
import { MuteButton } from "./muting";
import { alive, isFinal } from "./order";
import { outcome } from "./outcome";
import { StopProcessButton } from "./StopButton";
import { Survivors } from "./Survivors";
import { TypeLine } from "./TypeLine";

/** The detail pane of one process. */
export function ProcessDetail({ process }: { process: Process }) {
  const t = useText();
  const words = outcome(process, t);
  return (
    <section className="detail" aria-label={t("process-detail", { command: process.command })}>
      <header className="detail-head">
        <Glyph name={words.glyph} />
        <h3 className="detail-name" title={process.command}>
          {process.command}
        </h3>
        <span className={`detail-state tone-${words.tone}`}>{words.words}</span>
        <span className="detail-actions">
          {alive(process) && <StopProcessButton process={process} words />}
          <Again process={process} />
          <MuteButton sessionId={process.sessionId} command={process.command} muted={process.muted} />
          <CopyCommand command={process.command} />
        </span>
      </header>
      <Survivors process={process} />
      <Facts process={process} />
      <LiveOutput process={process} />
      {!isFinal(process.state) && <Input process={process} />}
    </section>
  );
}

/** Only a process at a prompt can be typed to; the others run without a terminal. */
function Input({ process }: { process: Process }) {
  const t = useText();
  if (process.attention === "needs_input") return <TypeLine process={process} />;
  return <p className="type-none">{t("type-none")}</p>;
}

/** Starts the same command once more; a running one is not touched. */
function Again({ process }: { process: Process }) {
  const t = useText();
  const bridge = useBridge();
  const { openProcess } = useSelection();
  const [trouble, setTrouble] = useState("");
  const start = () => {
    const { sessionId, command, cwd, notify } = process;
    const clientKey = crypto.randomUUID();
    bridge.call("start_process", { sessionId, command, cwd, notify, clientKey }).then(
      (reply) => openProcess(reply.processId),
      (reason: unknown) => setTrouble(asCallError(reason).message),
    );
  };
  return (
    <>
      {trouble !== "" && <span className="detail-trouble" role="alert">{trouble}</span>}
      <button type="button" className="btn sm ghost ic" aria-label={t("run-again")} title={t("run-again")} onClick={start}>
        <RotateCw className="icon" strokeWidth={1.75} aria-hidden />
      </button>
    </>
  );
}

function Facts({ process }: { process: Process }) {
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
      <dt>{t("fact-id")}</dt>
      <dd className="fact-mono fact-wide fact-id">{process.processId}</dd>
      {process.escapePossible === true && <dd className="fact-all">{t("fact-escape")}</dd>}
    </dl>
  );
}

function started(process: Process, t: Translate): string {
  const time = clock(process.startedAtMs);
  return process.turnNumber == null
    ? t("fact-started-by-you", { time })
    : t("fact-started-by-turn", { time, turn: String(process.turnNumber) });
}
