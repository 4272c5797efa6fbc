//! Approvals: questions to the person. An approval changes its item's revision, it has none of its own.

use gatehouse_domain::{ApprovalId, ApprovalState, EpochMs, ItemId, SessionId, TurnId};
use rusqlite::Connection;

use crate::error::Result;
use crate::sql::{all, args, change, first, record, value};
use crate::tx::Tx;

pub(crate) const INITIAL: &str = "
CREATE TABLE approval (
    id          BLOB    PRIMARY KEY NOT NULL,
    item        BLOB    NOT NULL UNIQUE REFERENCES item (id) ON DELETE CASCADE,
    session     BLOB    NOT NULL REFERENCES session (id),
    turn        BLOB    NOT NULL,
    card        BLOB    NOT NULL,
    command     TEXT    NOT NULL,
    cwd         TEXT    NOT NULL,
    state       TEXT    NOT NULL DEFAULT 'pending',
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    answered_at INTEGER
) STRICT;
CREATE INDEX approval_pending ON approval (session) WHERE state = 'pending';
";

record! {
    /// A question.
    ApprovalRow of "approval" {
        /// Its id.
        id: ApprovalId,
        /// The entry it is shown in.
        item: ItemId,
        /// Whose transcript.
        session: SessionId,
        /// The turn that waits.
        turn: TurnId,
        /// The card of the call that waits.
        card: ItemId,
        /// What would run.
        command: String,
        /// Where.
        cwd: String,
        /// Where the question stands.
        state: ApprovalState,
        /// When it was asked.
        created_at: EpochMs,
        /// When silence becomes a no.
        expires_at: EpochMs,
        /// When it was closed.
        answered_at: Option<EpochMs>,
    }
}

/// Approvals, to be read.
pub struct Approvals<'c> {
    pub(crate) conn: &'c Connection,
}

impl Approvals<'_> {
    /// The question with this id.
    pub fn get(&self, id: ApprovalId) -> Result<Option<ApprovalRow>> {
        first(self.conn, "FROM approval WHERE id = ?1", args![id])
    }

    /// A session's open questions, the oldest first.
    pub fn pending(&self, session: SessionId) -> Result<Vec<ApprovalRow>> {
        let tail = "FROM approval WHERE session = ?1 AND state = 'pending' ORDER BY created_at, id";
        all(self.conn, tail, args![session])
    }

    /// Every open question, the oldest first.
    pub fn all_pending(&self) -> Result<Vec<ApprovalRow>> {
        all(self.conn, "FROM approval WHERE state = 'pending' ORDER BY created_at, id", [])
    }
}

/// A question to be asked.
#[derive(Debug, Clone)]
pub struct NewApproval {
    /// Its id.
    pub id: ApprovalId,
    /// The entry it is shown in, which is there already.
    pub item: ItemId,
    /// Whose transcript.
    pub session: SessionId,
    /// The turn that waits.
    pub turn: TurnId,
    /// The card of the call that waits.
    pub card: ItemId,
    /// What would run.
    pub command: String,
    /// Where.
    pub cwd: String,
    /// When.
    pub created_at: EpochMs,
    /// When silence becomes a no.
    pub expires_at: EpochMs,
}

/// Approvals, to be changed.
pub struct ApprovalsMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl ApprovalsMut<'_> {
    /// Asks.
    pub fn insert(&self, new: &NewApproval) -> Result<()> {
        change(
            self.tx.conn,
            "INSERT INTO approval (id, item, session, turn, card, command, cwd, created_at, expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            args![
                new.id,
                new.item,
                new.session,
                new.turn,
                new.card,
                new.command,
                new.cwd,
                new.created_at,
                new.expires_at
            ],
        )?;
        self.tx.touch_item(new.item)
    }

    /// Closes it; whether it was pending. The first answer counts.
    pub fn close(&self, id: ApprovalId, state: ApprovalState, at: EpochMs) -> Result<bool> {
        let sql = "UPDATE approval SET state = ?2, answered_at = ?3
            WHERE id = ?1 AND state = 'pending' RETURNING item";
        match value(self.tx.conn, sql, args![id, state, at])? {
            Some(item) => self.tx.touch_item(item).map(|()| true),
            None => Ok(false),
        }
    }
}
