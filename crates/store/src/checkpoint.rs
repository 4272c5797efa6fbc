//! Moves the write-ahead log back into the data file on a thread of its own, so that no commit waits for it.

use std::cell::Cell;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use crate::health::place::Place;
use crate::open;

/// Pages in the log (of 4 KiB) that are worth a checkpoint and its two syncs: 16 MiB.
const WORTHWHILE: i32 = 4_096;

/// Pages in the log at which the writer pauses for a checkpoint of its own: under writes without a gap the thread
/// never finds the log still, and it would grow without end.
const TOO_MANY: i32 = 4 * WORTHWHILE;

thread_local! {
    /// Pages in the log after the last commit of this thread.
    static PAGES: Cell<i32> = const { Cell::new(0) };
    /// A commit of this thread has put pages into the log, and nobody has asked since.
    static WROTE: Cell<bool> = const { Cell::new(false) };
}

/// The thread, as the writer knows it.
pub(crate) struct Checkpointer {
    wake: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    pub(crate) fn start(place: Place) -> std::io::Result<Self> {
        let (wake, woken) = sync_channel::<()>(1);
        let thread = thread::Builder::new().name("store-checkpoint".to_owned()).spawn(move || {
            let mut conn: Option<Connection> = None;
            while woken.recv().is_ok() {
                // The pages of one log do not belong into another file.
                if let Err(trouble) = place.look() {
                    tracing::error!("no checkpoint: {trouble}");
                    continue;
                }
                let outcome = match conn.take() {
                    Some(open) => Ok(open),
                    None => open::writer(place.file()),
                }
                .and_then(|open| passive(&open).map(|()| open));
                match outcome {
                    Ok(open) => conn = Some(open),
                    // The log stays as it is and the next wake tries again; commits tell about a bad disk.
                    Err(error) => tracing::warn!(%error, "checkpoint failed"),
                }
            }
        })?;
        Ok(Self { wake: Some(wake), thread: Some(thread) })
    }

    /// To be called on the writer's thread after each commit, when its callers have their answers.
    pub(crate) fn after_commit(&self, conn: &Connection) {
        let pages = PAGES.get();
        if pages < WORTHWHILE {
            return;
        }
        if pages >= TOO_MANY
            && let Err(error) = passive(conn)
        {
            tracing::warn!(%error, "checkpoint failed");
        }
        if let Some(wake) = &self.wake
            && let Err(TrySendError::Disconnected(())) = wake.try_send(())
        {
            tracing::error!("the checkpoint thread is gone");
        }
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.wake.take();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the checkpoint thread panicked");
        }
    }
}

/// Makes this thread's commits on `conn` count the log's pages.
pub(crate) fn watch(conn: &Connection) {
    conn.wal_hook(Some(|_, pages| {
        PAGES.set(pages);
        WROTE.set(true);
        Ok(())
    }));
}

/// Whether a commit of this thread has put anything into the log since this was last asked. One that changes nothing, or
/// writes what stood there before, does not.
pub(crate) fn has_written() -> bool {
    WROTE.take()
}

/// As much as goes without waiting for anybody.
fn passive(conn: &Connection) -> rusqlite::Result<()> {
    conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
}

/// Everything, and empties the log; for the end.
pub(crate) fn truncate(conn: &Connection) -> rusqlite::Result<()> {
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}
