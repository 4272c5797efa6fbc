//! Backups of the profile: one a day while the gateway runs, and whenever a person asks.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gatehouse_domain::{EpochMs, IncidentId};
use gatehouse_store::{Backup, NewIncident, StorageCause};

use crate::core::Core;
use crate::error::{Error, Result};
use crate::gateway::Gateway;
use crate::storage::backups_of;

/// The newest is so old at most.
const EVERY: Duration = Duration::from_secs(24 * 60 * 60);
/// After one that did not work.
const AGAIN: Duration = Duration::from_secs(60 * 60);
/// The first minutes belong to whoever has just started the program.
const SETTLE: Duration = Duration::from_secs(120);
/// A sleeping computer's timers stand still, so the wall is looked at this often.
const LOOK: Duration = Duration::from_secs(60 * 60);

/// What the incident of a backup that did not work is about.
const SUBJECT: &str = "backup";

/// The last one that did not work, since one last did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupFailure {
    /// When.
    pub at: EpochMs,
    /// Why, by its cause.
    pub cause: StorageCause,
    /// Why, for a person.
    pub words: String,
}

/// What is known of backups beside the files themselves.
#[derive(Default)]
pub(crate) struct Backups {
    /// One at a time.
    running: tokio::sync::Mutex<()>,
    failure: Mutex<Option<BackupFailure>>,
}

/// The backups of the profile, the newest first, and what is wrong with making them.
#[derive(Debug, Clone)]
pub struct BackupList {
    /// Whole copies.
    pub backups: Vec<Backup>,
    /// One is being made.
    pub running: bool,
    /// Why there is none since.
    pub failure: Option<BackupFailure>,
}

impl Gateway {
    /// What backups there are.
    pub fn backups(&self) -> Result<BackupList> {
        let core = self.core();
        let listed = backups_of(&core.profile_dir())?;
        Ok(BackupList {
            backups: listed,
            running: core.backups.running.try_lock().is_err(),
            failure: core.backups.failure(),
        })
    }

    /// Makes one. While one is being made, that is the one: it is waited for.
    pub async fn backup_now(&self) -> Result<Backup> {
        make(self.core(), self.core().now()).await
    }
}

impl Backups {
    pub(crate) fn failure(&self) -> Option<BackupFailure> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, failure: Option<BackupFailure>) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
    }
}

/// Until the house closes.
pub(crate) async fn keep(core: Arc<Core>) {
    let mut rest = SETTLE;
    loop {
        tokio::select! {
            () = core.closing.cancelled() => return,
            () = tokio::time::sleep(rest) => {}
        }
        rest = look(&core).await;
    }
}

/// Makes one if one is due; in how long to look again.
async fn look(core: &Core) -> Duration {
    let made = listed(core).into_iter().map(|backup| backup.at);
    if let Some(left) = due_in(made, core.backups.failure().map(|failure| failure.at), core.now()) {
        return left.min(LOOK);
    }
    if let Err(error) = make(core, core.now()).await {
        tracing::error!("No backup was made: {error}");
    }
    // Whatever a clock or a folder that cannot be read says: never one right after the other.
    LOOK
}

/// What there is, as far as it can be listed.
fn listed(core: &Core) -> Vec<Backup> {
    backups_of(&core.profile_dir()).unwrap_or_else(|error| {
        tracing::warn!("{error}");
        Vec::new()
    })
}

/// In how long the next one is due; nothing when it is due now.
fn due_in(made: impl Iterator<Item = EpochMs>, failed: Option<EpochMs>, now: EpochMs) -> Option<Duration> {
    // A moment that is still to come is the mistake of a clock: it proves nothing.
    let newest = made.filter(|at| *at <= now).max();
    let failed = failed.filter(|at| *at <= now);
    let left = |at: Option<EpochMs>, span: Duration| {
        Some(Duration::from_millis(at?.after(span).since(now))).filter(|left| !left.is_zero())
    };
    left(newest, EVERY).max(left(failed, AGAIN))
}

/// Makes one, unless one was made since it was `asked` for.
async fn make(core: &Core, asked: EpochMs) -> Result<Backup> {
    let _only_one = core.backups.running.lock().await;
    // Names know seconds only.
    if let Some(since) = listed(core).into_iter().find(|made| made.at.0 > asked.0 && made.at <= core.now()) {
        return Ok(since);
    }
    let made = core.store.back_up(core.now()).await;
    let failure = match &made {
        Ok(_) => None,
        // The house is closing; that is nobody's failure.
        Err(gatehouse_store::Error::Closed) => return Err(Error::ShuttingDown),
        Err(error) => Some(BackupFailure { at: core.now(), cause: error.cause(), words: error.to_string() }),
    };
    core.backups.note(failure.clone());
    if let Err(error) = record(core, failure).await {
        tracing::error!("How a backup ended cannot be recorded: {error}");
    }
    Ok(made?)
}

/// One incident stands open while backups do not work.
async fn record(core: &Core, failure: Option<BackupFailure>) -> Result<()> {
    let open = core.store.read(|s| s.incidents().open())?;
    let stale: Vec<IncidentId> = open.into_iter().filter(|row| row.subject == SUBJECT).map(|row| row.id).collect();
    if stale.is_empty() && failure.is_none() {
        return Ok(());
    }
    let (id, at) = (IncidentId::from_uuid(core.ids.fresh()), core.now());
    let recorded = core.store.write(move |tx| {
        for row in &stale {
            tx.incidents_mut().resolve(*row, at)?;
        }
        match failure {
            None => Ok(()),
            Some(failure) => tx.incidents_mut().insert(&NewIncident {
                id,
                severity: "error".into(),
                cause: failure.cause.code().into(),
                subject: SUBJECT.into(),
                detail: failure.words,
                at,
            }),
        }
    });
    Ok(recorded.await?)
}

#[cfg(test)]
mod tests;
