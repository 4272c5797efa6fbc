// Sources that stand in the list of notices and nothing more.
import { useState } from "react";
import { visible } from "../approval/visible";
import { asCallError } from "../bridge/bridge";
import type { Muted } from "../bridge/wire";
import { useBridge, useSession, useSetup, useStore } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { FieldError } from "./Row";

/** The list. */
export function MutedList() {
  const t = useText();
  const { muted } = useSetup();
  return (
    <section data-row="set-muted" aria-label={t("set-muted")}>
      <h2 className="set-group">{t("set-muted")}</h2>
      {muted.length === 0 ? <p className="set-none">{t("muted-none")}</p> : null}
      <ul>
        {muted.map((row) => (
          <MutedRow key={`${row.sessionId} ${row.command ?? ""}`} row={row} />
        ))}
      </ul>
    </section>
  );
}

function MutedRow({ row: { sessionId, command, title } }: { row: Muted }) {
  const t = useText();
  const bridge = useBridge();
  const store = useStore();
  const session = useSession(sessionId)?.title;
  const [error, setError] = useState<string | null>(null);
  const unmute = (): void => {
    bridge.call("set_muted", { sessionId, ...(command == null ? {} : { command }), muted: false }).then(
      () => store.setup.read(),
      (reason: unknown) => setError(asCallError(reason).message),
    );
  };
  return (
    <li className="set">
      {command == null ? <p className="set-label">{title}</p> : <code className="set-command" dir="ltr">{visible(command)}</code>}
      <div className="set-control">
        <button type="button" className="btn sm" aria-label={t("muted-end-of", { name: visible(title) })} onClick={unmute}>
          {t("muted-end")}
        </button>
      </div>
      <p className="set-effect">{command == null ? t("muted-session") : t("muted-command", { title: session ?? "" })}</p>
      {error === null ? null : <FieldError>{error}</FieldError>}
    </li>
  );
}
