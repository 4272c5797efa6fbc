//! A task ends in the last transaction of its turn, and with the last task of a delegation its report is complete.

use gatehouse_domain::{
    Category, EpochMs, FailureCode, ItemId, Producer, SessionId, TaskState, TurnState, UnitId, Wants,
};
use gatehouse_store::{Handed, NewUnit, TaskRow, Tx, UnitRow};

use super::words;
use crate::core::Core;

/// How a task ended, put into words before the transaction that records it.
pub(crate) struct TaskEnd {
    session: SessionId,
    state: TaskState,
    said: String,
    /// The report of a failure while others still work.
    failure: UnitId,
    at: EpochMs,
}

impl TaskEnd {
    /// Of a turn that ends so, with these last words. It is written for every turn, and changes nothing for one that
    /// works on no task.
    pub fn of(
        core: &Core,
        session: SessionId,
        turn: TurnState,
        failure: Option<FailureCode>,
        said: &str,
        at: EpochMs,
    ) -> Self {
        let state = state(turn, failure);
        Self { session, state, said: words::bounded(said), failure: UnitId::from_uuid(core.ids.fresh()), at }
    }

    /// Part of the turn's last transaction; the session that can be told something now.
    pub fn write(&self, tx: &Tx<'_>) -> gatehouse_store::Result<Option<SessionId>> {
        let Some(delegation) = tx.tasks_mut().end(self.session, self.state, &self.said, self.at)? else {
            return Ok(None);
        };
        let Some(unit) = tx.units().by_delegation(delegation)? else { return Ok(None) };
        let tasks = tx.tasks().of(delegation)?;
        let due = if tasks.iter().all(|task| task.state != TaskState::Running) {
            tx.units_mut().finish_delegation(unit.id, &self.all(&unit, &tasks))?
        } else {
            self.alone(tx, delegation, &unit, &tasks)?
        };
        Ok(due.then_some(unit.session))
    }

    fn all(&self, unit: &UnitRow, tasks: &[TaskRow]) -> Handed {
        Handed {
            outcome: tasks.iter().map(|task| task.state).max().unwrap_or(TaskState::Unknown),
            text: words::plain(tasks),
            duration_ms: self.at.since(unit.created_at),
            category: Category::Result,
            at: self.at,
        }
    }

    /// A failure is told while the other tasks go on; everything else waits for the end of all. Whether it is told.
    fn alone(
        &self,
        tx: &Tx<'_>,
        delegation: ItemId,
        unit: &UnitRow,
        tasks: &[TaskRow],
    ) -> gatehouse_store::Result<bool> {
        let failed = match self.state {
            TaskState::Error | TaskState::Unknown => true,
            TaskState::Running | TaskState::Completed | TaskState::Interrupted => false,
        };
        let Some(task) = tasks.iter().find(|task| task.session == self.session && failed) else { return Ok(false) };
        let new = NewUnit {
            id: self.failure,
            producer: Producer::TaskFailure,
            identity: format!("task_failure:{delegation}:{}", task.number),
            session: unit.session,
            process: None,
            turn: unit.turn,
            command: task.title.clone(),
            wants: Wants::Turn,
            at: self.at,
        };
        tx.units_mut().owe_delegation(&new, delegation, Some(task.number))?;
        let handed = Handed {
            outcome: self.state,
            text: self.said.clone(),
            duration_ms: task.took(self.at),
            category: Category::Diagnostic,
            at: self.at,
        };
        tx.units_mut().finish_delegation(self.failure, &handed)
    }
}

const fn state(turn: TurnState, failure: Option<FailureCode>) -> TaskState {
    match (turn, failure) {
        (TurnState::Done, _) => TaskState::Completed,
        (TurnState::Stopped, Some(FailureCode::Stopped) | None) => TaskState::Interrupted,
        (TurnState::Interrupted, _) => TaskState::Unknown,
        (TurnState::Stopped | TurnState::Failed, _) => TaskState::Error,
        // A turn that ends is not at work.
        (TurnState::Running, _) => TaskState::Unknown,
    }
}
