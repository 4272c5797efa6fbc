//! Turns: runs of the agent. A unique index makes two running turns of one session impossible.

use gatehouse_domain::{AdmissionId, EpochMs, Rev, SessionId, TurnCause, TurnId, TurnProgress, TurnState};
use rusqlite::Connection;

use crate::error::Result;
use crate::feed::ChangeKey;
use crate::sql::{all, args, change, first, missing, record, value};
use crate::tx::Tx;

pub(crate) const INITIAL: &str = "
CREATE TABLE turn (
    id         BLOB    PRIMARY KEY NOT NULL,
    session    BLOB    NOT NULL REFERENCES session (id),
    number     INTEGER NOT NULL,
    cause      TEXT    NOT NULL,
    state      TEXT    NOT NULL DEFAULT 'running',
    progress   TEXT    NOT NULL DEFAULT 'created',
    attempt    INTEGER NOT NULL DEFAULT 1,
    retry_of   BLOB,
    admission  BLOB,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER,
    rev        INTEGER NOT NULL,
    UNIQUE (session, number)
) STRICT;
CREATE UNIQUE INDEX turn_running ON turn (session) WHERE state = 'running';
CREATE INDEX turn_rev ON turn (rev);
";

record! {
    /// A turn.
    TurnRow of "turn" {
        /// Its id.
        id: TurnId,
        /// Whose.
        session: SessionId,
        /// Its place among the session's turns, from 1.
        number: u64,
        /// What it answers.
        cause: TurnCause,
        /// Where it stands.
        state: TurnState,
        /// How far it got.
        progress: TurnProgress,
        /// How often it was begun.
        attempt: u32,
        /// The failed turn it tries again.
        retry_of: Option<TurnId>,
        /// The input it answers.
        admission: Option<AdmissionId>,
        /// When it began.
        started_at: EpochMs,
        /// When it ended.
        ended_at: Option<EpochMs>,
        /// The revision of its last change.
        rev: Rev,
    }
}

/// Turns, to be read.
pub struct Turns<'c> {
    pub(crate) conn: &'c Connection,
}

impl Turns<'_> {
    /// The turn with this id.
    pub fn get(&self, id: TurnId) -> Result<Option<TurnRow>> {
        first(self.conn, "FROM turn WHERE id = ?1", args![id])
    }

    /// The session's turn at work.
    pub fn running(&self, session: SessionId) -> Result<Option<TurnRow>> {
        first(self.conn, "FROM turn WHERE session = ?1 AND state = 'running'", args![session])
    }

    /// Every turn at work, the oldest first.
    pub fn all_running(&self) -> Result<Vec<TurnRow>> {
        all(self.conn, "FROM turn WHERE state = 'running' ORDER BY started_at, id", [])
    }

    /// The session's newest turn.
    pub fn last(&self, session: SessionId) -> Result<Option<TurnRow>> {
        first(self.conn, "FROM turn WHERE session = ?1 ORDER BY number DESC LIMIT 1", args![session])
    }
}

/// A turn to be begun: running, nothing asked yet, first attempt.
#[derive(Debug, Clone)]
pub struct NewTurn {
    /// Its id.
    pub id: TurnId,
    /// Whose.
    pub session: SessionId,
    /// What it answers.
    pub cause: TurnCause,
    /// The failed turn it tries again.
    pub retry_of: Option<TurnId>,
    /// The input it answers.
    pub admission: Option<AdmissionId>,
    /// When.
    pub at: EpochMs,
}

/// Turns, to be changed.
pub struct TurnsMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl TurnsMut<'_> {
    /// Begins a turn; its number. An error if the session has one at work.
    pub fn insert(&self, new: &NewTurn) -> Result<u64> {
        let sql = "
            INSERT INTO turn (id, session, number, cause, retry_of, admission, started_at, rev)
            VALUES (?1, ?2, (SELECT coalesce(max(number), 0) + 1 FROM turn WHERE session = ?2), ?3, ?4, ?5, ?6, ?7)
            RETURNING number";
        let params = args![new.id, new.session, new.cause, new.retry_of, new.admission, new.at, self.tx.rev()];
        let number = value(self.tx.conn, sql, params)?.ok_or_else(|| missing("turn", new.id))?;
        self.tx.mark(ChangeKey::Turn(new.id));
        self.tx.touch_session(new.session)?;
        Ok(number)
    }

    /// Notes that a running turn got further; whether it did. There is no way back.
    pub fn advance(&self, id: TurnId, progress: TurnProgress) -> Result<bool> {
        let Some(turn) = self.tx.turns().get(id)? else { return Ok(false) };
        if turn.state != TurnState::Running || turn.progress >= progress {
            return Ok(false);
        }
        change(self.tx.conn, "UPDATE turn SET progress = ?2 WHERE id = ?1", args![id, progress])?;
        self.touch(id)?;
        Ok(true)
    }

    /// Begins the turn once more; which attempt that is.
    pub fn again(&self, id: TurnId) -> Result<u32> {
        let sql = "UPDATE turn SET attempt = attempt + 1 WHERE id = ?1 RETURNING attempt";
        let attempt = value(self.tx.conn, sql, args![id])?.ok_or_else(|| missing("turn", id))?;
        self.touch(id)?;
        Ok(attempt)
    }

    /// Ends a running turn; whether it was running.
    pub fn finish(&self, id: TurnId, state: TurnState, at: EpochMs) -> Result<bool> {
        let sql = "UPDATE turn SET state = ?2, ended_at = ?3 WHERE id = ?1 AND state = 'running'";
        let finished = change(self.tx.conn, sql, args![id, state, at])? > 0;
        if finished {
            self.touch(id)?;
        }
        Ok(finished)
    }

    fn touch(&self, id: TurnId) -> Result<()> {
        let sql = "UPDATE turn SET rev = ?2 WHERE id = ?1 RETURNING session";
        let session = value(self.tx.conn, sql, args![id, self.tx.rev()])?.ok_or_else(|| missing("turn", id))?;
        self.tx.mark(ChangeKey::Turn(id));
        self.tx.touch_session(session)
    }
}
