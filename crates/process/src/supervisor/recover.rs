use std::io;
use std::sync::Arc;
use std::time::Duration;

use gatehouse_domain::ProcessId;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::attend::Attendant;
use super::line::{Line, Opening};
use super::settle::{Settled, settle};
use super::{EndReport, Inner, Recovered, RecoveredState};
use crate::error::{Error, Result, doing};
use crate::rundir::{ExitRecord, RunDir};

/// A shim that holds its lock may still be on the way to its socket, or to its end.
const PATIENCE: Duration = Duration::from_secs(3);
const PASS: Duration = Duration::from_millis(10);

pub async fn recover(inner: &Arc<Inner>, ids: &[ProcessId]) -> Result<Vec<Recovered>> {
    let mut tasks = JoinSet::new();
    for id in ids.iter().copied().filter(|id| inner.commands(*id).is_none()) {
        let inner = Arc::clone(inner);
        tasks.spawn(async move {
            let state = recover_one(&inner, id).await.unwrap_or_else(|error| {
                // The others are found all the same.
                tracing::error!(%id, %error, "What became of a process cannot be found out");
                RecoveredState::Unreachable
            });
            Recovered { id, state }
        });
    }
    let mut all = Vec::with_capacity(tasks.len());
    while let Some(done) = tasks.join_next().await {
        all.push(done.map_err(io::Error::other).map_err(doing("recovering a process"))?);
    }
    all.sort_by_key(|recovered| recovered.id);
    Ok(all)
}

async fn recover_one(inner: &Inner, id: ProcessId) -> Result<RecoveredState> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let run = match inner.open(id) {
            Ok(run) => run,
            // Its launch did not even get to a directory.
            Err(Error::UnknownProcess(_)) => return Ok(RecoveredState::NeverRan { reason: None }),
            Err(error) => return Err(error),
        };
        match settle(&run).map_err(doing("reading a run directory"))? {
            Settled::Alive => match Line::connect(&run).await {
                Ok((line, Opening::Runs(child))) => {
                    inner.attend(Attendant::new(id, run, line, inner.events.clone()));
                    let (pid, start_ticks, boot_id) = (child.pid, child.start, child.boot);
                    return Ok(RecoveredState::Adopted { pid, start_ticks, boot_id });
                }
                Ok((_, Opening::NeverStarted(exit))) => return Ok(RecoveredState::NeverRan { reason: exit.failed }),
                Err(error) if Instant::now() >= deadline => {
                    tracing::warn!(%id, %error, "A shim lives but does not answer");
                    return Ok(RecoveredState::Unreachable);
                }
                Err(_) => tokio::time::sleep(PASS).await,
            },
            Settled::Ended(exit) => {
                return Ok(RecoveredState::Ended(ended(&exit, id, &run)?));
            }
            Settled::NeverRan(reason) => return Ok(RecoveredState::NeverRan { reason }),
            Settled::Lost(child) => {
                let report = EndReport::lost(id, &run, &child).map_err(doing("looking for survivors"))?;
                return Ok(RecoveredState::Ended(report));
            }
        }
    }
}

/// Usually nobody lives on: a shim that was not killed stays until its tree is empty.
fn ended(exit: &ExitRecord, id: ProcessId, run: &RunDir) -> Result<EndReport> {
    EndReport::left(exit, id, run).map_err(doing("looking for survivors"))
}
