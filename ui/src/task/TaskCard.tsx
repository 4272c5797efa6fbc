// One tool call, from "will run" to its end. Closed it is one row of 28 px and stays so; it opens in place.
import { ChevronDown, ChevronRight } from "lucide-react";
import { type ReactNode, useId } from "react";
import type { Card, Item } from "../bridge/wire";
import { useProcess } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { useDensity } from "../look/look";
import { CopyButton } from "../shared/CopyButton";
import { useDisclosure } from "../shared/disclosure";
import { duration, size } from "../shared/format";
import { Glyph } from "../shared/Glyph";
import { useSecondTick } from "../shared/tick";
import { cardWords, unsettled } from "./words";
import "./task.css";

interface TaskCardProps {
  item: Item;
  card: Card;
  /** What a person answered before it ran, in words. */
  verdict?: string | null;
  /** Links that back the result, already drawn. */
  sources?: ReactNode;
  onOpenProcess: (processId: string) => void;
}

/** A tool call's card. Two calls of one tool are two cards: a card is known by its turn and its call's own id. */
export function TaskCard({ item, card, verdict = null, sources, onOpenProcess }: TaskCardProps) {
  const t = useText();
  const bodyId = useId();
  const failed = card.status === "error" && card.annotation == null;
  const verbose = useDensity() === "verbose";
  const [open, toggle] = useDisclosure(`task ${item.sessionId} ${item.turnId ?? ""} ${card.id}`, failed || verbose);
  const process = useProcess(card.processId ?? null);
  // They are told where it was started, not again by each look at it.
  const matches = card.tool === "process" ? 0 : (process?.matches ?? 0);
  const words = cardWords(card, process?.command ?? null, t);
  // The answer says more than "denied".
  const result = card.annotation === "denied" && verdict !== null ? null : words.result;
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <div role="group" className={frame(open, failed)} aria-label={`${words.verb} ${words.object}`.trim()} data-card-id={card.id} data-status={card.status}>
      <button type="button" className="task-row" aria-expanded={open} aria-controls={bodyId} onClick={toggle}>
        <Glyph name={words.glyph} />
        <span className="task-verb">{words.verb}</span>
        {words.object !== "" && (
          <span className="task-object" title={words.object}>
            {words.object}
          </span>
        )}
        {result !== null && <span className={`task-result tone-${words.tone}`}>{result}</span>}
        {matches > 0 && <span className="task-matches">{t("task-matches", { count: matches })}</span>}
        {verdict !== null && <span className="task-verdict">{verdict}</span>}
        <Elapsed card={card} />
        <Chevron className="icon k task-chevron" aria-hidden />
      </button>
      {open && (
        <div id={bodyId} className="task-body">
          {card.details !== "" && card.details !== card.title && <p className="task-details">{card.details}</p>}
          {card.output !== "" && (
            <pre className="task-output" tabIndex={0} aria-label={t("task-output")}>
              {card.output}
            </pre>
          )}
          {sources}
          <Foot card={card} onOpenProcess={onOpenProcess} />
        </div>
      )}
    </div>
  );
}

function frame(open: boolean, failed: boolean): string {
  if (!open) return "task task-closed";
  return failed ? "task task-opened task-failed" : "task task-opened";
}

/** How long it took, or has taken until now. */
function Elapsed({ card }: { card: Card }) {
  const running = unsettled(card);
  const now = useSecondTick(running);
  const t = useText();
  if (card.status === "pending") return <span className="task-elapsed">{t("task-waiting")}</span>;
  // What did not run took no time.
  if (card.annotation === "denied") return null;
  const end = card.endedAtMs ?? (running ? Math.max(now, card.startedAtMs) : null);
  if (end === null) return null;
  return <span className="task-elapsed">{duration(end - card.startedAtMs, { exact: !running })}</span>;
}

function Foot({ card, onOpenProcess }: { card: Card; onOpenProcess: (processId: string) => void }) {
  const t = useText();
  const { processId } = card;
  return (
    <div className="task-foot">
      <span className="task-size">{shown(card, t)}</span>
      {card.output !== "" && <CopyButton text={card.output} />}
      {processId != null && (
        <button type="button" className="btn sm ghost" onClick={() => onOpenProcess(processId)}>
          {t("open-process")}
        </button>
      )}
    </div>
  );
}

/** What part of the output stands here: always with its size, never just "cut". */
function shown(card: Card, t: ReturnType<typeof useText>): string {
  const here = new TextEncoder().encode(card.output).length;
  if (card.outputBytes > here) return t("output-shown", { shown: size(here), total: size(card.outputBytes) });
  if (here === 0) return t("output-none");
  return t("output-lines", { lines: card.output.replace(/\n$/, "").split("\n").length });
}
