//! Notices: what happened while nobody looked. Each is written in the transaction of the fact that it tells.

use gatehouse_domain::{AdmissionId, ApprovalId, EpochMs, NoticeId, NoticeKind, ProcessId, Rev, SessionId, Tone};
use rusqlite::Connection;

use super::tombstone;
use crate::error::Result;
use crate::feed::{ChangeKey, RowKind};
use crate::sql::{Cursor, Record, args, change, record, value, values};
use crate::tx::Tx;

/// How many are kept; the oldest go first.
pub const NOTICES_KEPT: u32 = 1_000;

pub(crate) const ADDED: &str = "
CREATE TABLE notice (
    n        INTEGER PRIMARY KEY AUTOINCREMENT, -- of two of one moment, the later
    id       BLOB    NOT NULL UNIQUE,
    kind     TEXT    NOT NULL,
    tone     TEXT    NOT NULL,
    title    TEXT    NOT NULL,
    body     TEXT    NOT NULL,
    session  BLOB    NOT NULL REFERENCES session (id),
    seq      INTEGER,
    process  BLOB,
    approval BLOB,
    at       INTEGER NOT NULL,
    read     INTEGER NOT NULL DEFAULT 0,
    rev      INTEGER NOT NULL
) STRICT;
CREATE INDEX notice_at ON notice (at);
CREATE INDEX notice_rev ON notice (rev);
CREATE INDEX notice_unread ON notice (n) WHERE read = 0;
CREATE INDEX notice_process ON notice (process) WHERE process IS NOT NULL;
CREATE INDEX notice_approval ON notice (approval) WHERE approval IS NOT NULL;
";

record! {
    /// A notice.
    NoticeRow of "notice" {
        /// Its id.
        id: NoticeId,
        /// What it is about.
        kind: NoticeKind,
        /// What it says at a glance.
        tone: Tone,
        /// What, in a line.
        title: String,
        /// More, in a line.
        body: String,
        /// Where.
        session: SessionId,
        /// The entry that shows it.
        seq: Option<u64>,
        /// The process that ended.
        process: Option<ProcessId>,
        /// The question that waits.
        approval: Option<ApprovalId>,
        /// When.
        at: EpochMs,
        /// It was seen, or it is over.
        read: bool,
        /// The revision of its last change.
        rev: Rev,
    }
}

/// A notice as a list shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct NoticeFull {
    /// The notice.
    pub row: NoticeRow,
    /// What its session is called.
    pub session_title: String,
    /// Its session is muted, or its command there.
    pub muted: bool,
}

/// Notices, to be read.
pub struct Notices<'c> {
    pub(crate) conn: &'c Connection,
}

/// What a list shows besides the row.
const SHOWN: &str = "
    , session.title
    , EXISTS (SELECT 1 FROM mute WHERE mute.session = notice.session AND (mute.command = ''
        OR mute.command = (SELECT process.command FROM process WHERE process.id = notice.process)))
    FROM notice JOIN session ON session.id = notice.session";

impl Notices<'_> {
    /// The notice with this id.
    pub fn get(&self, id: NoticeId) -> Result<Option<NoticeFull>> {
        Ok(self.shown("WHERE notice.id = ?1", args![id])?.pop())
    }

    /// The newest first.
    pub fn newest(&self, limit: u32) -> Result<Vec<NoticeFull>> {
        self.shown("ORDER BY notice.at DESC, notice.n DESC LIMIT ?1", args![limit])
    }

    /// How many nobody has seen.
    pub fn unread(&self) -> Result<u32> {
        Ok(value(self.conn, "SELECT count(*) FROM notice WHERE read = 0", [])?.unwrap_or(0))
    }

    fn shown(&self, tail: &str, params: &[&dyn rusqlite::ToSql]) -> Result<Vec<NoticeFull>> {
        let sql = format!("SELECT {} {SHOWN} {tail}", NoticeRow::COLUMNS);
        let mut statement = self.conn.prepare_cached(&sql)?;
        let rows = statement.query_map(params, |row| {
            let mut cursor = Cursor::new(row);
            Ok(NoticeFull { row: NoticeRow::read(&mut cursor)?, session_title: cursor.next()?, muted: cursor.next()? })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

/// A notice to be written.
#[derive(Debug, Clone)]
pub struct NewNotice {
    /// What it is about.
    pub kind: NoticeKind,
    /// What it says at a glance.
    pub tone: Tone,
    /// What, in a line.
    pub title: String,
    /// More, in a line.
    pub body: String,
    /// Where.
    pub session: SessionId,
    /// The entry that shows it, if there is one yet.
    pub seq: Option<u64>,
    /// The process that ended.
    pub process: Option<ProcessId>,
    /// The question that waits.
    pub approval: Option<ApprovalId>,
    /// When.
    pub at: EpochMs,
}

/// Which notices somebody has seen.
#[derive(Debug, Clone, Copy)]
pub enum NoticesSeen<'a> {
    /// Every one.
    All,
    /// These.
    These(&'a [NoticeId]),
    /// These, and every one that was there before the last of them.
    UpTo(&'a [NoticeId]),
}

/// Notices, to be changed.
pub struct NoticesMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl NoticesMut<'_> {
    /// Writes one. Beyond [`NOTICES_KEPT`] the oldest goes, and leaves a tombstone.
    pub fn insert(&self, new: &NewNotice) -> Result<NoticeId> {
        let id = NoticeId::from_uuid(self.tx.fresh());
        change(
            self.tx.conn,
            "INSERT INTO notice (id, kind, tone, title, body, session, seq, process, approval, at, rev)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            args![
                id,
                new.kind,
                new.tone,
                new.title,
                new.body,
                new.session,
                new.seq,
                new.process,
                new.approval,
                new.at,
                self.tx.rev()
            ],
        )?;
        self.tx.mark(ChangeKey::Notice(id));
        self.forget_old()?;
        Ok(id)
    }

    /// The question is closed, by whatever path: nobody needs to see its notice any more.
    pub(crate) fn question_closed(&self, approval: ApprovalId) -> Result<()> {
        let sql = "UPDATE notice SET read = 1, rev = ?2 WHERE approval = ?1 AND read = 0 RETURNING id";
        self.marked(&values(self.tx.conn, sql, args![approval, self.tx.rev()])?)
    }

    /// A note tells these reports: the notices of their ends now lead to it.
    pub fn noted(&self, admission: AdmissionId, seq: u64) -> Result<()> {
        let sql = "UPDATE notice SET seq = ?2, rev = ?3
            WHERE process IN (SELECT unit.process FROM unit WHERE unit.admission = ?1) RETURNING id";
        self.marked(&values(self.tx.conn, sql, args![admission, seq, self.tx.rev()])?)
    }

    /// A person has read a conversation up to there: what its items tell is no news any more. A question stays one.
    pub fn conversation_read(&self, session: SessionId, seq: u64) -> Result<()> {
        let sql = "UPDATE notice SET read = 1, rev = ?3
            WHERE session = ?1 AND read = 0 AND seq <= ?2 AND kind <> 'approval' RETURNING id";
        self.marked(&values(self.tx.conn, sql, args![session, seq, self.tx.rev()])?)
    }

    /// Marks some as seen; how many were not. Ids that are gone are passed over.
    pub fn mark_read(&self, seen: NoticesSeen<'_>) -> Result<usize> {
        let found: Vec<NoticeId> = match seen {
            NoticesSeen::All => values(self.tx.conn, "SELECT id FROM notice WHERE read = 0", [])?,
            NoticesSeen::These(ids) => ids.to_vec(),
            NoticesSeen::UpTo(ids) => {
                let place = |id: &NoticeId| value::<i64>(self.tx.conn, "SELECT n FROM notice WHERE id = ?1", args![id]);
                let places = ids.iter().map(place).collect::<Result<Vec<_>>>()?;
                let last = places.into_iter().flatten().max();
                values(self.tx.conn, "SELECT id FROM notice WHERE read = 0 AND n <= ?1", args![last])?
            }
        };
        let mut marked = 0;
        for id in found {
            // Asked first, because a revision that changes nothing is none.
            let unread = "SELECT id FROM notice WHERE id = ?1 AND read = 0";
            let Some(id) = value::<NoticeId>(self.tx.conn, unread, args![id])? else { continue };
            change(self.tx.conn, "UPDATE notice SET read = 1, rev = ?2 WHERE id = ?1", args![id, self.tx.rev()])?;
            self.tx.mark(ChangeKey::Notice(id));
            marked += 1;
        }
        Ok(marked)
    }

    fn marked(&self, ids: &[NoticeId]) -> Result<()> {
        ids.iter().for_each(|id| self.tx.mark(ChangeKey::Notice(*id)));
        Ok(())
    }

    fn forget_old(&self) -> Result<()> {
        let sql = "DELETE FROM notice WHERE n IN (
            SELECT n FROM notice ORDER BY at DESC, n DESC LIMIT -1 OFFSET ?1) RETURNING id";
        let gone: Vec<NoticeId> = values(self.tx.conn, sql, args![NOTICES_KEPT])?;
        for id in gone {
            tombstone::insert(self.tx.conn, RowKind::Notice, id.uuid(), self.tx.rev())?;
            self.tx.mark(ChangeKey::Removed { kind: RowKind::Notice, id: id.to_string() });
        }
        Ok(())
    }
}
