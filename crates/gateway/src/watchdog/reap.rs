//! Ends jobs from a thread that may wait, whatever the runtime does. The session's actor looks after them once more.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use gatehouse_domain::{AbandonCause, ConsumedBy, ProcessId, StoppedBy};

use crate::core::Core;
use crate::process::{consume_units, is_spared};

/// A store that does not write for so long does not keep jobs alive.
const WRITE_LIMIT: Duration = Duration::from_secs(2);

/// The wish first, so that each end is known as ours; then all of them at once.
pub(super) fn end(core: &Arc<Core>, processes: &[ProcessId]) {
    let doomed: Vec<ProcessId> =
        processes.iter().copied().filter(|process| !is_spared(core, *process, AbandonCause::Timeout)).collect();
    if doomed.is_empty() {
        return;
    }
    write_down(core, doomed.clone());
    std::thread::scope(|scope| {
        for process in doomed {
            scope.spawn(move || match core.supervisor.stop_blocking(process) {
                Ok(survivors) if survivors.is_empty() => {}
                Ok(survivors) => tracing::warn!(%process, "{survivors:?} of an abandoned turn ignore every signal."),
                // It has ended, or its shim is only on its way; whoever starts it sees that its turn was given up.
                Err(error) => tracing::debug!(%process, "An abandoned turn's process was not asked to end: {error:#}"),
            });
        }
    });
}

fn write_down(core: &Arc<Core>, processes: Vec<ProcessId>) {
    let (done, written) = mpsc::sync_channel(1);
    let store = core.store.clone();
    let writer = std::thread::Builder::new().name("watchdog-note".to_owned()).spawn(move || {
        let wrote = store.write_blocking(move |tx| {
            for process in processes {
                tx.processes_mut().stopping(process, StoppedBy::TurnTimeout)?;
                consume_units(tx, process, ConsumedBy::Abandon)?;
            }
            Ok(())
        });
        // Nobody waits any more if it took too long.
        let _late = done.send(wrote);
    });
    match writer.map(|_| written.recv_timeout(WRITE_LIMIT)) {
        Ok(Ok(Ok(()))) => {}
        Ok(Ok(Err(error))) => tracing::error!("Why jobs are ended could not be written: {error:#}"),
        Ok(Err(error)) => tracing::error!("Why jobs are ended is not written yet: {error}"),
        Err(error) => tracing::error!("Why jobs are ended could not be written: {error}"),
    }
}
