//! Tasks: what one agent has handed on to others, and what came of each. A task changes the revision of the entry that
//! shows its delegation, it has none of its own.

use gatehouse_domain::{EpochMs, ItemId, SessionId, TaskState};
use rusqlite::Connection;

use crate::error::Result;
use crate::sql::{all, args, change, first, record, value};
use crate::tx::Tx;

pub(crate) const ADDED: &str = "
CREATE TABLE task (
    session    BLOB    PRIMARY KEY NOT NULL, -- where it is worked on
    delegation BLOB    NOT NULL,
    number     INTEGER NOT NULL,
    title      TEXT    NOT NULL,
    state      TEXT    NOT NULL DEFAULT 'running',
    said       TEXT    NOT NULL DEFAULT '',
    started_at INTEGER NOT NULL,
    ended_at   INTEGER,
    UNIQUE (delegation, number)
) STRICT;
CREATE INDEX task_running ON task (session) WHERE state = 'running';
CREATE INDEX session_delegated ON session (delegated_from) WHERE delegated_from IS NOT NULL;
";

record! {
    /// A task that was handed on.
    TaskRow of "task" {
        /// The session in which it is worked on.
        session: SessionId,
        /// The entry that shows the delegation it belongs to, by which that is known.
        delegation: ItemId,
        /// Its place among the tasks of that, from 1.
        number: u32,
        /// What is to be done, in a line for a person.
        title: String,
        /// Where it stands.
        state: TaskState,
        /// The last words, once it has ended.
        said: String,
        /// When it was handed on.
        started_at: EpochMs,
        /// When it ended.
        ended_at: Option<EpochMs>,
    }
}

impl TaskRow {
    /// How long it took; until now, if it still runs.
    pub fn took(&self, now: EpochMs) -> u64 {
        self.ended_at.unwrap_or(now).since(self.started_at)
    }
}

/// Tasks, to be read.
pub struct Tasks<'c> {
    pub(crate) conn: &'c Connection,
}

impl Tasks<'_> {
    /// The task that a session works on.
    pub fn get(&self, session: SessionId) -> Result<Option<TaskRow>> {
        first(self.conn, "FROM task WHERE session = ?1", args![session])
    }

    /// The tasks of a delegation, in their order.
    pub fn of(&self, delegation: ItemId) -> Result<Vec<TaskRow>> {
        all(self.conn, "FROM task WHERE delegation = ?1 ORDER BY number", args![delegation])
    }

    /// What the agents of a lineage have handed on and is still worked on, the oldest first.
    pub fn running_of(&self, root: SessionId) -> Result<Vec<TaskRow>> {
        let tail = "FROM task INDEXED BY task_running JOIN session AS child ON child.id = task.session
            JOIN session AS owner ON owner.id = child.delegated_from
            WHERE task.state = 'running' AND owner.root = ?1 ORDER BY task.started_at, task.delegation, task.number";
        all(self.conn, tail, args![root])
    }
}

/// A task to be handed on.
#[derive(Debug, Clone)]
pub struct NewTask {
    /// The session in which it is worked on.
    pub session: SessionId,
    /// The entry that shows the delegation.
    pub delegation: ItemId,
    /// Its place among the tasks of that, from 1.
    pub number: u32,
    /// What is to be done, in a line for a person.
    pub title: String,
    /// When.
    pub at: EpochMs,
}

/// Tasks, to be changed.
pub struct TasksMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl TasksMut<'_> {
    /// Hands a task on.
    pub fn insert(&self, new: &NewTask) -> Result<()> {
        let sql = "INSERT INTO task (session, delegation, number, title, started_at) VALUES (?1, ?2, ?3, ?4, ?5)";
        change(self.tx.conn, sql, args![new.session, new.delegation, new.number, new.title, new.at])?;
        self.tx.touch_item(new.delegation)
    }

    /// Ends the task that a session works on; the delegation, if it still ran.
    pub fn end(&self, session: SessionId, state: TaskState, said: &str, at: EpochMs) -> Result<Option<ItemId>> {
        let sql = "UPDATE task SET state = ?2, said = ?3, ended_at = ?4 WHERE session = ?1 AND state = 'running'
            RETURNING delegation";
        let ended: Option<ItemId> = value(self.tx.conn, sql, args![session, state, said, at])?;
        if let Some(delegation) = ended {
            self.tx.touch_item(delegation)?;
        }
        Ok(ended)
    }
}
