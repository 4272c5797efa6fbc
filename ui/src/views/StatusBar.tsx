// The line at the bottom: whether the gateway answers, who is needed, what runs.
import { Cpu, OctagonX, SlidersHorizontal, SquareTerminal } from "lucide-react";
import { useConnection, useProcesses, useSelection, useSessions, useSetup, useView, type Connection } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { Glyph } from "../shared/Glyph";
import { useSecondTick } from "../shared/tick";
import { groupSessions } from "../session/groups";

/** The bar. */
export function StatusBar({ showRail }: { showRail: () => void }) {
  const t = useText();
  const connection = useConnection();
  const { health } = useSetup();
  const { openSession } = useSelection();
  const { openSettings } = useView();
  const needed = groupSessions(useSessions()).find(({ group }) => group === "needs_you")?.sessions ?? [];
  const alive = useProcesses().filter((process) => process.endedAtMs == null).length;
  return (
    <footer className="status-bar">
      <Gateway connection={connection} />
      {health?.model == null || connection.kind !== "open" ? null : (
        <span className="status-cell status-model">
          <Cpu className="icon k" aria-hidden />
          {health.model}
        </span>
      )}
      <span className="grow" />
      {needed.length > 0 ? (
        <button type="button" className="status-cell" onClick={() => openSession(needed[0]?.sessionId ?? null)}>
          <Glyph name="needs" small />
          <span className="num">{t("status-need", { count: needed.length })}</span>
        </button>
      ) : null}
      <button type="button" className="status-cell status-processes" onClick={showRail}>
        <SquareTerminal className="icon k" aria-hidden />
        <span className="num">{t("status-processes", { count: alive })}</span>
      </button>
      <button type="button" className="status-cell" data-testid="settings-open" title={t("settings-label")} aria-label={t("settings-label")} onClick={() => openSettings()}>
        <SlidersHorizontal className="icon k" aria-hidden />
      </button>
    </footer>
  );
}

function Gateway({ connection }: { connection: Connection }) {
  const t = useText();
  switch (connection.kind) {
    case "opening":
      return <span className="status-cell">{t("gateway-opening")}</span>;
    case "open":
      return (
        <span className="status-cell">
          <span className="status-dot" aria-hidden />
          {t("gateway-running")}
        </span>
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

function Retrying({ atMs, noData }: { atMs: number; noData: boolean }) {
  const t = useText();
  const now = useSecondTick(true);
  const seconds = Math.max(1, Math.ceil((atMs - now) / 1000));
  return (
    <span className="status-cell fail num">
      <OctagonX className="icon k" aria-hidden />
      {t(noData ? "gateway-no-data-retrying" : "gateway-retrying", { seconds })}
    </span>
  );
}
