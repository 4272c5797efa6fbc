//! Admissions: inputs that were durably accepted into a session's queue.

use gatehouse_domain::{AdmissionId, AdmissionStatus, EpochMs, Principal, SessionId, TurnCause, TurnId};
use rusqlite::Connection;

use crate::error::Result;
use crate::sql::{all, args, change, first, record, value, values};
use crate::tx::Tx;

pub(crate) const INITIAL: &str = "
CREATE TABLE admission (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of acceptance
    id          BLOB    NOT NULL UNIQUE,
    session     BLOB    NOT NULL REFERENCES session (id),
    root        BLOB    NOT NULL,
    principal   TEXT    NOT NULL,
    request_key TEXT    NOT NULL,
    digest      TEXT    NOT NULL,
    cause       TEXT    NOT NULL,
    text        TEXT    NOT NULL,
    retry_of    BLOB,
    status      TEXT    NOT NULL DEFAULT 'queued',
    turn        BLOB,
    at          INTEGER NOT NULL,
    UNIQUE (root, principal, request_key)
) STRICT;
CREATE INDEX admission_queued ON admission (session, seq) WHERE status = 'queued';
";

record! {
    /// An accepted input.
    AdmissionRow of "admission" {
        /// Its id.
        id: AdmissionId,
        /// Into whose queue.
        session: SessionId,
        /// The first session of that lineage.
        root: SessionId,
        /// Who handed it in.
        principal: Principal,
        /// The name under which a repeated hand-in is the same one.
        request_key: String,
        /// What was handed in, as a digest, to tell a repetition from a mistake.
        digest: String,
        /// What its turn answers.
        cause: TurnCause,
        /// A person's words.
        text: String,
        /// The failed turn that it tries again.
        retry_of: Option<TurnId>,
        /// What became of it.
        status: AdmissionStatus,
        /// The order of acceptance.
        seq: i64,
        /// The turn that answers it.
        turn: Option<TurnId>,
        /// When it was accepted.
        at: EpochMs,
    }
}

/// Admissions, to be read.
pub struct Admissions<'c> {
    pub(crate) conn: &'c Connection,
}

impl Admissions<'_> {
    /// The admission with this id.
    pub fn get(&self, id: AdmissionId) -> Result<Option<AdmissionRow>> {
        first(self.conn, "FROM admission WHERE id = ?1", args![id])
    }

    /// What was handed in under this key.
    pub fn by_key(&self, root: SessionId, principal: Principal, request_key: &str) -> Result<Option<AdmissionRow>> {
        let tail = "FROM admission WHERE root = ?1 AND principal = ?2 AND request_key = ?3";
        first(self.conn, tail, args![root, principal, request_key])
    }

    /// A session's queue, in order.
    pub fn queued(&self, session: SessionId) -> Result<Vec<AdmissionRow>> {
        all(self.conn, "FROM admission WHERE session = ?1 AND status = 'queued' ORDER BY seq", args![session])
    }

    /// The sessions with something in their queue.
    pub fn queued_sessions(&self) -> Result<Vec<SessionId>> {
        values(self.conn, "SELECT DISTINCT session FROM admission WHERE status = 'queued' ORDER BY session", [])
    }

    /// What people put into a session's queue, in order.
    pub(crate) fn queued_by_people(&self, session: SessionId) -> Result<Vec<AdmissionRow>> {
        let tail = "FROM admission WHERE session = ?1 AND status = 'queued' AND cause = 'human' ORDER BY seq";
        all(self.conn, tail, args![session])
    }
}

/// An input to be accepted.
#[derive(Debug, Clone)]
pub struct NewAdmission {
    /// Its id.
    pub id: AdmissionId,
    /// Into whose queue.
    pub session: SessionId,
    /// The first session of that lineage.
    pub root: SessionId,
    /// Who hands it in.
    pub principal: Principal,
    /// The name under which a repeated hand-in is the same one.
    pub request_key: String,
    /// What is handed in, as a digest.
    pub digest: String,
    /// What its turn will answer.
    pub cause: TurnCause,
    /// A person's words.
    pub text: String,
    /// The failed turn that it tries again.
    pub retry_of: Option<TurnId>,
    /// When.
    pub at: EpochMs,
}

/// Admissions, to be changed.
pub struct AdmissionsMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl AdmissionsMut<'_> {
    /// Accepts an input. An error if its key was used before: look with [`Admissions::by_key`] first.
    pub fn insert(&self, new: &NewAdmission) -> Result<()> {
        change(
            self.tx.conn,
            "INSERT INTO admission (id, session, root, principal, request_key, digest, cause, text, retry_of, at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            args![
                new.id,
                new.session,
                new.root,
                new.principal,
                new.request_key,
                new.digest,
                new.cause,
                new.text,
                new.retry_of,
                new.at
            ],
        )?;
        self.tx.touch_session(new.session)
    }

    /// From queued to started; whether it was queued.
    pub fn start(&self, id: AdmissionId, turn: TurnId) -> Result<bool> {
        let sql = "UPDATE admission SET status = 'started', turn = ?2
            WHERE id = ?1 AND status = 'queued' RETURNING session";
        self.touched(value(self.tx.conn, sql, args![id, turn])?)
    }

    /// From started to done; whether it was started.
    pub fn done(&self, id: AdmissionId) -> Result<bool> {
        let sql = "UPDATE admission SET status = 'done' WHERE id = ?1 AND status = 'started' RETURNING session";
        self.touched(value(self.tx.conn, sql, args![id])?)
    }

    /// Withdraws it; whether it was queued.
    pub fn cancel(&self, id: AdmissionId) -> Result<bool> {
        let sql = "UPDATE admission SET status = 'cancelled' WHERE id = ?1 AND status = 'queued' RETURNING session";
        self.touched(value(self.tx.conn, sql, args![id])?)
    }

    fn touched(&self, session: Option<SessionId>) -> Result<bool> {
        session.map_or(Ok(false), |session| self.tx.touch_session(session).map(|()| true))
    }
}
