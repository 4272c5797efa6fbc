// Messages that wait for the running turn: sent now, changed, taken back, or put in another order.
import { ChevronDown, ChevronRight, CornerDownLeft } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Queued } from "../bridge/wire";
import { asCallError, type CommandName, type Commands } from "../bridge/bridge";
import { useBridge, useSession } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { announce } from "../shared/announce";
import { useDisclosure } from "../shared/disclosure";
import { QueueCard } from "./QueueCard";
import { useQueueEdit } from "./queueEdit";
import { neighbour, useSorting } from "./sorting";

/** More than this fold into one row. */
const SHOWN = 3;
const NONE: readonly Queued[] = [];

/** One row for each waiting message. */
export function QueueCards({ sessionId }: { sessionId: string }) {
  const session = useSession(sessionId);
  const queued = session?.queued ?? NONE;
  if (queued.length === 0) return null;
  return <Cards sessionId={sessionId} queued={queued} paused={session?.queuePaused === true} />;
}

function Cards({ sessionId, queued, paused }: { sessionId: string; queued: readonly Queued[]; paused: boolean }) {
  const t = useText();
  const list = useRef<HTMLUListElement>(null);
  const [unfolded, toggle] = useDisclosure(`queue ${sessionId}`, false);
  const { run, trouble } = useRun();
  const editing = useQueueEdit();
  const editedHere = queued.some((message) => message.admissionId === editing);
  const folded = queued.length > SHOWN;
  const open = !folded || unfolded || editedHere;
  const refocus = useFocusThatMoves(list, queued);
  const move = (from: number, before: number) => {
    const moved = queued[from];
    if (moved === undefined) return;
    const next = queued[before];
    refocus(moved.admissionId);
    announce(t("queue-moved", { place: before > from ? before : before + 1, count: queued.length }));
    run("move_queued", { admissionId: moved.admissionId, ...(next === undefined ? {} : { before: next.admissionId }) });
  };
  const sorting = useSorting(list, move);
  const resume = () => run("resume_queue", { sessionId });
  return (
    <>
      <ul className="queue" ref={list} aria-label={t("queue-label")}>
        {folded && (
          <li className="queue-fold">
            <button type="button" className="queue-card" aria-expanded={open} onClick={toggle}>
              <CornerDownLeft className="icon" strokeWidth={1.75} aria-hidden />
              <span className="queue-text">{t("queue-many", { count: queued.length })}</span>
              {open ? <ChevronDown className="icon k" aria-hidden /> : <ChevronRight className="icon k" aria-hidden />}
            </button>
            {paused && !open && <Paused onResume={resume} />}
          </li>
        )}
        {open &&
          queued.map((message, at) => (
            <QueueCard
              key={message.admissionId}
              sessionId={sessionId}
              message={message}
              at={at}
              many={queued.length}
              editing={editing === message.admissionId}
              sorting={sorting}
              run={run}
              onStep={(step) => {
                const before = neighbour(at, queued.length, step);
                if (before !== null) move(at, before);
              }}
            >
              {paused && at === 0 ? <Paused onResume={resume} /> : null}
              {paused ? null : (
                <button type="button" className="btn sm ghost" onClick={() => run("send_queued_now", { admissionId: message.admissionId })}>
                  {t("queue-send-now")}
                </button>
              )}
            </QueueCard>
          ))}
      </ul>
      {trouble !== "" && (
        <p className="queue-trouble" role="alert">
          {trouble}
        </p>
      )}
    </>
  );
}

function Paused({ onResume }: { onResume: () => void }) {
  const t = useText();
  return (
    <>
      <span className="queue-paused">{t("queue-paused")}</span>
      <button type="button" className="btn sm" onClick={onResume}>
        {t("queue-resume")}
      </button>
    </>
  );
}

/** The commands that change a queue. */
export type QueueCommand = Extract<CommandName, "edit_queued" | "remove_queued" | "move_queued" | "send_queued_now" | "resume_queue">;
/** Runs one of them; answers whether it was taken. */
export type RunQueue = <K extends QueueCommand>(command: K, params: Commands[K]["params"]) => Promise<boolean>;

function useRun(): { run: RunQueue; trouble: string } {
  const t = useText();
  const bridge = useBridge();
  const [trouble, setTrouble] = useState("");
  const run: RunQueue = async (command, params) => {
    setTrouble("");
    try {
      await bridge.call(command, params);
      return true;
    } catch (reason) {
      const error = asCallError(reason);
      // It was sent meanwhile, or taken back in another window.
      setTrouble(error.code === "not_found" ? t("queue-gone") : t("queue-failed", { reason: error.message }));
      return false;
    }
  };
  return { run, trouble };
}

/** A card that changes its place keeps the focus within it. */
function useFocusThatMoves(list: React.RefObject<HTMLElement | null>, queued: readonly Queued[]): (admissionId: string) => void {
  const wanted = useRef<{ admissionId: string; name: string } | null>(null);
  useLayoutEffect(() => {
    const { current } = wanted;
    if (current === null || document.activeElement !== document.body) return;
    const cards = [...(list.current?.querySelectorAll<HTMLElement>("[data-admission-id]") ?? [])];
    const card = cards.find((one) => one.dataset["admissionId"] === current.admissionId);
    card?.querySelector<HTMLElement>(`[data-act="${current.name}"]`)?.focus();
  }, [list, queued]);
  useEffect(() => {
    wanted.current = null;
  }, [queued]);
  return (admissionId) => {
    const active = document.activeElement;
    if (!(active instanceof HTMLElement) || list.current?.contains(active) !== true) return;
    wanted.current = { admissionId, name: active.dataset["act"] ?? "edit" };
  };
}
