// What a process writes, as it writes it. It follows the end until somebody scrolls away from it.
import { memo, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Process } from "../bridge/wire";
import { useBridge, useConnection } from "../feed/hooks";
import { type Translate, useText } from "../l10n/l10n";
import { count, size } from "../shared/format";
import type { Line } from "./ansi";
import { EMPTY_VIEW, MAX_LINES, OutputReader, type OutputView } from "./reader";
import "./output.css";

/** Lines are drawn in blocks of this many; the browser skips the blocks that are out of sight. */
const BLOCK = 100;

/** The live view of one process's output. */
export function LiveOutput({ process }: { process: Process }) {
  const t = useText();
  const view = useOutput(process);
  const box = useRef<HTMLDivElement>(null);
  const [pausedAt, setPausedAt] = useState<number | null>(null);
  const last = view.lines.at(-1)?.number ?? -1;

  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && pausedAt === null) element.scrollTop = element.scrollHeight;
  }, [view, pausedAt]);

  const onScroll = () => {
    const element = box.current;
    if (element === null) return;
    const atEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - 4;
    if (atEnd) setPausedAt(null);
    else if (pausedAt === null) setPausedAt(last);
  };
  return (
    <div className="output-frame">
      <div ref={box} className="output" role="log" aria-live="off" aria-label={t("task-output")} tabIndex={0} onScroll={onScroll} dir="ltr">
        <Head view={view} t={t} />
        <Lines view={view} />
        {view.trouble !== null && <p className="output-note output-trouble">{t("output-trouble", { reason: view.trouble })}</p>}
        {view.lines.length === 0 && view.trouble === null && <p className="output-note">{t("output-nothing")}</p>}
      </div>
      {pausedAt !== null && (
        <button type="button" className="btn sm output-follow" onClick={() => setPausedAt(null)}>
          {t("output-paused", { lines: Math.max(0, last - pausedAt) })}
        </button>
      )}
    </div>
  );
}

function useOutput(process: Process): OutputView {
  const bridge = useBridge();
  const { processId, outputBytes } = process;
  const [view, setView] = useState<OutputView>(EMPTY_VIEW);
  const reader = useRef<OutputReader | null>(null);
  // What could not be read while the gateway was away is read when it is back.
  const connection = useConnection().kind;
  useEffect(() => {
    const mine = new OutputReader((from, max) => bridge.call("read_output", { processId, from, max }), setView);
    reader.current = mine;
    return () => mine.close();
  }, [bridge, processId]);
  useEffect(() => {
    void reader.current?.advance(outputBytes);
  }, [bridge, processId, outputBytes, connection]);
  return view;
}

/** What stands before the first line, in figures. */
function Head({ view, t }: { view: OutputView; t: Translate }) {
  const first = view.lines[0]?.number ?? 0;
  if (first > 0) return <p className="output-note">{t("output-last-lines", { lines: count(MAX_LINES), total: size(view.total) })}</p>;
  if (view.before === 0) return null;
  return <p className="output-note">{t("output-shown", { shown: size(view.total - view.before), total: size(view.total) })}</p>;
}

function Lines({ view }: { view: OutputView }) {
  const blocks: { key: number; lines: Line[] }[] = [];
  for (const line of view.lines) {
    const key = Math.floor(line.number / BLOCK);
    const block = blocks.at(-1);
    if (block?.key === key) block.lines.push(line);
    else blocks.push({ key, lines: [line] });
  }
  return blocks.map(({ key, lines }) => (
    <LineBlock key={key} lines={lines} gaps={view.gaps.filter((gap) => Math.floor(gap.at / BLOCK) === key)} />
  ));
}

interface LineBlockProps {
  lines: readonly Line[];
  gaps: OutputView["gaps"];
}

/** A block is drawn again only when its last line changed; lines never change once another follows. */
const LineBlock = memo(
  function LineBlock({ lines, gaps }: LineBlockProps) {
    const t = useText();
    return (
      <div className="output-block">
        {lines.map((line) => (
          <div key={line.number}>
            {line.runs.map((run, index) => (run.look === "" ? run.text : <span key={index} className={run.look}>{run.text}</span>))}
            {line.runs.length === 0 && "\u200b"}
            {gaps.filter((gap) => gap.at === line.number).map((gap) => (
              <span key={gap.at} className="output-gap">
                {gap.kept ? t("output-skipped", { size: size(gap.bytes) }) : t("output-dropped", { size: size(gap.bytes) })}
              </span>
            ))}
          </div>
        ))}
      </div>
    );
  },
  (before, after) =>
    before.lines.length === after.lines.length &&
    before.lines[0] === after.lines[0] &&
    before.lines.at(-1) === after.lines.at(-1) &&
    before.gaps.length === after.gaps.length,
);
