//! Tasks are written down in one transaction, with the report that is owed for them, and then begin.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use gatehouse_agent::{DelegationRefused, Delegations, Task};
use gatehouse_domain::{Author, EpochMs, ItemId, ItemKind, Producer, SessionId, TurnCause, TurnId, UnitId, Wants};
use gatehouse_fault::{Point, point};
use gatehouse_store::{NewItem, NewSession, NewTask, NewTurn, NewUnit, Tx};

use super::{at_work, cancel};
use crate::core::Core;
use crate::error::{Error, Result};
use crate::session::{AT_WORK, Message, title_of};

/// Sub-agents that may work for one conversation at a time.
const MOST_AT_WORK: usize = 4;

/// Takes the tasks that one turn hands on.
pub(crate) struct TurnDelegations {
    core: Arc<Core>,
    session: SessionId,
    turn: TurnId,
}

impl TurnDelegations {
    pub const fn new(core: Arc<Core>, session: SessionId, turn: TurnId) -> Self {
        Self { core, session, turn }
    }

    async fn hand_on(&self, tasks: Vec<Task>) -> std::result::Result<ItemId, DelegationRefused> {
        let core = &self.core;
        let delegation = Delegation::of(core, self.session, self.turn, tasks);
        let (id, workers) = (delegation.entry.id, delegation.sessions());
        point(Point::DelegationBefore);
        let written = core.store.write(move |tx| delegation.write(tx)).await;
        point(Point::DelegationAfter);
        match written.map_err(|error| refused(&error.to_string()))? {
            Written::Whole => {}
            Written::Full(count) => return Err(refused(&full(count))),
            Written::Ended => return Err(refused("The person has ended this conversation.")),
        }
        for worker in workers {
            match core.actors.send(core, worker, Message::Resume).await {
                // The next start finds its turn.
                Ok(()) | Err(Error::ShuttingDown) => {}
                Err(error) => tracing::error!(session = %worker, "A task could not begin: {error:#}"),
            }
        }
        // Who drew a line meanwhile may have found nobody at work yet.
        match has_ended(core, self.session) {
            Ok(false) => {}
            Ok(true) => cancel(core, self.session),
            Err(error) => tracing::error!(session = %self.session, "A conversation cannot be read: {error:#}"),
        }
        Ok(id)
    }
}

impl Delegations for TurnDelegations {
    fn delegate(&self, tasks: Vec<Task>) -> BoxFuture<'_, std::result::Result<ItemId, DelegationRefused>> {
        self.hand_on(tasks).boxed()
    }
}

fn has_ended(core: &Core, session: SessionId) -> Result<bool> {
    Ok(core.store.read(|s| Ok(s.sessions().get(session)?.is_some_and(|row| row.end_reason.is_some())))?)
}

fn refused(reason: &str) -> DelegationRefused {
    DelegationRefused { reason: reason.to_owned() }
}

fn full(count: usize) -> String {
    let them = if count == 1 { "One sub-agent is".to_owned() } else { format!("{count} sub-agents are") };
    format!(
        "{them} at work for this conversation already, and at most {MOST_AT_WORK} can be. Wait for the report of those, \
         hand on fewer tasks, or do it yourself."
    )
}

/// Whether everything was written, or why nothing was.
enum Written {
    Whole,
    /// So many are at work already.
    Full(usize),
    Ended,
}

/// What one transaction writes.
struct Delegation {
    entry: NewItem,
    unit: NewUnit,
    workers: Vec<Worker>,
}

/// One task with everything that is born with it.
struct Worker {
    session: NewSession,
    entry: NewItem,
    turn: NewTurn,
    task: NewTask,
}

impl Delegation {
    fn of(core: &Core, session: SessionId, turn: TurnId, tasks: Vec<Task>) -> Self {
        let (id, at) = (ItemId::from_uuid(core.ids.fresh()), core.now());
        let titles: Vec<&str> = tasks.iter().map(|task| task.title.as_str()).collect();
        let unit = NewUnit {
            id: UnitId::from_uuid(core.ids.fresh()),
            producer: Producer::Delegation,
            identity: format!("delegation:{id}"),
            session,
            process: None,
            turn: Some(turn),
            command: titles.join("; "),
            wants: Wants::Turn,
            at,
        };
        let entry = entry(id, session, turn, Author::Machine, titles.join("\n"), at);
        let workers = (1..).zip(tasks).map(|(number, task)| Worker::of(core, session, id, number, task, at)).collect();
        Self { entry, unit, workers }
    }

    fn sessions(&self) -> Vec<SessionId> {
        self.workers.iter().map(|worker| worker.session.id).collect()
    }

    fn write(&self, tx: &Tx<'_>) -> gatehouse_store::Result<Written> {
        let owner = self.entry.session;
        if tx.sessions().get(owner)?.is_none_or(|row| row.end_reason.is_some()) {
            return Ok(Written::Ended);
        }
        let running = at_work(tx, owner)?;
        if running + self.workers.len() > MOST_AT_WORK {
            return Ok(Written::Full(running));
        }
        tx.items_mut().insert(&self.entry)?;
        tx.units_mut().owe_delegation(&self.unit, self.entry.id, None)?;
        self.workers.iter().try_for_each(|worker| worker.write(tx))?;
        Ok(Written::Whole)
    }
}

impl Worker {
    fn of(core: &Core, owner: SessionId, delegation: ItemId, number: u32, task: Task, at: EpochMs) -> Self {
        let id = SessionId::from_uuid(core.ids.fresh());
        let turn = TurnId::from_uuid(core.ids.fresh());
        Self {
            session: NewSession {
                id,
                title: title_of(&task.title),
                client_key: None,
                route: format!("delegated:{id}"),
                delegated_from: Some(owner),
                at,
            },
            // The words are those of the agent that hands it on.
            entry: entry(ItemId::from_uuid(core.ids.fresh()), id, turn, Author::Model, task.text, at),
            turn: NewTurn { id: turn, session: id, cause: TurnCause::Delegation, retry_of: None, admission: None, at },
            task: NewTask { session: id, delegation, number, title: task.title, at },
        }
    }

    fn write(&self, tx: &Tx<'_>) -> gatehouse_store::Result<()> {
        tx.sessions_mut().insert(&self.session)?;
        tx.turns_mut().insert(&self.turn)?;
        tx.items_mut().insert(&self.entry)?;
        tx.sessions_mut().set_summary(self.session.id, AT_WORK, false, self.session.at)?;
        tx.tasks_mut().insert(&self.task)
    }
}

fn entry(id: ItemId, session: SessionId, turn: TurnId, author: Author, text: String, at: EpochMs) -> NewItem {
    NewItem {
        id,
        session,
        turn: Some(turn),
        author,
        kind: ItemKind::Delegation,
        text,
        streaming: false,
        failure: None,
        retryable: false,
        admission: None,
        at,
    }
}
