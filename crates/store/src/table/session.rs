//! Sessions: one transcript each.

use gatehouse_domain::{EndReason, EpochMs, Rev, SessionId, TurnId};
use rusqlite::Connection;

use super::admission::{AdmissionRow, Admissions};
use crate::error::Result;
use crate::sql::{Cursor, Record, all, args, change, first, missing, record};
use crate::tx::Tx;

pub(crate) const INITIAL: &str = "
CREATE TABLE session (
    id         BLOB    PRIMARY KEY NOT NULL,
    root       BLOB    NOT NULL,
    parent     BLOB,
    route      TEXT    NOT NULL,
    title      TEXT    NOT NULL DEFAULT '',
    end_reason TEXT,
    client_key TEXT    UNIQUE,
    summary    TEXT    NOT NULL DEFAULT '',
    failed     INTEGER NOT NULL DEFAULT 0,
    read_seq   INTEGER NOT NULL DEFAULT 0,
    last_seq   INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    last_at    INTEGER NOT NULL,
    rev        INTEGER NOT NULL
) STRICT;
CREATE INDEX session_rev ON session (rev);
CREATE INDEX session_last_at ON session (last_at);
";

/// A queue that a stop has paused.
pub(crate) const PAUSE: &str = "
ALTER TABLE session ADD COLUMN queue_paused INTEGER NOT NULL DEFAULT 0;
";

/// A person may put a session away until something happens in it.
pub(crate) const WITH_EARLIER: &str = "
ALTER TABLE session ADD COLUMN earlier_seq INTEGER; -- what its newest entry was then
";

/// Where a lineage goes on, and who handed work on.
pub(crate) const LINEAGE: &str = "
ALTER TABLE session ADD COLUMN tip BLOB; -- the live transcript of its lineage; absent: itself
ALTER TABLE session ADD COLUMN ended_at INTEGER;
ALTER TABLE session ADD COLUMN delegated_from BLOB; -- whose agent this one works for
CREATE INDEX session_root ON session (root);
";

/// Unread entries are counted up to here: a badge says no more, and a count costs what it counts.
pub const UNREAD_CAP: u64 = 1_000;

record! {
    /// A session.
    SessionRow of "session" {
        /// Its id.
        id: SessionId,
        /// The first session of its lineage; itself until it is compacted.
        root: SessionId,
        /// The session it carries on.
        parent: Option<SessionId>,
        /// The lane it belongs to.
        route: String,
        /// What people call it; empty until somebody names it.
        title: String,
        /// Why it takes no more turns.
        end_reason: Option<EndReason>,
        /// The client's own name for the request that made it.
        client_key: Option<String>,
        /// One line about where it stands.
        summary: String,
        /// Whether its last turn gave no answer.
        failed: bool,
        /// Up to which entry a person has read.
        read_seq: u64,
        /// Its newest entry; never lowered, so that no number comes back.
        last_seq: u64,
        /// What its newest entry was when a person put it under "Earlier". It stands there until there is a newer one.
        earlier_seq: Option<u64>,
        /// When it was made.
        created_at: EpochMs,
        /// When something last happened in it.
        last_at: EpochMs,
        /// The revision of its last change.
        rev: Rev,
        /// Whether what people put into its queue waits until somebody says to go on.
        queue_paused: bool,
        /// The live transcript of its lineage, once it was compacted.
        tip: Option<SessionId>,
        /// When it ended.
        ended_at: Option<EpochMs>,
        /// The session whose agent handed its work on to this one.
        delegated_from: Option<SessionId>,
    }
}

/// A session as a list shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionOverview {
    /// The session.
    pub row: SessionRow,
    /// The turn at work.
    pub running_turn: Option<TurnId>,
    /// Questions that wait for a person.
    pub pending_approvals: u32,
    /// Processes that are not over, or left descendants behind.
    pub running_processes: u32,
    /// Processes that wait for somebody to type.
    pub waiting_processes: u32,
    /// A person's inputs that wait for their turn, in order.
    pub queued: Vec<AdmissionRow>,
    /// Visible entries after `read_seq` that a person did not write; counted up to [`UNREAD_CAP`].
    pub unread: u64,
    /// Its notices stand in the list and nothing more.
    pub muted: bool,
    /// The session that its lane leads to now, if it is another one.
    pub next: Option<SessionId>,
    /// Tasks that its agent has handed on and that are at work.
    pub running_tasks: u32,
}

/// Sessions, to be read.
pub struct Sessions<'c> {
    pub(crate) conn: &'c Connection,
}

/// What an overview counts, after the columns of the session.
const COUNTS: &str = "
    , (SELECT turn.id FROM turn WHERE turn.session = session.id AND turn.state = 'running')
    , (SELECT count(*) FROM approval WHERE approval.session = session.id AND approval.state = 'pending')
    , (SELECT count(*) FROM process WHERE process.session = session.id
        AND (process.state IN ('starting', 'running', 'stopping') OR process.descendants > 0))
    , (SELECT count(*) FROM process WHERE process.session = session.id
        AND process.state = 'running' AND process.attention = 'needs_input')
    , (SELECT count(*) FROM (SELECT 1 FROM item WHERE item.session = session.id AND item.seq > session.read_seq
        AND item.author <> 'human' AND item.kind <> 'hidden' LIMIT ?1))
    , EXISTS (SELECT 1 FROM mute WHERE mute.session = session.id AND mute.command = '')
    , (SELECT route.session FROM route WHERE route.key = session.route AND route.session <> session.id)
    , (SELECT count(*) FROM task INDEXED BY task_running JOIN session AS child ON child.id = task.session
        WHERE task.state = 'running' AND child.delegated_from = session.id)
    FROM session";

impl Sessions<'_> {
    /// The session with this id.
    pub fn get(&self, id: SessionId) -> Result<Option<SessionRow>> {
        first(self.conn, "FROM session WHERE id = ?1", args![id])
    }

    /// The session that a client made under this key.
    pub fn by_client_key(&self, key: &str) -> Result<Option<SessionRow>> {
        first(self.conn, "FROM session WHERE client_key = ?1", args![key])
    }

    /// Every session, the one with the latest event first.
    pub fn list(&self) -> Result<Vec<SessionRow>> {
        all(self.conn, "FROM session ORDER BY last_at DESC, id DESC", [])
    }

    /// One session as a list shows it.
    pub fn overview(&self, id: SessionId) -> Result<Option<SessionOverview>> {
        let tail = "WHERE session.id = ?2";
        let found = self.overviews_of(tail, args![UNREAD_CAP, id])?;
        Ok(found.into_iter().next())
    }

    /// Every session as a list shows it, the one with the latest event first.
    pub fn overviews(&self) -> Result<Vec<SessionOverview>> {
        self.overviews_of("ORDER BY session.last_at DESC, session.id DESC", args![UNREAD_CAP])
    }

    fn overviews_of(&self, tail: &str, params: &[&dyn rusqlite::ToSql]) -> Result<Vec<SessionOverview>> {
        let sql = format!("SELECT {} {COUNTS} {tail}", SessionRow::COLUMNS);
        let mut statement = self.conn.prepare_cached(&sql)?;
        let rows = statement.query_map(params, |row| {
            let mut cursor = Cursor::new(row);
            Ok(SessionOverview {
                row: SessionRow::read(&mut cursor)?,
                running_turn: cursor.next()?,
                pending_approvals: cursor.next()?,
                running_processes: cursor.next()?,
                waiting_processes: cursor.next()?,
                queued: Vec::new(),
                unread: cursor.next()?,
                muted: cursor.next()?,
                next: cursor.next()?,
                running_tasks: cursor.next()?,
            })
        })?;
        let mut found: Vec<SessionOverview> = rows.collect::<rusqlite::Result<_>>()?;
        let admissions = Admissions { conn: self.conn };
        for overview in &mut found {
            overview.queued = admissions.queued_by_people(overview.row.id)?;
        }
        Ok(found)
    }
}

/// A session to be made.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// Its id; it is its own root.
    pub id: SessionId,
    /// What people call it.
    pub title: String,
    /// The client's own name for the request.
    pub client_key: Option<String>,
    /// The lane it belongs to.
    pub route: String,
    /// The session whose agent hands its work on to this one.
    pub delegated_from: Option<SessionId>,
    /// When.
    pub at: EpochMs,
}

/// Sessions, to be changed.
pub struct SessionsMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl SessionsMut<'_> {
    /// Makes a session. Its lane leads to it from now on, but for one that works for another session's agent.
    pub fn insert(&self, new: &NewSession) -> Result<()> {
        change(
            self.tx.conn,
            "INSERT INTO session (id, root, route, title, client_key, delegated_from, created_at, last_at, rev)
             VALUES (?1, ?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7)",
            args![new.id, new.route, new.title, new.client_key, new.delegated_from, new.at, self.tx.rev()],
        )?;
        self.tx.mark_session(new.id);
        match new.delegated_from {
            None => self.tx.routes_mut().lead(&new.route, new.id, new.at),
            Some(_) => Ok(()),
        }
    }

    /// Ends it. What ended by itself before can still be ended by a person; a person's end stays. Whether it changed.
    pub fn end(&self, id: SessionId, reason: EndReason, at: EpochMs) -> Result<bool> {
        let row = self.tx.sessions().get(id)?.ok_or_else(|| missing("session", id))?;
        let may = match row.end_reason {
            None => true,
            Some(old) => reason.is_boundary() && !old.is_boundary() && old != EndReason::Compaction,
        };
        if !may {
            return Ok(false);
        }
        let sql = "UPDATE session SET end_reason = ?3, ended_at = ?4, rev = ?2 WHERE id = ?1";
        self.one(id, change(self.tx.conn, sql, args![id, self.tx.rev(), reason, at])?)?;
        Ok(true)
    }

    /// Opens one again that a person had closed; whether it was closed.
    pub fn reopen(&self, id: SessionId) -> Result<bool> {
        let sql = "UPDATE session SET end_reason = NULL, ended_at = NULL, rev = ?2
            WHERE id = ?1 AND end_reason = 'closed'";
        let reopened = change(self.tx.conn, sql, args![id, self.tx.rev()])? > 0;
        if reopened {
            self.tx.mark_session(id);
        }
        Ok(reopened)
    }

    /// Carries a session on in another one: the old one ends, the lane and the whole lineage lead to the new one.
    pub fn compact(&self, old: SessionId, new: &NewSession) -> Result<bool> {
        let Some(row) = self.tx.sessions().get(old)? else { return Err(missing("session", old)) };
        let leads = self.tx.routes().current(&row.route)?;
        // Somebody else has moved the lane since: a person's new session is never undone.
        if leads.is_some_and(|current| current != old) || !self.end(old, EndReason::Compaction, new.at)? {
            return Ok(false);
        }
        self.insert(new)?;
        let sql = "UPDATE session SET root = ?2, parent = ?3 WHERE id = ?1";
        change(self.tx.conn, sql, args![new.id, row.root, old])?;
        change(self.tx.conn, "UPDATE session SET tip = ?2 WHERE root = ?1", args![row.root, new.id])?;
        Ok(true)
    }

    /// Names it.
    pub fn set_title(&self, id: SessionId, title: &str) -> Result<()> {
        let sql = "UPDATE session SET title = ?3, rev = ?2 WHERE id = ?1";
        self.one(id, change(self.tx.conn, sql, args![id, self.tx.rev(), title])?)
    }

    /// Puts it under "Earlier" until something happens in it, or takes it back.
    pub fn set_earlier(&self, id: SessionId, earlier: bool) -> Result<()> {
        let sql = "UPDATE session SET earlier_seq = iif(?3, last_seq, NULL), rev = ?2 WHERE id = ?1";
        self.one(id, change(self.tx.conn, sql, args![id, self.tx.rev(), earlier])?)
    }

    /// Says where it stands.
    pub fn set_summary(&self, id: SessionId, summary: &str, failed: bool, at: EpochMs) -> Result<()> {
        let sql = "UPDATE session SET summary = ?3, failed = ?4, last_at = ?5, rev = ?2 WHERE id = ?1";
        self.one(id, change(self.tx.conn, sql, args![id, self.tx.rev(), summary, failed, at])?)
    }

    /// Notes that a person has read up to `seq`; reading is never undone.
    pub fn mark_read(&self, id: SessionId, seq: u64) -> Result<()> {
        let sql = "UPDATE session SET read_seq = max(read_seq, min(?3, last_seq)), rev = ?2 WHERE id = ?1";
        self.one(id, change(self.tx.conn, sql, args![id, self.tx.rev(), seq])?)
    }

    /// Pauses its queue, or lets it go on.
    pub fn pause_queue(&self, id: SessionId, paused: bool) -> Result<()> {
        let sql = "UPDATE session SET queue_paused = ?3, rev = ?2 WHERE id = ?1";
        self.one(id, change(self.tx.conn, sql, args![id, self.tx.rev(), paused])?)
    }

    /// Notes that something happened in it.
    pub fn touch(&self, id: SessionId, at: EpochMs) -> Result<()> {
        let sql = "UPDATE session SET last_at = ?3, rev = ?2 WHERE id = ?1";
        self.one(id, change(self.tx.conn, sql, args![id, self.tx.rev(), at])?)
    }

    fn one(&self, id: SessionId, changed: usize) -> Result<()> {
        if changed == 0 {
            return Err(missing("session", id));
        }
        self.tx.mark_session(id);
        Ok(())
    }
}
