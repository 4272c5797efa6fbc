use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::Notify;

use super::is_final;
use crate::adversary;
use crate::error::{Error, Result};
use crate::feed::Feed;
use crate::rpc::Rpc;

/// Whatever is to be shown is shown within this time, or the run is over.
const PATIENCE: Duration = Duration::from_secs(30);

/// A row, and when the answer with it was there.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub at: Instant,
    pub row: Value,
}

/// Everything that the feed has told of processes.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    rows: Mutex<HashMap<String, Vec<Shown>>>,
    came: Notify,
    wrong: AtomicUsize,
}

impl Rows {
    /// Listens from now on. Each row is held against the marks below `home` as soon as it comes.
    pub async fn attach(rpc: &Rpc, home: &Path) -> Result<Self> {
        let rows = Self::default();
        let (mut feed, listener, home) = (Feed::attach(rpc).await?, rows.clone(), home.to_path_buf());
        tokio::spawn(async move {
            // The feed ends with the server.
            while let Ok((at, answer)) = feed.next("a change").await {
                listener.take(at, &answer, &home);
            }
        });
        Ok(rows)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<Shown>>> {
        self.0.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, at: Instant, answer: &Value, home: &Path) {
        let changes = answer["changes"].as_array().map(Vec::as_slice).unwrap_or_default();
        for row in changes.iter().filter(|change| change["type"] == "process").map(|change| &change["process"]) {
            let wrong = usize::from(!is_true(row, home));
            self.0.wrong.fetch_add(wrong, Ordering::Relaxed);
            let id = row["processId"].as_str().unwrap_or_default().to_owned();
            self.lock().entry(id).or_default().push(Shown { at, row: row.clone() });
        }
        self.0.wrong.fetch_add(usize::from(answer["reset"] == true), Ordering::Relaxed);
        self.0.came.notify_waiters();
    }

    /// Rows that were not true when they came.
    pub fn wrong(&self) -> usize {
        self.0.wrong.load(Ordering::Relaxed)
    }

    /// The first row of a process that fits.
    pub async fn first(&self, process: &str, fits: impl Fn(&Value) -> bool) -> Result<Shown> {
        let waiting = async {
            loop {
                let came = self.0.came.notified();
                tokio::pin!(came);
                // From here on nothing that comes is missed.
                came.as_mut().enable();
                let found =
                    self.lock().get(process).and_then(|rows| rows.iter().find(|shown| fits(&shown.row)).cloned());
                if let Some(found) = found {
                    return found;
                }
                came.await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, waiting).await;
        waited.map_err(|_| Error::TookTooLong(format!("a change of process {process}")))
    }

    /// The newest row of a process.
    pub fn last(&self, process: &str) -> Option<Value> {
        self.lock().get(process).and_then(|rows| rows.last()).map(|shown| shown.row.clone())
    }
}

/// An end is told of a direct child only when it has ended, and nobody of a tree that is told to be empty lives.
fn is_true(row: &Value, home: &Path) -> bool {
    if !is_final(row) {
        return true;
    }
    let lives = |pid: u64| u32::try_from(pid).is_ok_and(|pid| adversary::is_bearer(pid, home));
    let tree = row["command"].as_str().and_then(|command| command.rsplit_once("/tree-")).map(|(_, number)| number);
    let is_empty = || {
        let mark = tree.map(|number| home.join(format!("mark-{number}")));
        mark.is_none_or(|mark| adversary::bearers_of(&mark).is_empty())
    };
    !row["pid"].as_u64().is_some_and(lives) && (row["descendants"] != 0 || is_empty())
}
