// Every session, by who must act.
import { Search, SquarePen } from "lucide-react";
import { useRef, useState, type KeyboardEvent } from "react";
import type { Session } from "../bridge/wire";
import { useSelection, useSessions } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { GateMark } from "../shared/GateMark";
import { moveFocus } from "../shared/keyboard";
import { groupSessions, type Group } from "./groups";
import { useNewSession } from "./newSession";
import { SessionRow } from "./SessionRow";
import "./sidebar.css";

/** The sidebar. `onChosen` hears when a session was opened from it. */
export function Sidebar({ onChosen }: { onChosen: () => void }) {
  const t = useText();
  const sessions = useSessions();
  const { sessionId, openSession } = useSelection();
  const [wanted, setWanted] = useState("");
  const creation = useNewSession();
  const list = useRef<HTMLDivElement>(null);
  const groups = groupSessions(sessions.filter((session) => matches(session, wanted)));
  const needed = sessions.some((session) => session.group === "needs_you");
  const firstId = groups[0]?.sessions[0]?.sessionId;
  const stop = groups.some((group) => group.sessions.some((row) => row.sessionId === sessionId)) ? sessionId : firstId;
  const choose = (id: string): void => {
    openSession(id);
    onChosen();
  };
  const onListKey = (event: KeyboardEvent): void => moveFocus(event, list.current, ".session-row");

  return (
    <nav className="sidebar" aria-label={t("sidebar-label")}>
      <div className="sidebar-head">
        <GateMark lit={needed} />
        <span className="sidebar-name">{t("app-name")}</span>
        <button type="button" className="btn ghost ic" title={t("session-new")} aria-label={t("session-new")} onClick={creation.create}>
          <SquarePen className="icon" aria-hidden />
        </button>
      </div>
      <label className="find">
        <Search className="icon k" aria-hidden />
        <input
          type="search"
          data-find
          value={wanted}
          placeholder={t("sidebar-find")}
          aria-label={t("sidebar-find")}
          onChange={(event) => setWanted(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape" || wanted === "") return;
            event.preventDefault();
            setWanted("");
          }}
        />
        <kbd className="key">{t("key-find")}</kbd>
      </label>
      {creation.error === null ? null : (
        <p className="sidebar-error" role="alert">
          {t("session-new-failed", { reason: creation.error.message })}
        </p>
      )}
      <div className="session-list" ref={list} onKeyDown={onListKey}>
        {groups.map(({ group, sessions: rows }) => (
          <section key={group} aria-label={groupName(t, group)}>
            <GroupHead group={group} many={rows.length} />
            {rows.map((session) => (
              <SessionRow
                key={session.sessionId}
                session={session}
                selected={session.sessionId === sessionId}
                inTabOrder={session.sessionId === stop}
                onChoose={choose}
              />
            ))}
          </section>
        ))}
        {groups.length === 0 && wanted !== "" ? <p className="sidebar-none">{t("sidebar-none", { query: wanted })}</p> : null}
      </div>
    </nav>
  );
}

function GroupHead({ group, many }: { group: Group; many: number }) {
  const t = useText();
  return (
    <h2 className="group-head">
      {groupName(t, group)}
      {group === "needs_you" ? <span className="lamp">{many}</span> : null}
      {group === "running" ? <span className="num">{many}</span> : null}
    </h2>
  );
}

function groupName(t: (id: string) => string, group: Group): string {
  switch (group) {
    case "needs_you":
      return t("group-needs-you");
    case "running":
      return t("group-running");
    case "done_today":
      return t("group-done-today");
    case "earlier":
      return t("group-earlier");
  }
}

function matches(session: Session, wanted: string): boolean {
  const words = wanted.trim().toLocaleLowerCase();
  return words === "" || `${session.title} ${session.summary}`.toLocaleLowerCase().includes(words);
}
