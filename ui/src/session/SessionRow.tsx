// One session in the sidebar: two lines while something is going on in it, one otherwise.
import { MessageSquareOff } from "lucide-react";
import { memo } from "react";
import type { Process, Session } from "../bridge/wire";
import { useSlice } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { MutedSign } from "../process/muting";
import { alive, waitsForInput } from "../process/order";
import { age, fullTime, when } from "../shared/format";
import { Glyph } from "../shared/Glyph";
import { useSecondTick } from "../shared/tick";
import { groupOf } from "./groups";

interface SessionRowProps {
  session: Session;
  selected: boolean;
  inTabOrder: boolean;
  onChoose: (sessionId: string) => void;
}

/** The row. */
export const SessionRow = memo(function SessionRow({ session, selected, inTabOrder, onChoose }: SessionRowProps) {
  const t = useText();
  const group = groupOf(session);
  const busy = group === "needs_you" || group === "running";
  // What the agent asks comes first; without a question it is a program that waits for somebody to type.
  const waiting = useCommand(group === "needs_you" && session.pendingApprovals === 0 ? session.sessionId : null, waitsForInput);
  // Between turns nothing has been said about it; then its process is what goes on.
  const live = useCommand(busy && waiting === undefined && session.summary === "" ? session.sessionId : null, alive);
  const summary = waiting === undefined ? (live ?? session.summary) : t("session-waits-for-input", { command: waiting });
  const twoLines = busy && summary !== "";
  const weight = group === "earlier" ? "earlier" : session.unread > 0 ? "unread" : "read";
  return (
    <button
      type="button"
      className="session-row"
      data-session-id={session.sessionId}
      data-group={group}
      data-weight={weight}
      data-lines={twoLines ? 2 : 1}
      aria-current={selected}
      tabIndex={inTabOrder ? 0 : -1}
      onClick={() => onChoose(session.sessionId)}
    >
      <SessionGlyph session={session} />
      <span className="session-title cut">{session.title === "" ? t("session-untitled") : session.title}</span>
      <span className="session-end">
        {session.muted && <MutedSign />}
        {session.ended == null ? null : <EndedSign closed={session.ended === "closed"} />}
        {busy ? !twoLines && <Elapsed sinceMs={session.lastAtMs} /> : <Ended session={session} />}
      </span>
      {twoLines ? <span className={live === undefined ? "session-summary cut" : "session-summary session-command cut"}>{summary}</span> : null}
      {twoLines ? <Elapsed sinceMs={session.lastAtMs} /> : null}
      {session.unread > 0 ? <span className="hidden">{t("session-unread", { count: session.unread })}</span> : null}
    </button>
  );
});

/** What the newest of those of its processes runs. */
function useCommand(sessionId: string | null, which: (process: Process) => boolean): string | undefined {
  return useSlice(({ state }) => {
    if (sessionId === null) return undefined;
    const mine = [...state.processes.values()].filter((process) => process.sessionId === sessionId && which(process));
    return mine.reduce((last, next) => (next.startedAtMs > (last?.startedAtMs ?? 0) ? next : last), mine[0])?.command;
  });
}

function SessionGlyph({ session }: { session: Session }) {
  switch (groupOf(session)) {
    case "needs_you":
      return <Glyph name="needs" />;
    case "running":
      return <Glyph name={session.reaping > 0 ? "stopping" : "running"} />;
    case "done_today":
      // Nothing happened in it yet, so nothing is complete.
      if (session.lastSeq === 0) return <span />;
      return <Glyph name={session.failed ? "failed" : "complete"} />;
    case "earlier":
      return session.failed ? <Glyph name="failed" /> : <span />;
  }
}

/** Nobody writes here any more, or not until somebody does. */
function EndedSign({ closed }: { closed: boolean }) {
  const t = useText();
  const words = closed ? t("session-is-closed") : t("session-has-ended");
  return (
    <span className="session-over" role="img" aria-label={words} title={words}>
      <MessageSquareOff className="icon k" aria-hidden />
    </span>
  );
}

function Ended({ session }: { session: Session }) {
  const at = session.lastAtMs;
  // Which day it is matters once a day; the row draws again long before that can be noticed.
  const now = useSecondTick(false);
  return (
    <time className="session-when num" dateTime={new Date(at).toISOString()} title={fullTime(at)}>
      {when(at, now)}
    </time>
  );
}

function Elapsed({ sinceMs }: { sinceMs: number }) {
  const now = useSecondTick(true);
  return <span className="session-when num">{age(now - sinceMs)}</span>;
}
