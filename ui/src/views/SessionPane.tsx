// The open session: header, transcript, dock.
import { PanelLeft, PanelRight, Square, SquarePen, Unplug } from "lucide-react";
import type { Session } from "../bridge/wire";
import { useBridge, useConnection, useSession, useSessions, useStore, useView, type Connection } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { Dock } from "../composer/Dock";
import { useNewSession } from "../session/newSession";
import { WarningBanner } from "../settings/WarningBanner";
import { Transcript } from "../transcript/Transcript";
import { Waiting } from "../transcript/Waiting";
import type { Panes } from "./panes";
import { ApprovalMenu, ModelMenu } from "./HeadMenus";
import { useStopFailure, useStopTurn } from "./stopTurn";
import { FindBar } from "./FindBar";
import { Trouble } from "./Trouble";

interface SessionPaneProps {
  sessionId: string | null;
  panes: Panes;
  /** Grows with every wish to find something here; 0 while nobody looks. */
  finding: number;
  onFound: () => void;
}

/** The pane in the middle. */
export function SessionPane({ sessionId, panes, finding, onFound }: SessionPaneProps) {
  const session = useSession(sessionId);
  const connection = useConnection();
  return (
    <>
      <Header session={session} panes={panes} />
      {connection.kind === "closed" ? <Closed message={connection.message} /> : null}
      <Trouble />
      <WarningBanner />
      {session?.reaping ? <Reaping many={session.reaping} /> : null}
      {sessionId === null || session === undefined ? (
        <NoSession connection={connection} opening={sessionId !== null} />
      ) : (
        <>
          {finding > 0 ? <FindBar key={`find ${session.sessionId}`} sessionId={session.sessionId} asked={finding} onClose={onFound} /> : null}
          <Transcript sessionId={session.sessionId} />
          <Waiting sessionId={session.sessionId} />
          <Dock key={session.sessionId} sessionId={session.sessionId} />
        </>
      )}
    </>
  );
}

function Header({ session, panes }: { session: Session | undefined; panes: Panes }) {
  const t = useText();
  const needed = useSessions().some((row) => row.group === "needs_you" && row.sessionId !== session?.sessionId);
  return (
    <header className="main-head">
      {panes.layout === "one" || !panes.sidebar ? (
        <button type="button" className="btn ghost ic" title={t("sidebar-open")} aria-label={needed ? t("sidebar-open-needed") : t("sidebar-open")} onClick={panes.toggleSidebar}>
          <PanelLeft className="icon" aria-hidden />
          {needed ? <span className="head-lamp" aria-hidden /> : null}
        </button>
      ) : null}
      <h1 className="main-title cut">{session === undefined ? t("app-name") : session.title || t("session-untitled")}</h1>
      <span className="grow" />
      {panes.layout === "one" ? null : <ModelMenu />}
      <ApprovalMenu />
      {session?.runningTurnId == null ? null : <StopButton sessionId={session.sessionId} turnId={session.runningTurnId} />}
      {panes.layout === "one" || (panes.layout === "three" && !panes.rail) ? (
        <button type="button" className="btn ghost ic" title={t("rail-open")} aria-label={t("rail-open")} onClick={panes.toggleRail}>
          <PanelRight className="icon" aria-hidden />
        </button>
      ) : null}
    </header>
  );
}

function StopButton({ sessionId, turnId }: { sessionId: string; turnId: string }) {
  const t = useText();
  const { stop } = useStopTurn();
  const failure = useStopFailure(sessionId);
  return (
    <>
      {failure === undefined ? null : (
        <span className="head-error cut" role="alert" title={failure}>
          {t("stop-failed", { reason: failure })}
        </span>
      )}
      <button type="button" className="btn" onClick={() => stop(sessionId, turnId)}>
        <Square className="icon k solid" aria-hidden />
        {t("stop")} <kbd>{t("key-stop")}</kbd>
      </button>
    </>
  );
}

function Reaping({ many }: { many: number }) {
  const t = useText();
  return (
    <p className="banner" role="status">
      {t("turn-stopped-reaping", { count: many })}
    </p>
  );
}

function Closed({ message }: { message: string }) {
  const t = useText();
  return (
    <div className="banner fail" role="alert">
      <Unplug className="icon" aria-hidden />
      <span>
        <b>{t("connection-closed")}</b> {message}
      </span>
      <span className="grow" />
      <button type="button" className="btn sm" onClick={() => location.reload()}>
        {t("connection-open-again")}
      </button>
    </div>
  );
}

function NoSession({ connection, opening }: { connection: Connection; opening: boolean }) {
  const t = useText();
  const { create, error } = useNewSession();
  const { openSettings } = useView();
  const { desktop } = useBridge();
  const { tryNow } = useStore();
  if (connection.kind === "retrying") {
    const noData = connection.code === "store_unavailable";
    return (
      <div className="transcript-state">
        <Unplug className="state-glyph" strokeWidth={1.5} aria-hidden />
        <p className="state-fact">{t(noData ? "gateway-no-data" : "gateway-away")}</p>
        <p className="t2">{connection.message}</p>
        {noData ? null : <p className="t2">{t(desktop === null ? "gateway-away-how" : "gateway-away-how-app")}</p>}
        <div className="state-actions">
          {noData ? (
            <button type="button" className="btn" onClick={() => openSettings("data")}>
              {t("backups-show")}
            </button>
          ) : null}
          <button type="button" className={noData ? "btn ghost" : "btn"} aria-disabled={connection.atMs === null} onClick={tryNow}>
            {t("gateway-try-now")}
          </button>
        </div>
      </div>
    );
  }
  if (opening || connection.kind !== "open") return <div className="transcript-state" />;
  return (
    <div className="transcript-state">
      <SquarePen className="state-glyph" strokeWidth={1.5} aria-hidden />
      <p className="state-fact">{t("no-session")}</p>
      <p className="t2">{t("no-session-how")}</p>
      {error === null ? null : <p className="sidebar-error">{t("session-new-failed", { reason: error.message })}</p>}
      <button type="button" className="btn primary" onClick={create}>
        {t("session-new")}
      </button>
    </div>
  );
}
