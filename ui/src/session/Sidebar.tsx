// Every session, by who must act.
import { Search, SquarePen } from "lucide-react";
import { Fragment, type KeyboardEvent, type ReactNode, useRef } from "react";
import { usePalette, useSelection, useSessions } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { GateMark } from "../shared/GateMark";
import { Switcher } from "../profile/Switcher";
import { moveFocus } from "../shared/keyboard";
import { type Group, groupSessions } from "./groups";
import { useNewSession } from "./newSession";
import { RenameRow } from "./RenameRow";
import { RowMenu } from "./RowMenu";
import { SessionRow } from "./SessionRow";
import { useRowMenu } from "./useRowMenu";
import "./sidebar.css";

interface SidebarProps {
  /** Hears when a session was opened from it. */
  onChosen: () => void;
  /** What moves its edge. */
  edge?: ReactNode;
}

/** The sidebar. */
export function Sidebar({ onChosen, edge }: SidebarProps) {
  const t = useText();
  const sessions = useSessions();
  const { sessionId, openSession } = useSelection();
  const { openPalette } = usePalette();
  const creation = useNewSession();
  const list = useRef<HTMLDivElement>(null);
  const groups = groupSessions(sessions);
  const needed = sessions.some((session) => session.group === "needs_you");
  const firstId = groups[0]?.sessions[0]?.sessionId;
  const stop = groups.some((group) => group.sessions.some((row) => row.sessionId === sessionId)) ? sessionId : firstId;
  const choose = (id: string): void => {
    openSession(id);
    onChosen();
  };
  const menu = useRowMenu(list, sessions);
  const onListKey = (event: KeyboardEvent): void => {
    if (!menu.onKeyDown(event)) moveFocus(event, list.current, ".session-row");
  };

  return (
    <nav className="sidebar" aria-label={t("sidebar-label")}>
      <div className="sidebar-head">
        <GateMark lit={needed} />
        <Switcher />
        <button type="button" className="btn ghost ic" title={t("session-new")} aria-label={t("session-new")} onClick={creation.create}>
          <SquarePen className="icon" aria-hidden />
        </button>
      </div>
      <button type="button" className="find" data-find onClick={openPalette}>
        <Search className="icon k" aria-hidden />
        <span className="find-words">{t("sidebar-find")}</span>
        <kbd className="key">{t("key-find")}</kbd>
      </button>
      {creation.error === null ? null : (
        <p className="sidebar-error" role="alert">
          {t("session-new-failed", { reason: creation.error.message })}
        </p>
      )}
      <div className="session-list" ref={list} onKeyDown={onListKey} onContextMenu={menu.onContextMenu} onPointerDown={menu.calm}>
        {groups.map(({ group, sessions: rows }) => (
          <section key={group} aria-label={groupName(t, group)}>
            <GroupHead group={group} many={rows.length} />
            {rows.map((session) => (
              <Fragment key={session.sessionId}>
                {menu.renaming === session.sessionId ? (
                  <RenameRow session={session} typed={menu.typed} onDone={(title, back) => menu.rename(session, title, back)} />
                ) : (
                  <SessionRow
                    session={session}
                    selected={session.sessionId === sessionId}
                    inTabOrder={session.sessionId === stop}
                    onChoose={choose}
                  />
                )}
                {menu.note?.sessionId === session.sessionId ? (
                  <p className={menu.note.failed ? "session-note session-note-failed" : "session-note"} role="status">
                    {menu.note.words}
                  </p>
                ) : null}
              </Fragment>
            ))}
          </section>
        ))}
      </div>
      {menu.open === null ? null : (
        <RowMenu
          session={menu.open.session}
          at={menu.open.at}
          onAction={menu.act}
          onClose={menu.close}
        />
      )}
      {edge}
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
