// The data as a whole: when it was last copied, putting a copy in its place, and taking everything along.
import { useEffect, useState } from "react";
import { asCallError } from "../bridge/bridge";
import type { ExportProfileReply, ListBackupsReply } from "../bridge/wire";
import { type Connection, useBridge, useConnection } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { count, fullTime, size } from "../shared/format";
import { BackupRow } from "./BackupRow";
import { FieldError } from "./Row";

/** The room. */
export function Data() {
  const t = useText();
  const { list, error, busy, backUp } = useBackups();
  const refused = isRefused(useConnection());
  return (
    <>
      <div className="set" data-row="set-backup">
        <p className="set-label">{t("set-backup")}</p>
        <div className="set-control">
          {refused ? null : (
            <button type="button" className="btn" aria-disabled={busy} data-testid="backup-now" onClick={backUp}>
              {busy ? t("backup-running") : t("backup-now")}
            </button>
          )}
        </div>
        <p className="set-effect" data-testid="backup-last">
          {list === null ? "" : <Last list={list} />}
        </p>
        {error === null ? null : <FieldError>{error}</FieldError>}
        {list?.failure == null || error !== null ? null : <FieldError>{t("backup-failed", { when: fullTime(list.failure.atMs), reason: list.failure.message })}</FieldError>}
      </div>
      <section data-row="set-backups" tabIndex={-1} aria-label={t("set-backups")}>
        <h2 className="set-group">{t("set-backups")}</h2>
        {list?.backups.length === 0 ? <p className="set-none">{t("backups-none")}</p> : null}
        <ul>{list?.backups.map((backup) => <BackupRow key={backup.name} backup={backup} refused={refused} />)}</ul>
      </section>
      {refused ? null : <Export />}
    </>
  );
}

/** The data cannot be opened: what needs it is not offered, and a restore is carried out at once. */
function isRefused(connection: Connection): boolean {
  return connection.kind === "retrying" && connection.code === "store_unavailable";
}

function Last({ list: { backups, kept, dir } }: { list: ListBackupsReply }) {
  const t = useText();
  const [newest] = backups;
  const about = t("backup-kept", { kept, dir });
  return newest === undefined ? about : `${t("backup-last", { when: fullTime(newest.atMs), size: size(newest.bytes) })} ${about}`;
}

function useBackups() {
  const t = useText();
  const bridge = useBridge();
  const [list, setList] = useState<ListBackupsReply | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [asked, setAsked] = useState(false);
  useEffect(() => {
    let current = true;
    bridge.call("list_backups", {}).then(
      (reply) => {
        if (current) setList(reply);
      },
      (reason: unknown) => {
        if (current) setError(asCallError(reason).message);
      },
    );
    return () => {
      current = false;
    };
  }, [bridge]);
  const backUp = async (): Promise<void> => {
    if (asked) return;
    setAsked(true);
    try {
      await bridge.call("backup_now", {});
      setError(null);
    } catch (reason) {
      setError(t("backup-not-made", { reason: asCallError(reason).message }));
    }
    // How it ended stands in the list too.
    await bridge.call("list_backups", {}).then(setList, () => undefined);
    setAsked(false);
  };
  return { list, error, busy: asked || list?.running === true, backUp: () => void backUp() };
}

function Export() {
  const t = useText();
  const bridge = useBridge();
  const [made, setMade] = useState<ExportProfileReply | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const write = (): void => {
    if (busy) return;
    setBusy(true);
    bridge
      .call("export_profile", {})
      .then(
        (reply) => {
          setMade(reply);
          setError(null);
        },
        (reason: unknown) => setError(t("export-failed", { reason: asCallError(reason).message })),
      )
      .finally(() => setBusy(false));
  };
  return (
    <div className="set set-export" data-row="set-export">
      <p className="set-label">{t("set-export")}</p>
      <div className="set-control">
        <button type="button" className="btn" aria-disabled={busy} data-testid="export-profile" onClick={write}>
          {busy ? t("export-running") : t("export-write")}
        </button>
      </div>
      <p className="set-effect">{t("set-export-effect")}</p>
      {made === null ? null : (
        <p className="set-outcome" role="status">
          <span>
            {t("export-done", { sessions: made.sessions, words: count(made.sessions), size: size(made.bytes) })} <span className="mono set-path">{made.path}</span>
          </span>
        </p>
      )}
      {error === null ? null : <FieldError>{error}</FieldError>}
    </div>
  );
}
