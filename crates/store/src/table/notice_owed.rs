//! Notices that are owed: by a planned restart to who asked and to each chat that takes words of the house, and to the
//! same chats by trouble with the data.

use gatehouse_domain::{EpochMs, NoticeId, OwedKind, OwedState};
use rusqlite::Connection;

use crate::error::Result;
use crate::sql::{all, args, change, record};
use crate::tx::Tx;

pub(crate) const ADDED: &str = "
CREATE TABLE notice_owed (
    id         BLOB    PRIMARY KEY NOT NULL,
    kind       TEXT    NOT NULL,
    target     TEXT    NOT NULL, -- a session's id, or a platform and a chat
    restart    INTEGER NOT NULL, -- the boot whose run ended so, or found the trouble
    cause      TEXT    NOT NULL DEFAULT '', -- which trouble; empty of a restart
    body       TEXT    NOT NULL,
    state      TEXT    NOT NULL DEFAULT 'owed',
    attempts   INTEGER NOT NULL DEFAULT 0,
    last_error TEXT    NOT NULL DEFAULT '',
    owed_since INTEGER NOT NULL,
    UNIQUE (kind, target, restart, cause)
) STRICT;
CREATE INDEX notice_owed_open ON notice_owed (owed_since) WHERE state = 'owed';
";

record! {
    /// A notice that is owed, or was.
    NoticeOwedRow of "notice_owed" {
        /// Its id.
        id: NoticeId,
        /// To whom.
        kind: OwedKind,
        /// A session's id, or a platform and a chat.
        target: String,
        /// The boot whose run ended with the restart, or found the trouble.
        restart: u64,
        /// Which trouble, by its code; empty of a restart.
        cause: String,
        /// The words.
        body: String,
        /// What became of it.
        state: OwedState,
        /// How often a channel was handed it.
        attempts: u32,
        /// What was wrong the last time.
        last_error: String,
        /// Since when.
        owed_since: EpochMs,
    }
}

/// Notices that are owed, to be read.
pub struct NoticesOwed<'c> {
    pub(crate) conn: &'c Connection,
}

impl NoticesOwed<'_> {
    /// Those that are still owed, the oldest first.
    pub fn open(&self) -> Result<Vec<NoticeOwedRow>> {
        all(self.conn, "FROM notice_owed WHERE state = 'owed' ORDER BY owed_since, id", [])
    }

    /// All that are remembered, the oldest first.
    pub fn list(&self) -> Result<Vec<NoticeOwedRow>> {
        all(self.conn, "FROM notice_owed ORDER BY owed_since, id", [])
    }
}

/// A notice to be owed.
#[derive(Debug, Clone)]
pub struct NewNoticeOwed {
    /// To whom.
    pub kind: OwedKind,
    /// A session's id, or a platform and a chat.
    pub target: String,
    /// The boot whose run ends so, or finds the trouble.
    pub restart: u64,
    /// Which trouble, by its code; empty of a restart.
    pub cause: String,
    /// The words.
    pub body: String,
    /// When.
    pub at: EpochMs,
}

/// Notices that are owed, to be changed. Nothing shows them, so no revision is raised.
pub struct NoticesOwedMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl NoticesOwedMut<'_> {
    /// Owes one, once for each restart, or for each trouble of a run; whether it was not owed before. What an earlier run
    /// still owes to the same one would say the same, and is not told any more.
    pub fn owe(&self, new: &NewNoticeOwed) -> Result<bool> {
        let id = NoticeId::from_uuid(self.tx.fresh());
        let sql = "INSERT INTO notice_owed (id, kind, target, restart, cause, body, owed_since)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING";
        let params = args![id, new.kind, new.target, new.restart, new.cause, new.body, new.at];
        if change(self.tx.conn, sql, params)? == 0 {
            return Ok(false);
        }
        let earlier = "UPDATE notice_owed SET state = 'suppressed', last_error = 'a later one says it'
            WHERE kind = ?1 AND target = ?2 AND restart < ?3 AND cause = ?4 AND state = 'owed'";
        change(self.tx.conn, earlier, args![new.kind, new.target, new.restart, new.cause])?;
        Ok(true)
    }

    /// Hands one over: from here on it counts as sent, until its channel says that it is not. Whether it was owed.
    pub fn hand_over(&self, id: NoticeId) -> Result<bool> {
        let sql = "UPDATE notice_owed SET state = 'sent', attempts = attempts + 1 WHERE id = ?1 AND state = 'owed'";
        Ok(change(self.tx.conn, sql, args![id])? > 0)
    }

    /// Notes what became of one, and why. What has expired or is not wanted stays so.
    pub fn settle(&self, id: NoticeId, state: OwedState, why: &str) -> Result<bool> {
        let sql = "UPDATE notice_owed SET state = ?2, last_error = ?3 WHERE id = ?1 AND state IN ('owed', 'sent')";
        Ok(change(self.tx.conn, sql, args![id, state, why])? > 0)
    }

    /// Forgets what was settled and is older than that.
    pub fn forget(&self, before: EpochMs) -> Result<()> {
        change(self.tx.conn, "DELETE FROM notice_owed WHERE state <> 'owed' AND owed_since < ?1", args![before])?;
        Ok(())
    }
}
