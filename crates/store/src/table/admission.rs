//! Admissions: inputs that were durably accepted into a session's queue.

use gatehouse_domain::{AdmissionId, AdmissionStatus, Category, EpochMs, Principal, SessionId, TurnCause, TurnId};
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

/// An order that can be changed, beside the order of acceptance, which cannot.
pub(crate) const ORDER: &str = "
ALTER TABLE admission ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
UPDATE admission SET place = seq;
DROP INDEX admission_queued;
CREATE INDEX admission_queued ON admission (session, place, seq) WHERE status = 'queued';
";

/// What sort of thing it tells; of a person's words, a result.
pub(crate) const WITH_CATEGORY: &str = "
ALTER TABLE admission ADD COLUMN category TEXT NOT NULL DEFAULT 'result';
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
        /// Its place in the queue.
        place: i64,
        /// What sort of thing it tells.
        category: Category,
    }
}

impl AdmissionRow {
    /// Whether it is a person's words that wait for their turn.
    pub fn is_waiting_message(&self) -> bool {
        self.status == AdmissionStatus::Queued && self.cause == TurnCause::Human
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
        all(self.conn, "FROM admission WHERE session = ?1 AND status = 'queued' ORDER BY place, seq", args![session])
    }

    /// The sessions with something in their queue.
    pub fn queued_sessions(&self) -> Result<Vec<SessionId>> {
        values(self.conn, "SELECT DISTINCT session FROM admission WHERE status = 'queued' ORDER BY session", [])
    }

    /// What people put into a session's queue, in order.
    pub(crate) fn queued_by_people(&self, session: SessionId) -> Result<Vec<AdmissionRow>> {
        let tail = "FROM admission WHERE session = ?1 AND status = 'queued' AND cause = 'human' ORDER BY place, seq";
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
    /// What sort of thing it tells.
    pub category: Category,
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
            "INSERT INTO admission (id, session, root, principal, request_key, digest, cause, text, retry_of, category,
                 at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
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
                new.category,
                new.at
            ],
        )?;
        change(self.tx.conn, "UPDATE admission SET place = seq WHERE id = ?1", args![new.id])?;
        self.tx.touch_session(new.session)
    }

    /// Gives a person's waiting words another wording; whether they still waited.
    pub fn edit(&self, id: AdmissionId, text: &str) -> Result<bool> {
        // What was handed in stays known, so that the same hand-in is still the same one.
        let sql = "UPDATE admission SET digest = CASE digest WHEN '' THEN text ELSE digest END, text = ?2
            WHERE id = ?1 AND status = 'queued' AND cause = 'human' RETURNING session";
        self.touched(value(self.tx.conn, sql, args![id, text])?)
    }

    /// Puts a person's waiting words right before others of the same queue, or last; whether both still waited.
    pub fn reorder(&self, id: AdmissionId, before: Option<AdmissionId>) -> Result<bool> {
        let Some(row) = self.tx.admissions().get(id)? else { return Ok(false) };
        let queue = self.tx.admissions().queued_by_people(row.session)?;
        let mut order: Vec<AdmissionId> = queue.iter().map(|a| a.id).collect();
        let Some(from) = order.iter().position(|a| *a == id) else { return Ok(false) };
        if before == Some(id) {
            return Ok(true);
        }
        order.remove(from);
        let to = match before {
            None => order.len(),
            Some(other) => match order.iter().position(|a| *a == other) {
                Some(to) => to,
                None => return Ok(false),
            },
        };
        order.insert(to, id);
        // The places stay the same, so what a machine put between them stays where it is.
        for (id, place) in order.iter().zip(queue.iter().map(|a| a.place)) {
            change(self.tx.conn, "UPDATE admission SET place = ?2 WHERE id = ?1", args![id, place])?;
        }
        self.tx.touch_session(row.session)?;
        Ok(true)
    }

    /// Puts a person's waiting words before everything else that waits; whether they still waited.
    pub fn put_first(&self, id: AdmissionId) -> Result<bool> {
        let sql = "UPDATE admission SET place =
                (SELECT min(other.place) - 1 FROM admission AS other
                 WHERE other.session = admission.session AND other.status = 'queued')
            WHERE id = ?1 AND status = 'queued' AND cause = 'human' RETURNING session";
        self.touched(value(self.tx.conn, sql, args![id])?)
    }

    /// From queued to done without a turn; whether it was queued.
    pub fn spend(&self, id: AdmissionId) -> Result<bool> {
        let sql = "UPDATE admission SET status = 'done' WHERE id = ?1 AND status = 'queued' RETURNING session";
        self.touched(value(self.tx.conn, sql, args![id])?)
    }

    /// Forgets one that was spent although nothing came of it: what it was called can be used again.
    pub fn forget(&self, id: AdmissionId) -> Result<bool> {
        let sql = "DELETE FROM admission WHERE id = ?1 AND status = 'done' AND turn IS NULL RETURNING session";
        self.touched(value(self.tx.conn, sql, args![id])?)
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

    /// Takes what people put into one session's queue over into another's, in its order; how many there were.
    pub fn move_people(&self, from: SessionId, to: SessionId) -> Result<usize> {
        let sql = "UPDATE admission SET session = ?2, root = (SELECT root FROM session WHERE session.id = ?2)
            WHERE session = ?1 AND status = 'queued' AND cause = 'human'";
        let moved = change(self.tx.conn, sql, args![from, to])?;
        if moved > 0 {
            self.tx.touch_session(from)?;
            self.tx.touch_session(to)?;
        }
        Ok(moved)
    }

    fn touched(&self, session: Option<SessionId>) -> Result<bool> {
        session.map_or(Ok(false), |session| self.tx.touch_session(session).map(|()| true))
    }
}
