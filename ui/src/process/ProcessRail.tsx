// Every process, who needs a person first, and below them the one that was picked.
import { Terminal } from "lucide-react";
import { type KeyboardEvent, useRef, useState } from "react";
import { asCallError } from "../bridge/bridge";
import type { Process, Session } from "../bridge/wire";
import { useConnection, useProcess, useProcesses, useSelection, useSetup, useSlice, useStore } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { EVERYTHING, fits, isFiltering } from "./filter";
import { onListKey } from "./listKeys";
import { ProcessDetail } from "./ProcessDetail";
import { ProcessRows } from "./ProcessRows";
import { RailHead, type Shown } from "./RailHead";
import { portsOf, useSampling } from "./samples";
import "./process.css";

const NO_SESSIONS: ReadonlyMap<string, Session> = new Map();
const USUAL: Shown = { ...EVERYTHING, here: false, sort: "newest", finding: false };

/** The rail's list of processes and the detail of the selected one. */
export function ProcessRail({ sessionId }: { sessionId: string | null }) {
  const t = useText();
  const [shown, setShown] = useState<Shown>(USUAL);
  const processes = useProcesses(shown.here && sessionId !== null ? sessionId : undefined);
  const found = useFound(processes, shown);
  const selection = useSelection();
  // Without a gateway nobody knows that there are none.
  const connected = useConnection().kind === "open";
  const selected = useProcess(selection.processId);
  const list = useRef<HTMLDivElement>(null);
  const store = useStore();
  const [trouble, setTrouble] = useState("");
  const [held, setHeld] = useState(false);
  useSampling();
  const onKeyDown = (event: KeyboardEvent) => {
    setTrouble("");
    onListKey(event, {
      store,
      list: list.current,
      openFilter: () => setShown({ ...shown, finding: true }),
      onTrouble: (reason) => setTrouble(asCallError(reason).message),
    });
  };
  return (
    <div className="process-rail">
      <RailHead shown={shown} found={found.length} all={processes.length} onChange={setShown} />
      {processes.length === 0 ? (
        connected && <Empty />
      ) : found.length === 0 ? (
        <NoneFits onAll={() => setShown({ ...shown, ...EVERYTHING, finding: false })} />
      ) : (
        <div
          ref={list}
          className="process-list"
          data-scrolls
          onKeyDown={onKeyDown}
          onPointerEnter={() => setHeld(true)}
          onPointerLeave={() => setHeld(false)}
          onFocus={() => setHeld(true)}
          onBlur={() => setHeld(false)}
        >
          <ProcessRows processes={found} sort={shown.sort} held={held} sessionId={sessionId} selected={selection.processId} onSelect={selection.openProcess} />
        </div>
      )}
      {trouble !== "" && (
        <p className="process-trouble" role="alert">
          {t("not-done", { reason: trouble })}
        </p>
      )}
      {selected !== undefined && <ProcessDetail key={selected.processId} process={selected} />}
    </div>
  );
}

/** Those that are asked for. Sessions are looked at only while words may name one. */
function useFound(processes: readonly Process[], shown: Shown): readonly Process[] {
  const sessions = useSlice((store) => (shown.words.trim() === "" ? NO_SESSIONS : store.state.sessions));
  if (!isFiltering(shown)) return processes;
  return processes.filter((process) => fits(process, shown, { title: sessions.get(process.sessionId)?.title ?? "", ports: portsOf(process) }));
}

function NoneFits({ onAll }: { onAll: () => void }) {
  const t = useText();
  return (
    <div className="process-empty">
      <b>{t("process-none-fits")}</b>
      <button type="button" className="btn sm" onClick={onAll}>
        {t("process-show-all")}
      </button>
    </div>
  );
}

/** A model that only chats starts nothing. */
function Empty() {
  const t = useText();
  const chatOnly = useSetup().health?.modelChatOnly === true;
  return (
    <div className="process-empty">
      <Terminal className="process-empty-icon" strokeWidth={1.5} aria-hidden />
      <b>{t("process-none")}</b>
      <span>{chatOnly ? t("process-none-chat") : t("process-none-how")}</span>
    </div>
  );
}
