// One process in the rail.
import { useRef } from "react";
import type { Process } from "../bridge/wire";
import { useSession } from "../feed/hooks";
import { type Translate, useText } from "../l10n/l10n";
import { age, clock, fullTime, size } from "../shared/format";
import { Glyph } from "../shared/Glyph";
import { useSecondTick } from "../shared/tick";
import { MutedSign } from "./muting";
import { alive, isFinal } from "./order";
import { outcome, succeeded } from "./outcome";
import { share, useMeasured, useSample } from "./samples";
import { StopProcessButton } from "./StopButton";
import { useStop } from "./stop";

interface ProcessRowProps {
  process: Process;
  selected: boolean;
  /** The row belongs to another session than the open one, so it names it. */
  foreign: boolean;
  /** The list is one stop of the tab key; arrows go on from it. */
  inTabOrder: boolean;
  onSelect: () => void;
}

/** A row: 46 px while something of it lives, 30 px once it has ended. */
export function ProcessRow({ process, selected, foreign, inTabOrder, onSelect }: ProcessRowProps) {
  const t = useText();
  const living = alive(process);
  const row = useRef<HTMLLIElement>(null);
  useMeasured(row, process.processId, living);
  const stop = useStop(process.processId);
  const shown = stop.busy && !isFinal(process.state) ? { ...process, state: "stopping" } : process;
  const words = outcome(shown, t);
  // A good end is no news in a list; only its tick is green.
  const leftBehind = isFinal(process.state) && process.descendants > 0;
  const tone = leftBehind ? "live" : succeeded(process) ? "plain" : words.tone;
  return (
    <li ref={row} className={selected ? "process process-selected" : "process"} data-process-id={process.processId} data-state={process.state}>
      <button type="button" className={living ? "process-row process-live" : "process-row"} aria-current={selected} tabIndex={inTabOrder ? 0 : -1} onClick={onSelect}>
        <Glyph name={words.glyph} />
        <span className="process-line">
          <span className="process-name" title={process.command}>
            {process.command}
          </span>
          <span className={`process-state tone-${tone}`}>{phrase(process, words.words, t)}</span>
          {process.muted && <MutedSign />}
        </span>
        <Age process={process} living={living} />
        {living && <Second process={process} foreign={foreign} />}
      </button>
      {living && <StopProcessButton process={process} />}
    </li>
  );
}

/** The state, and how many of its tree live on without it. */
function phrase(process: Process, words: string, t: Translate): string {
  if (isFinal(process.state) && process.descendants > 0) {
    return t("process-left-behind", { outcome: words, count: process.descendants });
  }
  return words;
}

function Age({ process, living }: { process: Process; living: boolean }) {
  const now = useSecondTick(living);
  if (living) {
    return (
      <span className="process-age" title={fullTime(process.startedAtMs)}>
        {age(Math.max(0, now - process.startedAtMs))}
      </span>
    );
  }
  const end = process.endedAtMs ?? process.startedAtMs;
  return (
    <span className="process-age" title={fullTime(end)}>
      {clock(end)}
    </span>
  );
}

/** What it takes, and the one other fact that matters most. */
function Second({ process, foreign }: { process: Process; foreign: boolean }) {
  const t = useText();
  const session = useSession(foreign ? process.sessionId : null);
  const sample = useSample(process.processId);
  const now = useSecondTick(true);
  const facts: string[] = [];
  if (sample?.cpuPercent != null) facts.push(share(sample.cpuPercent));
  if (sample !== undefined) facts.push(size(sample.rssBytes));
  const others = sample?.descendants ?? process.descendants;
  if (others > 0 && !isFinal(process.state)) facts.push(t("process-in-tree", { count: others + 1 }));
  if (session !== undefined) facts.push(t("process-in-session", { title: session.title }));
  else facts.push(written(process, now, t));
  return (
    <span className="process-second">
      {facts.map((fact, index) => (
        <span key={index}>{fact}</span>
      ))}
    </span>
  );
}

function written(process: Process, now: number, t: Translate): string {
  if (process.lastOutputAtMs != null) return t("process-last-output", { age: age(now - process.lastOutputAtMs) });
  return process.outputBytes > 0 ? size(process.outputBytes) : t("process-no-output");
}
