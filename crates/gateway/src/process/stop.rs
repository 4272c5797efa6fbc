//! Ends a process and its tree, and says so only when that is verified.

use std::sync::Arc;
use std::time::Duration;

use gatehouse_domain::{AbandonCause, ConsumedBy, ProcessId, ProcessState, SessionId, StoppedBy};
use gatehouse_process::StopMode;

use super::launch::stopped_by;
use crate::core::Core;
use crate::error::{Error, Result};

/// A verified stop whose end was not recorded by then is answered with the state as it is.
const RECORD_LIMIT: Duration = Duration::from_secs(5);

/// Which process, who asks, how.
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

/// Stops one process. The wish is recorded before the first signal, so that a crash in between is resumed.
pub(crate) async fn stop(core: &Arc<Core>, order: StopOrder) -> Result<Stopped> {
    let StopOrder { process, by, mode, consume } = order;
    let row = core.store.read(|s| s.processes().get(process))?.ok_or(Error::NotFound("process"))?;
    if row.state.is_final() && row.descendants == 0 {
        return Ok(Stopped { state: row.state, survivors: Vec::new() });
    }
    let ended = core.followers.ended(process);
    if !row.state.is_final() {
        intend(core, process, by, consume).await?;
    }
    let outcome = core.supervisor.stop(process, mode).await?;
    if let Some(mut ended) = ended.filter(|_| outcome.survivors.is_empty()) {
        // The tree is gone; its record follows within a transaction's time.
        let recorded = tokio::time::timeout(RECORD_LIMIT, ended.wait_for(|done| *done)).await;
        if recorded.is_err() {
            tracing::warn!(%process, "A stopped process's end is not recorded yet.");
        }
    }
    let state = core.store.read(|s| s.processes().get(process))?.map_or(row.state, |r| r.state);
    Ok(Stopped { state, survivors: outcome.survivors })
}

async fn intend(core: &Core, process: ProcessId, by: StoppedBy, consume: Option<ConsumedBy>) -> Result<()> {
    core.store
        .write(move |tx| {
            tx.processes_mut().stopping(process, by)?;
            consume.map_or(Ok(()), |how| super::consume_units(tx, process, how))
        })
        .await?;
    Ok(())
}

/// Ends what an abandoned turn started, in parallel. The answer to the person does not wait for it.
pub(crate) fn reap(core: &Arc<Core>, session: SessionId, processes: Vec<ProcessId>, cause: AbandonCause) {
    for process in processes {
        core.live.reaping(session, 1);
        let task_core = Arc::clone(core);
        core.actors.tasks.spawn(async move {
            let order = StopOrder {
                process,
                by: stopped_by(cause),
                mode: StopMode::Graceful,
                consume: Some(ConsumedBy::Abandon),
            };
            match stop(&task_core, order).await {
                Ok(stopped) if stopped.survivors.is_empty() => {}
                Ok(stopped) => tracing::warn!(%process, survivors = ?stopped.survivors, "A tree outlived its stop."),
                Err(error) => tracing::warn!(%process, "An abandoned turn's process could not be stopped: {error:#}"),
            }
            task_core.live.reaping(session, -1);
            if let Err(error) = task_core.store.write(move |tx| tx.touch_session(session)).await {
                tracing::warn!(%session, "A session could not be refreshed: {error:#}");
            }
        });
    }
}
