//! Rules: what a person allowed without being asked again.

use gatehouse_domain::{EpochMs, RuleId, RuleKind, SessionId};
use rusqlite::Connection;

use crate::error::Result;
use crate::sql::{all, args, change, first, record};
use crate::tx::Tx;

pub(crate) const TABLE: &str = "
CREATE TABLE approval_rule (
    id           BLOB    PRIMARY KEY NOT NULL,
    kind         TEXT    NOT NULL,
    text         TEXT    NOT NULL,
    exact        TEXT    NOT NULL,
    cwd          TEXT, -- none: every folder
    session      BLOB    REFERENCES session (id) ON DELETE CASCADE, -- none: every session
    created_at   INTEGER NOT NULL,
    uses         INTEGER NOT NULL DEFAULT 0,
    last_used_at INTEGER
) STRICT;
CREATE INDEX approval_rule_exact ON approval_rule (exact);
CREATE INDEX approval_rule_session ON approval_rule (session) WHERE session IS NOT NULL;
";

record! {
    /// A rule.
    RuleRow of "approval_rule" {
        /// Its id.
        id: RuleId,
        /// How far it reaches.
        kind: RuleKind,
        /// The command or the pattern, as a person may read it.
        text: String,
        /// The command to the letter, or the pattern.
        exact: String,
        /// The folder of a command.
        cwd: Option<String>,
        /// The session of a command.
        session: Option<SessionId>,
        /// When it was made.
        created_at: EpochMs,
        /// How often it answered.
        uses: u64,
        /// When it last did.
        last_used_at: Option<EpochMs>,
    }
}

/// Rules, to be read.
pub struct Rules<'c> {
    pub(crate) conn: &'c Connection,
}

impl Rules<'_> {
    /// The rule with this id.
    pub fn get(&self, id: RuleId) -> Result<Option<RuleRow>> {
        first(self.conn, "FROM approval_rule WHERE id = ?1", args![id])
    }

    /// Every rule, the newest first.
    pub fn list(&self) -> Result<Vec<RuleRow>> {
        all(self.conn, "FROM approval_rule ORDER BY created_at DESC, id DESC", [])
    }

    /// The rule about exactly this command in this folder that holds in this session, the farther-reaching one first.
    pub fn for_command(&self, session: SessionId, exact: &str, cwd: &str) -> Result<Option<RuleRow>> {
        let tail = "FROM approval_rule WHERE exact = ?1 AND cwd = ?2 AND (kind = 'exact' OR (kind = 'session'
            AND approval_rule.session = ?3
            AND EXISTS (SELECT 1 FROM session WHERE session.id = ?3 AND session.end_reason IS NULL)))
            ORDER BY kind LIMIT 1";
        first(self.conn, tail, args![exact, cwd, session])
    }

    /// Every pattern, the oldest first. Which commands it fits is not for the store to say.
    pub fn patterns(&self) -> Result<Vec<RuleRow>> {
        all(self.conn, "FROM approval_rule WHERE kind = 'pattern' ORDER BY created_at, id", [])
    }
}

/// A rule to be made.
#[derive(Debug, Clone)]
pub struct NewRule {
    /// Its id.
    pub id: RuleId,
    /// How far it reaches.
    pub kind: RuleKind,
    /// The command or the pattern, as a person may read it.
    pub text: String,
    /// The command to the letter, or the pattern.
    pub exact: String,
    /// The folder of a command.
    pub cwd: Option<String>,
    /// The session of a command.
    pub session: Option<SessionId>,
    /// When.
    pub at: EpochMs,
}

/// Rules, to be changed.
pub struct RulesMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl RulesMut<'_> {
    /// Makes a rule; which one it is: one that says the same already stays the only one.
    pub fn insert(&self, new: &NewRule) -> Result<RuleId> {
        let same = "FROM approval_rule WHERE kind = ?1 AND exact = ?2 AND cwd IS ?3 AND approval_rule.session IS ?4";
        if let Some(known) = first::<RuleRow>(self.tx.conn, same, args![new.kind, new.exact, new.cwd, new.session])? {
            return Ok(known.id);
        }
        change(
            self.tx.conn,
            "INSERT INTO approval_rule (id, kind, text, exact, cwd, session, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            args![new.id, new.kind, new.text, new.exact, new.cwd, new.session, new.at],
        )?;
        Ok(new.id)
    }

    /// Counts an answer of it; whether it was still there.
    pub fn used(&self, id: RuleId, at: EpochMs) -> Result<bool> {
        let sql = "UPDATE approval_rule SET uses = uses + 1, last_used_at = ?2 WHERE id = ?1";
        Ok(change(self.tx.conn, sql, args![id, at])? > 0)
    }

    /// Takes it back; whether it was there.
    pub fn remove(&self, id: RuleId) -> Result<bool> {
        Ok(change(self.tx.conn, "DELETE FROM approval_rule WHERE id = ?1", args![id])? > 0)
    }
}
