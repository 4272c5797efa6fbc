// Everything at the foot of a transcript: what waits, what lives, what went wrong with a message, and the composer.
import { useEffect, useRef } from "react";
import type { Process } from "../bridge/wire";
import { useBridge, useProcesses, useSession } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { outcome } from "../process/outcome";
import { announce } from "../shared/announce";
import { Composer } from "./Composer";
import { readDrafts } from "./drafts";
import { ClosedNote, EndedNote, isOver, SubAgentNote } from "./EndedNote";
import { QueueCards } from "./QueueCards";
import { StatusStack } from "./StatusStack";
import { UnsentNote } from "./UnsentNote";
import "./composer.css";

/** The dock of one session. */
export function Dock({ sessionId }: { sessionId: string }) {
  const bridge = useBridge();
  const session = useSession(sessionId);
  useSpokenStates(sessionId);
  useEffect(() => readDrafts(bridge), [bridge]);
  return (
    <div className="dock" data-session={sessionId}>
      <div className="dock-column">
        <QueueCards sessionId={sessionId} />
        <StatusStack sessionId={sessionId} />
        <UnsentNote sessionId={sessionId} />
        {session?.delegatedFrom != null ? (
          <SubAgentNote owner={session.delegatedFrom} />
        ) : session !== undefined && isOver(session) ? (
          <EndedNote sessionId={sessionId} />
        ) : (
          <>
            {session?.ended === "closed" ? <ClosedNote /> : null}
            <Composer key={sessionId} sessionId={sessionId} />
          </>
        )}
      </div>
    </div>
  );
}

/** Says how this session's processes stand when that changes. */
function useSpokenStates(sessionId: string): void {
  const t = useText();
  const processes = useProcesses(sessionId);
  const before = useRef<{ sessionId: string; states: Map<string, string> } | null>(null);
  useEffect(() => {
    const states = new Map(processes.map((process) => [process.processId, key(process)]));
    const known = before.current;
    before.current = { sessionId, states };
    // What was there when the session came up is no news.
    if (known === null || known.sessionId !== sessionId) return;
    for (const process of processes) {
      if (known.states.get(process.processId) === key(process)) continue;
      announce(`${process.command} ${outcome(process, t).words}`);
    }
  }, [processes, sessionId, t]);
}

function key(process: Process): string {
  return `${process.state} ${process.attention ?? ""}`;
}
