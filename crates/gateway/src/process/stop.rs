//! Ends a process and its tree, and says so only when that is verified.

use std::sync::Arc;
use std::time::Duration;

use gatehouse_domain::{AbandonCause, ConsumedBy, IncidentId, ProcessId, ProcessState, SessionId, StoppedBy, TurnId};
use gatehouse_process::StopMode;
use gatehouse_store::{NewIncident, ProcessRow, Tx};

use crate::core::Core;
use crate::error::{Error, Result};

/// A verified stop whose end was not recorded by then is answered with the state as it is.
const RECORD_LIMIT: Duration = Duration::from_secs(5);

/// Which process, who asks, how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StopOrder {
    pub process: ProcessId,
    pub by: StoppedBy,
    pub mode: StopMode,
    /// How its report counts as told, if the asker is told by the answer.
    pub consume: Option<ConsumedBy>,
}

/// What is left, verified.
#[derive(Debug, Clone)]
pub(crate) struct Stopped {
    pub state: ProcessState,
    pub survivors: Vec<u32>,
}

/// Stops one process. The wish is recorded before the first signal, so that a crash in between is resumed. What the row
/// says of those left behind is no answer: it is as old as the last word of the shim, which is asked.
pub(crate) async fn stop(core: &Arc<Core>, order: StopOrder) -> Result<Stopped> {
    let row = intend(core, order).await?;
    if row.pid.is_none() && !row.state.is_final() {
        // Its shim is on the way; whoever starts it reads the wish and stops it as soon as it can be reached.
        until_recorded(core, row.id).await;
        return answer(core, &row, Vec::new());
    }
    match core.supervisor.stop(order.process, order.mode).await {
        Ok(outcome) if outcome.survivors.is_empty() => {
            if !row.state.is_final() {
                until_recorded(core, row.id).await;
            } else if row.descendants > 0 {
                // Whoever follows it is told the same, with what came of output meanwhile.
                super::left_behind(core, row.id, &[]).await?;
            }
            answer(core, &row, outcome.survivors)
        }
        // Nothing of it was ever run, or its directory was removed after its tree had ended.
        Err(gatehouse_process::Error::UnknownProcess(_)) if row.state.is_final() => answer(core, &row, Vec::new()),
        Ok(outcome) => {
            let pids = outcome.survivors.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
            did_not_end(core, &row, &format!("Alive in spite of every signal: {pids}")).await?;
            answer(core, &row, outcome.survivors)
        }
        Err(error) => {
            did_not_end(core, &row, &error.to_string()).await?;
            Err(error.into())
        }
    }
}

fn answer(core: &Core, row: &ProcessRow, survivors: Vec<u32>) -> Result<Stopped> {
    let state = core.store.read(|s| s.processes().get(row.id))?.map_or(row.state, |now| now.state);
    Ok(Stopped { state, survivors })
}

/// The tree is gone; its record follows within a transaction's time. The row is watched and not whoever follows the
/// process: during a start nobody does yet.
async fn until_recorded(core: &Core, process: ProcessId) {
    let recorded = async {
        let mut rows = core.store.watch();
        loop {
            rows.borrow_and_update();
            match core.store.read(|s| s.processes().get(process)) {
                Ok(Some(row)) if !row.state.is_final() => {}
                // Recorded, gone, or not to be read: the answer says which.
                Ok(_) | Err(_) => return,
            }
            if rows.changed().await.is_err() {
                return;
            }
        }
    };
    if tokio::time::timeout(RECORD_LIMIT, recorded).await.is_err() {
        tracing::warn!(%process, "A stopped process's end is not recorded yet.");
    }
}

/// Records the wish, and that its report is told by the answer. The row as it stands then comes back. What had ended by
/// itself still reports that, whoever of the people ends what it left behind.
async fn intend(core: &Core, order: StopOrder) -> Result<ProcessRow> {
    let StopOrder { process, by, consume, .. } = order;
    let row = core.store.write(move |tx| {
        let Some(row) = tx.processes().get(process)? else { return Ok(None) };
        let over = row.state.is_final();
        if !over {
            tx.processes_mut().stopping(process, by)?;
        }
        let reports = over && matches!(by, StoppedBy::User | StoppedBy::Quit);
        if let Some(how) = consume.filter(|_| !reports) {
            super::consume_units(tx, process, how)?;
        }
        tx.processes().get(process)
    });
    row.await?.ok_or(Error::NotFound("process"))
}

/// A person must be able to see a stop that did not work; and what lives on still owes its report.
async fn did_not_end(core: &Core, row: &ProcessRow, why: &str) -> Result<()> {
    let (process, live) = (row.id, !row.state.is_final());
    let incident = NewIncident {
        id: IncidentId::from_uuid(core.ids.fresh()),
        severity: "error".into(),
        cause: "stop_failed".into(),
        subject: process.to_string(),
        detail: why.to_owned(),
        at: core.now(),
    };
    core.store
        .write(move |tx| {
            if live {
                for unit in tx.units().by_process(process)? {
                    tx.units_mut().owe_again(unit.id)?;
                }
            }
            tx.incidents_mut().insert(&incident)
        })
        .await?;
    Ok(())
}

/// Ends what an abandoned turn started, in parallel, and lets nothing of it speak again. The answer to the person does
/// not wait for it.
pub(crate) fn reap(core: &Arc<Core>, session: SessionId, turn: TurnId, processes: Vec<ProcessId>, cause: AbandonCause) {
    let processes: Vec<ProcessId> = processes.into_iter().filter(|process| !is_spared(core, *process, cause)).collect();
    let change = i32::try_from(processes.len()).unwrap_or(i32::MAX);
    core.live.reaping(session, change);
    let core = Arc::clone(core);
    core.actors.tasks.clone().spawn(async move {
        silence(&core, session, turn, cause).await;
        let stops = processes.into_iter().map(|process| {
            let order = StopOrder {
                process,
                by: stopped_by(cause),
                mode: StopMode::Graceful,
                consume: Some(ConsumedBy::Abandon),
            };
            let core = &core;
            async move {
                match stop(core, order).await {
                    // Without a row it never began: its start sees that the turn was given up.
                    Ok(_) | Err(Error::NotFound(_)) => {}
                    Err(error) => tracing::warn!(%process, "An abandoned turn's process was not stopped: {error:#}"),
                }
                core.live.reaping(session, -1);
                refresh(core, session).await;
            }
        });
        futures_util::future::join_all(stops).await;
    });
}

/// Notes the wish to end what an abandoned turn started, so that a start goes on with it.
pub(crate) fn doom(tx: &Tx<'_>, row: &ProcessRow, cause: AbandonCause) -> gatehouse_store::Result<()> {
    if lives_on(row, cause) {
        return Ok(());
    }
    tx.processes_mut().stopping(row.id, stopped_by(cause))?;
    super::consume_units(tx, row.id, ConsumedBy::Abandon)
}

/// What the turn started and what has ended already is not told any more either.
async fn silence(core: &Core, session: SessionId, turn: TurnId, cause: AbandonCause) {
    let told = core.store.write(move |tx| {
        // What was handed on goes on: it does not belong to this turn.
        for unit in tx.units().of_turn(turn)?.into_iter().filter(|unit| unit.delegation.is_none()) {
            let process = unit.process.map(|process| tx.processes().get(process)).transpose()?.flatten();
            if process.is_none_or(|row| !lives_on(&row, cause)) {
                tx.units_mut().consume(unit.id, ConsumedBy::Abandon)?;
            }
        }
        tx.touch_session(session)
    });
    if let Err(error) = told.await {
        tracing::warn!(%turn, "Reports of an abandoned turn could not be withdrawn: {error:#}");
    }
}

/// Whether a process outlives its turn although that was given up: it is meant to, and nobody meant this very turn.
pub(crate) fn is_spared(core: &Core, process: ProcessId, cause: AbandonCause) -> bool {
    match core.store.read(|s| s.processes().get(process)) {
        Ok(row) => row.is_some_and(|row| lives_on(&row, cause)),
        Err(error) => {
            tracing::error!(%process, "Whether it shall live on cannot be read, so it does not: {error:#}");
            false
        }
    }
}

pub(super) const fn lives_on(row: &ProcessRow, cause: AbandonCause) -> bool {
    row.persist && cause.spares_persisted()
}

/// The number of processes that are being ended is no row; the session's row carries it onto the feed.
async fn refresh(core: &Core, session: SessionId) {
    if let Err(error) = core.store.write(move |tx| tx.touch_session(session)).await {
        tracing::warn!(%session, "A session could not be refreshed: {error:#}");
    }
}

/// Whose stop a turn's sweep is.
pub(crate) const fn stopped_by(cause: AbandonCause) -> StoppedBy {
    match cause {
        AbandonCause::Stop => StoppedBy::TurnStop,
        AbandonCause::NewSession => StoppedBy::NewSession,
        AbandonCause::Timeout => StoppedBy::TurnTimeout,
        AbandonCause::Disconnect => StoppedBy::Disconnect,
    }
}

#[cfg(test)]
mod tests;
