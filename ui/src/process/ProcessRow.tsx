// One process in the rail.
import { useRef } from "react";
import type { Process, ProcessSample } from "../bridge/wire";
import { useSession } from "../feed/hooks";
import { type Translate, useText } from "../l10n/l10n";
import { age, clock, fullTime, listed, size } from "../shared/format";
import { Glyph } from "../shared/Glyph";
import { useSecondTick } from "../shared/tick";
import { MutedSign } from "./muting";
import { alive, isFinal } from "./order";
import { ProcessName } from "./ProcessName";
import { share, useMeasured, useSample } from "./samples";
import { standing } from "./standing";
import { StopProcessButton } from "./StopButton";
import { type Stop, useStop } from "./stop";

interface ProcessRowProps {
  process: Process;
  selected: boolean;
  /** The row belongs to another session than the open one, so it names it. */
  foreign: boolean;
  /** The list is one stop of the tab key; arrows go on from it. */
  inTabOrder: boolean;
  onSelect: (processId: string) => void;
}

/** A row: 46 px while something of it lives, 30 px once it has ended. */
export function ProcessRow({ process, selected, foreign, inTabOrder, onSelect }: ProcessRowProps) {
  const t = useText();
  const living = alive(process);
  const row = useRef<HTMLLIElement>(null);
  useMeasured(row, process.processId, living);
  const stop = useStop(process.processId);
  const words = standing(process, stop, t);
  return (
    <li ref={row} className={selected ? "process process-selected" : "process"} data-process-id={process.processId} data-state={process.state}>
      <button
        type="button"
        className={living ? "process-row process-live" : "process-row"}
        aria-current={selected}
        tabIndex={inTabOrder ? 0 : -1}
        onClick={() => onSelect(process.processId)}
      >
        <Glyph name={words.glyph} />
        <span className="process-line">
          <ProcessName command={process.command} />
          <span className={`process-state tone-${words.tone}`}>{words.words}</span>
          {process.muted && <MutedSign />}
        </span>
        <Age process={process} living={living} />
        {living && <Second process={process} stop={stop} foreign={foreign} />}
      </button>
      {living && <StopProcessButton process={process} />}
    </li>
  );
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

/** One fact of the second line. Where there is no room for the whole of it, it is left out. */
interface Fact {
  readonly name: string;
  readonly words: string;
}

function Second({ process, stop, foreign }: { process: Process; stop: Stop; foreign: boolean }) {
  const t = useText();
  const session = useSession(foreign ? process.sessionId : null);
  const sample = useSample(process.processId);
  const now = useSecondTick(true);
  const facts = [...who(process, stop, sample, t), ...taken(process, sample, t), ...place(process, session?.title, now, t)];
  return (
    <span className="process-second" title={facts.map(({ words }) => words).join(", ")}>
      {facts.map(({ name, words }) => (
        <span key={name} className={`process-${name}`}>
          {words}
        </span>
      ))}
    </span>
  );
}

/** Those that a stop has not ended, or not yet. */
function who(process: Process, stop: Stop, sample: ProcessSample | undefined, t: Translate): Fact[] {
  if (stop.survivors.length > 0) return [{ name: "left", words: t("process-survivors", { pids: listed(stop.survivors), count: stop.survivors.length }) }];
  if (process.state !== "stopping" || sample === undefined) return [];
  return [{ name: "left", words: t("process-left", { count: sample.descendants + 1 }) }];
}

function taken(process: Process, sample: ProcessSample | undefined, t: Translate): Fact[] {
  const facts: Fact[] = [];
  if (sample?.cpuPercent != null) facts.push({ name: "cpu", words: share(sample.cpuPercent) });
  if (sample !== undefined) facts.push({ name: "memory", words: size(sample.rssBytes) });
  const ports = sample?.ports ?? process.ports ?? [];
  if (ports.length > 0) facts.push({ name: "ports", words: ports.map((port) => `:${port}`).join(" ") });
  const others = sample?.descendants ?? process.descendants;
  if (others > 0 && !isFinal(process.state)) facts.push({ name: "tree", words: t("process-in-tree", { count: others + 1 }) });
  return facts;
}

function place(process: Process, session: string | undefined, now: number, t: Translate): Fact[] {
  const output = { name: "output", words: written(process, now, t) };
  return session === undefined ? [output] : [{ name: "session", words: t("process-in-session", { title: session }) }, output];
}

function written(process: Process, now: number, t: Translate): string {
  if (process.lastOutputAtMs != null) return t("process-last-output", { age: age(now - process.lastOutputAtMs) });
  return process.outputBytes > 0 ? size(process.outputBytes) : t("process-no-output");
}
