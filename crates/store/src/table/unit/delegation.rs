//! Reports of what was handed on to other agents.

use gatehouse_domain::{Category, EpochMs, ItemId, TaskState, UnitId};

use super::{NewUnit, UnitRow, Units, UnitsMut};
use crate::error::Result;
use crate::sql::{args, change, first, value};

pub(crate) const OF_DELEGATIONS: &str = "
ALTER TABLE unit ADD COLUMN delegation BLOB;
ALTER TABLE unit ADD COLUMN outcome TEXT; -- how its tasks ended
CREATE INDEX unit_delegation ON unit (delegation) WHERE delegation IS NOT NULL;
";

/// How what was handed on has ended.
#[derive(Debug, Clone)]
pub struct Handed {
    /// Of several tasks, the worst.
    pub outcome: TaskState,
    /// What came of it, as a text.
    pub text: String,
    /// How long it took.
    pub duration_ms: u64,
    /// What sort of thing it tells.
    pub category: Category,
    /// When it ended, which is also when the gateway learned of it.
    pub at: EpochMs,
}

impl Units<'_> {
    /// The report that a delegation owes; one that tells of a task's failure in between is not it.
    pub fn by_delegation(&self, delegation: ItemId) -> Result<Option<UnitRow>> {
        first(self.conn, "FROM unit WHERE delegation = ?1 AND producer = 'delegation'", args![delegation])
    }
}

impl UnitsMut<'_> {
    /// Owes a report about a delegation, or about one task of it. An error if the same thing is owed already.
    pub fn owe_delegation(&self, new: &NewUnit, delegation: ItemId, task: Option<u32>) -> Result<()> {
        self.owe(new)?;
        let sql = "UPDATE unit SET delegation = ?2, number = ?3 WHERE id = ?1";
        change(self.tx.conn, sql, args![new.id, delegation, task.unwrap_or(0)])?;
        Ok(())
    }

    /// Completes a report about a delegation; whether the work was still running.
    pub fn finish_delegation(&self, id: UnitId, handed: &Handed) -> Result<bool> {
        let sql = "UPDATE unit SET work = 'finished', outcome = ?2, output_tail = ?3, output_bytes = ?4,
                duration_ms = ?5, category = ?6, finished_at = ?7, known_at = ?7
            WHERE id = ?1 AND work = 'running' RETURNING session";
        let bytes = handed.text.len() as u64;
        let (text, took) = (&handed.text, handed.duration_ms);
        let params = args![id, handed.outcome, text, bytes, took, handed.category, handed.at];
        self.touched(value(self.tx.conn, sql, params)?)
    }
}
