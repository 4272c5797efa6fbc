// A conversation that takes no more words says so where one would write, and shows the way to where it goes on.
import { useSelection, useSession } from "../feed/hooks";
import { useText } from "../l10n/l10n";

/** Whether nobody can write here any more. A closed one is opened by writing. */
export function isOver({ ended }: { readonly ended?: string | null }): boolean {
  return ended != null && ended !== "closed";
}

/** In place of the composer. */
export function EndedNote({ sessionId }: { sessionId: string }) {
  const t = useText();
  const { openSession } = useSelection();
  const session = useSession(sessionId);
  const next = session?.nextSessionId ?? null;
  return (
    <div className="ended" data-testid="ended">
      <p className="grow">{next === null ? t("session-ended") : t("session-ended-next")}</p>
      {next === null ? null : (
        <button type="button" className="btn" onClick={() => openSession(next)}>
          {t("session-open-next")}
        </button>
      )}
    </div>
  );
}

/** Above the composer of a closed conversation. */
export function ClosedNote() {
  const t = useText();
  return (
    <p className="closed-note" data-testid="closed">
      {t("session-closed-note")}
    </p>
  );
}

/** In place of the composer where a sub-agent works: it hears nobody. */
export function SubAgentNote({ owner }: { owner: string }) {
  const t = useText();
  const { openSession } = useSelection();
  const title = useSession(owner)?.title || t("session-untitled");
  return (
    <div className="ended" data-testid="sub-agent">
      <p className="grow">{t("session-sub-agent", { title })}</p>
      <button type="button" className="btn" onClick={() => openSession(owner)}>
        {t("session-open-owner")}
      </button>
    </div>
  );
}
