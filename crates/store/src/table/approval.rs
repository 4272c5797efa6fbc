//! Approvals: questions to the person. An approval changes its item's revision, it has none of its own.

use gatehouse_domain::{
    AnsweredBy, ApprovalChoice, ApprovalId, ApprovalState, EpochMs, ItemId, RuleId, SessionId, TurnId,
};
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

/// What a person is told beside the command, and what they answered.
pub(crate) const ANSWERS: &str = "
ALTER TABLE approval ADD COLUMN exact         TEXT    NOT NULL DEFAULT '';
ALTER TABLE approval ADD COLUMN purpose       TEXT;
ALTER TABLE approval ADD COLUMN dangers       TEXT    NOT NULL DEFAULT ''; -- a sentence on each line
ALTER TABLE approval ADD COLUMN suggested     TEXT;
ALTER TABLE approval ADD COLUMN takes_pattern INTEGER NOT NULL DEFAULT 0;
ALTER TABLE approval ADD COLUMN choice        TEXT;
ALTER TABLE approval ADD COLUMN answered_by   TEXT;
ALTER TABLE approval ADD COLUMN pattern       TEXT;
ALTER TABLE approval ADD COLUMN reason        TEXT;
ALTER TABLE approval ADD COLUMN rule          BLOB; -- of which nothing may be left
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
        /// What would run, masked.
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
        /// What would run, to the letter: rules are about this.
        exact: String,
        /// Why the agent wants it, in its words.
        purpose: Option<String>,
        /// What is dangerous about it, a sentence on each line.
        dangers: String,
        /// A pattern that could be allowed with it.
        suggested: Option<String>,
        /// Whether a pattern may be answered at all.
        takes_pattern: bool,
        /// What was answered.
        choice: Option<ApprovalChoice>,
        /// Whose word that was.
        answered_by: Option<AnsweredBy>,
        /// The pattern that was allowed with it.
        pattern: Option<String>,
        /// What the model is told about a refusal.
        reason: Option<String>,
        /// The rule that answered.
        rule: Option<RuleId>,
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
    /// What would run, masked.
    pub command: String,
    /// What would run, to the letter.
    pub exact: String,
    /// Where.
    pub cwd: String,
    /// Why the agent wants it.
    pub purpose: Option<String>,
    /// What is dangerous about it, a sentence on each line.
    pub dangers: String,
    /// A pattern that could be allowed with it.
    pub suggested: Option<String>,
    /// Whether a pattern may be answered at all.
    pub takes_pattern: bool,
    /// When.
    pub created_at: EpochMs,
    /// When silence becomes a no.
    pub expires_at: EpochMs,
}

/// What was answered to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The choice.
    pub choice: ApprovalChoice,
    /// Whose word that was.
    pub by: AnsweredBy,
    /// The pattern that was allowed with it.
    pub pattern: Option<String>,
    /// What the model is told about a refusal.
    pub reason: Option<String>,
    /// The rule that answered.
    pub rule: Option<RuleId>,
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
            "INSERT INTO approval (id, item, session, turn, card, command, exact, cwd, purpose, dangers, suggested,
                 takes_pattern, created_at, expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
            args![
                new.id,
                new.item,
                new.session,
                new.turn,
                new.card,
                new.command,
                new.exact,
                new.cwd,
                new.purpose,
                new.dangers,
                new.suggested,
                new.takes_pattern,
                new.created_at,
                new.expires_at
            ],
        )?;
        self.tx.touch_item(new.item)
    }

    /// Answers it: allowed, or denied; whether it was pending. The first answer counts.
    pub fn answer(&self, id: ApprovalId, answer: &Answer, at: EpochMs) -> Result<bool> {
        let state = match answer.choice {
            ApprovalChoice::Deny => ApprovalState::Denied,
            ApprovalChoice::Once | ApprovalChoice::Session | ApprovalChoice::Always | ApprovalChoice::Pattern => {
                ApprovalState::Allowed
            }
        };
        if !self.close(id, state, at)? {
            return Ok(false);
        }
        let sql = "UPDATE approval SET choice = ?2, answered_by = ?3, pattern = ?4, reason = ?5, rule = ?6
            WHERE id = ?1";
        change(self.tx.conn, sql, args![id, answer.choice, answer.by, answer.pattern, answer.reason, answer.rule])?;
        Ok(true)
    }

    /// Closes it without an answer; whether it was pending.
    pub fn close(&self, id: ApprovalId, state: ApprovalState, at: EpochMs) -> Result<bool> {
        let sql = "UPDATE approval SET state = ?2, answered_at = ?3
            WHERE id = ?1 AND state = 'pending' RETURNING item";
        match value(self.tx.conn, sql, args![id, state, at])? {
            Some(item) => {
                self.tx.notices_mut().question_closed(id)?;
                self.tx.touch_item(item).map(|()| true)
            }
            None => Ok(false),
        }
    }
}
