// The line at the bottom: whether the gateway answers, which model, who is needed, what runs, what was told.
import { Bell, BellOff, Cpu, OctagonX, SlidersHorizontal, SquareTerminal } from "lucide-react";
import type { FrameActions } from "../actions/actions";
import { useConnection, useIncidents, useNotices, useProcesses, useRestarting, useSelection, useSessions, useSetup, useStore, useView, type Connection } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { worst } from "../incidents/words";
import { alive } from "../process/order";
import { groupSessions } from "../session/groups";
import { Glyph } from "../shared/Glyph";
import { shortModel } from "../shared/model";
import { Restarting } from "../restart/Restarting";
import { useSecondTick } from "../shared/tick";

interface StatusBarProps {
  frame: FrameActions;
  noticesOpen: boolean;
  incidentsOpen: boolean;
}

/** The bar. */
export function StatusBar({ frame, noticesOpen, incidentsOpen }: StatusBarProps) {
  const t = useText();
  const connection = useConnection();
  const restarting = useRestarting();
  const { health, quietUntilMs } = useSetup();
  const { openSession } = useSelection();
  const { openSettings } = useView();
  const needed = groupSessions(useSessions()).find(({ group }) => group === "needs_you")?.sessions ?? [];
  const processes = useProcesses();
  // They outlive the gateway: before it has told of them nobody knows that there are none.
  const isKnown = connection.kind === "open" || processes.length > 0;
  // A question that waits is told by the lamp; the bell counts what happened.
  const unread = useNotices().filter((notice) => !notice.read && notice.kind !== "approval").length;
  return (
    <footer className="status-bar">
      {restarting !== null && connection.kind !== "closed" ? (
        <Restarting restarting={restarting} isHere={connection.kind === "open"} />
      ) : (
        <Gateway connection={connection} onOpen={() => openSettings("about")} />
      )}
      {restarting !== null || health?.model == null || connection.kind !== "open" ? null : (
        <button type="button" className="status-cell status-model" onClick={() => openSettings("models")}>
          <Cpu className="icon k" aria-hidden />
          <span className="cut">{health.modelLocal ? t("status-model-here", { model: shortModel(health.model) }) : health.model}</span>
        </button>
      )}
      <span className="grow" />
      {needed.length > 0 ? (
        <button type="button" className="status-cell" onClick={() => openSession(needed[0]?.sessionId ?? null)}>
          <Glyph name="needs" small />
          <span className="num">{t("status-need", { count: needed.length })}</span>
        </button>
      ) : null}
      <IncidentsCell open={incidentsOpen} onOpen={frame.openIncidents} />
      <button type="button" className="status-cell status-processes" data-testid="processes" onClick={frame.showProcesses}>
        <SquareTerminal className="icon k" aria-hidden />
        <span className="num">{isKnown ? t("status-processes", { count: processes.filter(alive).length }) : t("rail-processes")}</span>
      </button>
      <button type="button" className="status-cell" aria-label={t("status-notices", { count: unread })} aria-expanded={noticesOpen} data-testid="bell" onClick={frame.openNotices}>
        {quietUntilMs === null ? <Bell className="icon k" aria-hidden /> : <BellOff className="icon k" aria-hidden />}
        {unread > 0 ? <span className="num">{unread}</span> : null}
      </button>
      <button type="button" className="status-cell" title={t("action-settings")} aria-label={t("action-settings")} data-testid="settings-open" onClick={() => openSettings()}>
        <SlidersHorizontal className="icon k" aria-hidden />
      </button>
    </footer>
  );
}

/** Only while there are any. */
function IncidentsCell({ open, onOpen }: { open: boolean; onOpen: () => void }) {
  const t = useText();
  const incidents = useIncidents();
  if (incidents.length === 0) return null;
  return (
    <button type="button" className="status-cell" aria-expanded={open} data-testid="incidents-open" onClick={onOpen}>
      <Glyph name={worst(incidents)} small />
      <span className="num">{t("status-incidents", { count: incidents.length })}</span>
    </button>
  );
}

function Gateway({ connection, onOpen }: { connection: Connection; onOpen: () => void }) {
  const t = useText();
  switch (connection.kind) {
    case "opening":
      return <span className="status-cell">{t("gateway-opening")}</span>;
    case "open":
      return (
        <button type="button" className="status-cell" onClick={onOpen}>
          <span className="status-dot" aria-hidden />
          {t("gateway-running")}
        </button>
      );
    case "retrying":
      return <Retrying atMs={connection.atMs} noData={connection.code === "store_unavailable"} />;
    case "closed":
      return (
        <span className="status-cell fail">
          <OctagonX className="icon k" aria-hidden />
          {t("gateway-closed")}
        </span>
      );
  }
}

function Retrying({ atMs, noData }: { atMs: number | null; noData: boolean }) {
  const t = useText();
  const { tryNow } = useStore();
  const now = useSecondTick(true);
  return (
    <button type="button" className="status-cell fail num" title={t("gateway-try-now")} aria-disabled={atMs === null} onClick={tryNow}>
      <OctagonX className="icon k" aria-hidden />
      {atMs === null
        ? t(noData ? "gateway-no-data-trying" : "gateway-trying")
        : t(noData ? "gateway-no-data-retrying" : "gateway-retrying", { seconds: Math.max(1, Math.ceil((atMs - now) / 1000)) })}
    </button>
  );
}
