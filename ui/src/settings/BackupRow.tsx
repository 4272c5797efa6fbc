// One copy of the data, and putting it in the place of what is there: asked twice, carried out by the next start, which
// comes at once.
import { useState } from "react";
import { asCallError } from "../bridge/bridge";
import type { Backup } from "../bridge/wire";
import { useBridge, useView } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { fullTime, size } from "../shared/format";
import { FieldError } from "./Row";

type Phase = "rest" | "asking" | "restarting" | "ordered";

/** The row. */
export function BackupRow({ backup, refused }: { backup: Backup; refused: boolean }) {
  const t = useText();
  const { phase, error, ask, keep, restore } = useRestore(backup, refused);
  const when = new Date(backup.atMs).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
  return (
    <li className="set set-backup" data-testid={`backup-${backup.name}`}>
      <p className="set-label num">
        <time dateTime={new Date(backup.atMs).toISOString()} title={fullTime(backup.atMs)}>
          {when}
        </time>
        <span className="set-kind">{size(backup.bytes)}</span>
      </p>
      <div className="set-control">
        {phase === "rest" ? (
          <button type="button" className="btn sm" aria-label={t("backup-restore-of", { when })} onClick={ask}>
            {t("backup-restore")}
          </button>
        ) : null}
      </div>
      {phase === "asking" ? (
        <div className="set-ask" role="group" aria-label={t("backup-restore-of", { when })}>
          <p className="set-effect">{refused ? t("backup-ask-refused", { when }) : t("backup-ask", { when })}</p>
          <button type="button" className="btn sm danger" ref={focusIt} onClick={restore}>
            {refused ? t("backup-restore") : t("backup-restore-restart")}
          </button>
          <button type="button" className="btn ghost sm" onClick={keep}>
            {t("backup-keep")}
          </button>
        </div>
      ) : null}
      {phase === "restarting" || phase === "ordered" ? (
        <p className="set-outcome" role="status">
          <span>{phase === "restarting" ? t("backup-restarting") : t("backup-ordered")}</span>
        </p>
      ) : null}
      {error === null ? null : <FieldError>{error}</FieldError>}
    </li>
  );
}

/** Whoever was asked answers there. */
function focusIt(button: HTMLButtonElement | null): void {
  button?.focus();
}

function useRestore({ name }: Backup, refused: boolean) {
  const t = useText();
  const bridge = useBridge();
  const { closeSettings } = useView();
  const [phase, setPhase] = useState<Phase>("rest");
  const [error, setError] = useState<string | null>(null);
  const restore = async (): Promise<void> => {
    try {
      await bridge.call("restore_backup", { name });
    } catch (reason) {
      setError(t("backup-not-ordered", { reason: asCallError(reason).message }));
      return;
    }
    setError(null);
    // Who could not be opened begins by itself.
    if (refused) return closeSettings();
    // Running processes go on: they belong to no store. Turns get their time.
    await bridge.call("restart_gateway", {}).then(
      () => setPhase("restarting"),
      () => setPhase("ordered"),
    );
  };
  return { phase, error, ask: () => setPhase("asking"), keep: () => setPhase("rest"), restore: () => void restore() };
}
