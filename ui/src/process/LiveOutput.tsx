// What a process without a terminal writes, as it writes it. It follows the end until somebody scrolls away from it.
import { memo, type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";
import type { Process } from "../bridge/wire";
import { useBridge, useConnection } from "../feed/hooks";
import { type Translate, useText } from "../l10n/l10n";
import { count, size } from "../shared/format";
import type { Line } from "./ansi";
import { FollowPill } from "./FollowPill";
import type { OutputHandle } from "./output";
import { BLOCK, EMPTY_VIEW, MAX_LINES, OutputReader, type OutputView } from "./reader";
import { LineSearch, textOfLine } from "./search";
import "./output.css";

/** It rushes for so long after the last time that something was left out. */
const RUSH_MS = 1000;
const LINE_PX = 18;
/** How far up a key goes. */
const UP: Readonly<Record<string, (box: HTMLElement) => number>> = {
  ArrowUp: () => 2 * LINE_PX,
  PageUp: (box) => box.clientHeight,
  Home: (box) => box.scrollHeight,
};

interface LiveOutputProps {
  process: Process;
  following: boolean;
  onFollowing: (following: boolean) => void;
  /** Says how much of the output is shown. */
  onNote: (words: string) => void;
  ref: Ref<OutputHandle>;
}

/** The live view of one process's output. */
export function LiveOutput({ process, following, onFollowing, onNote, ref }: LiveOutputProps) {
  const t = useText();
  const view = useOutput(process);
  const box = useRef<HTMLDivElement>(null);
  const [search] = useState(() => new LineSearch());
  const last = view.lines.at(-1)?.number ?? -1;
  const [pausedAt, setPausedAt] = useState<number | null>(null);
  if (following !== (pausedAt === null)) setPausedAt(following ? null : last);
  const note = amount(view, t);

  useEffect(() => onNote(note), [onNote, note]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && following) element.scrollTop = element.scrollHeight;
  }, [view, following]);
  useImperativeHandle(
    ref,
    () => ({
      focus: () => {
        box.current?.focus();
        return box.current !== null;
      },
      find: (words, step) => search.find(box.current, view.lines, words, step),
      endFind: () => search.end(),
      text: () => view.lines.map(textOfLine).join("\n"),
    }),
    [search, view],
  );

  const rushing = useRush(view) && following;
  const lookUp = (by: number) => {
    if (by >= 0 || !rushing || box.current === null) return;
    onFollowing(false);
    box.current.scrollTop += by;
  };

  const onScroll = () => {
    const element = box.current;
    if (element === null) return;
    const atEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - 4;
    if (atEnd !== following) onFollowing(atEnd);
  };
  return (
    <div className="output-frame">
      <div
        ref={box}
        className={rushing ? "output output-rushing" : "output"}
        role="log"
        aria-live="off"
        aria-label={t("task-output")}
        tabIndex={0}
        dir="ltr"
        onScroll={onScroll}
        onWheel={(event) => lookUp(event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1))}
        onKeyDown={(event) => lookUp(-(UP[event.key]?.(event.currentTarget) ?? 0))}
      >
        <Lines view={view} />
        {view.trouble !== null && <p className="output-note output-trouble">{t("output-trouble", { reason: view.trouble })}</p>}
        {view.lines.length === 0 && view.trouble === null && <p className="output-note">{t("output-nothing")}</p>}
      </div>
      {!following && <FollowPill words={t("output-paused", { lines: Math.max(0, last - (pausedAt ?? last)) })} onFollow={() => onFollowing(true)} />}
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

/** Whether more is written than can be read: something was left out just now. */
function useRush({ gaps }: OutputView): boolean {
  const jumped = gaps.findLast((gap) => gap.kept)?.at ?? -1;
  const [calm, setCalm] = useState(-1);
  useEffect(() => {
    if (jumped <= calm) return undefined;
    const timer = setTimeout(() => setCalm(jumped), RUSH_MS);
    return () => clearTimeout(timer);
  }, [jumped, calm]);
  return jumped > calm;
}

/** How much of it stands here, in figures. */
function amount(view: OutputView, t: Translate): string {
  const first = view.lines[0]?.number ?? 0;
  if (first > 0) return t("output-last-lines", { lines: count(MAX_LINES), total: size(view.total) });
  if (view.before > 0) return t("output-shown", { shown: size(view.total - view.before), total: size(view.total) });
  return size(view.total);
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

/** The browser skips the blocks that are out of sight. A block is drawn again only when its last line changed; lines never change once another follows. */
const LineBlock = memo(
  function LineBlock({ lines, gaps }: LineBlockProps) {
    const t = useText();
    return (
      <div className="output-block">
        {lines.map((line) => (
          <div key={line.number} data-line={line.number}>
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
