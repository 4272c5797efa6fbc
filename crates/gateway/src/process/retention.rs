//! Forgets processes that ended a while ago, with what they wrote. A transcript keeps the end of that anyway.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use gatehouse_domain::{EpochMs, ProcessId};

use crate::core::Core;
use crate::error::Result;

/// So long after its end a process can still be looked at.
const KEPT: Duration = Duration::from_secs(30 * 60);
/// What could not go yet is looked at again so often: its report is not told, or somebody of its tree lives.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// Until the house closes. Without processes that are over nothing wakes.
pub(crate) async fn keep_short(core: Arc<Core>) {
    if let Err(error) = sweep(&core).await {
        tracing::warn!("What earlier processes left cannot be looked at: {error:#}");
    }
    let mut rows = core.store.watch();
    loop {
        rows.borrow_and_update();
        let waits = async {
            match due_in(&core) {
                Some(span) => tokio::time::sleep(span).await,
                // Nothing is over; whatever ends is a change of a row.
                None => drop(rows.changed().await),
            }
        };
        tokio::select! {
            () = core.closing.cancelled() => return,
            () = waits => {}
        }
        if let Err(error) = forget(&core).await {
            tracing::warn!("Old processes cannot be forgotten yet: {error:#}");
            tokio::select! {
                () = core.closing.cancelled() => return,
                () = tokio::time::sleep(LOOK_AGAIN) => {}
            }
        }
    }
}

/// When the next one may go; not at once, where one of those that could go has to stay.
fn due_in(core: &Core) -> Option<Duration> {
    let first = core.store.read(|s| s.processes().first_over()).unwrap_or_else(|error| {
        tracing::error!("Processes that are over cannot be looked at: {error:#}");
        Some(core.now())
    })?;
    let due = Duration::from_millis(first.after(KEPT).since(core.now()));
    Some(if due.is_zero() { LOOK_AGAIN } else { due })
}

async fn forget(core: &Arc<Core>) -> Result<()> {
    let before = EpochMs(core.now().0.saturating_sub(i64::try_from(KEPT.as_millis()).unwrap_or(i64::MAX)));
    for row in core.store.read(|s| s.processes().over_before(before))? {
        let id = row.id;
        if core.store.write(move |tx| tx.processes_mut().remove(id)).await? {
            core.live.end_output(id);
            remove_run(core, id).await;
        }
    }
    Ok(())
}

/// What was due while nobody was there, and run directories whose row is gone: the program may have ended in between.
async fn sweep(core: &Arc<Core>) -> Result<()> {
    forget(core).await?;
    let known: HashSet<ProcessId> =
        core.store.read(|s| s.processes().list(None, true))?.into_iter().map(|row| row.id).collect();
    let runs = core.home.join("profiles").join(&core.profile).join("runs");
    let listed = tokio::task::spawn_blocking(move || std::fs::read_dir(runs).map(|dirs| dirs.flatten().collect()));
    let dirs: Vec<std::fs::DirEntry> = match listed.await {
        Ok(Ok(dirs)) => dirs,
        Ok(Err(error)) => {
            tracing::warn!("Run directories cannot be listed: {error}");
            return Ok(());
        }
        Err(_) => return Ok(()),
    };
    for dir in dirs {
        let id = dir.file_name().to_str().and_then(|name| name.parse::<ProcessId>().ok());
        // One that is being started this very moment has its row before its directory.
        if let Some(id) = id.filter(|id| !known.contains(id))
            && core.store.read(|s| s.processes().get(id))?.is_none()
        {
            remove_run(core, id).await;
        }
    }
    Ok(())
}

async fn remove_run(core: &Arc<Core>, id: ProcessId) {
    let supervisor = core.supervisor.clone();
    match tokio::task::spawn_blocking(move || supervisor.remove_run(id)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(process = %id, "What it wrote stays on the disk: {error:#}"),
        Err(error) => tracing::warn!(process = %id, "What it wrote stays on the disk: {error}"),
    }
}
