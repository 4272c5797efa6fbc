//! The profile's data as a whole: what is wrong with it, and a backup in its place.
//!
//! A restore is an order on the disk, carried out by the next start before it opens anything.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use gatehouse_domain::{EpochMs, IdSource, IncidentId, SessionId};
use gatehouse_store::{Backup, Hit, NewIncident, OpenError, Restored, Store, Trouble, backups};
use serde::{Deserialize, Serialize};

use crate::core::Core;
use crate::error::{Error, Result};
use crate::gateway::Gateway;

/// The order, beside the data file.
const ORDER: &str = "restore.json";

#[derive(Serialize, Deserialize)]
struct Order {
    /// The name of the backup.
    backup: String,
}

/// Where the data lies, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorageNow {
    /// The data file.
    pub file: PathBuf,
    /// What the last commit found; while one waits for another program, that.
    pub trouble: Option<Trouble>,
}

impl Gateway {
    /// How the data is.
    pub fn storage(&self) -> StorageNow {
        let store = &self.core().store;
        StorageNow { file: store.file().to_owned(), trouble: store.trouble() }
    }

    /// Where the profile's files lie.
    pub fn profile_dir(&self) -> PathBuf {
        self.core().profile_dir()
    }

    /// Looks for words in one transcript, or in all.
    pub async fn search(&self, query: &str, session: Option<SessionId>, limit: u32) -> Result<Vec<Hit>> {
        Ok(self.core().store.search(query, session, limit).await?)
    }

    /// Orders that the next start puts this backup in the place of the data.
    pub fn restore_backup(&self, name: &str) -> Result<()> {
        order_restore(&self.core().profile_dir(), name)
    }
}

/// The backups of the profile in `dir`, the newest first. No gateway has to run.
pub fn backups_of(dir: &Path) -> Result<Vec<Backup>> {
    backups(dir).map_err(|error| {
        Error::Invalid(format!("The backups cannot be listed: {error}. Check the permissions of their folder."))
    })
}

/// Orders that the next start of the profile in `dir` puts a backup in the place of its data. No gateway has to run: the
/// data may be too damaged for one.
pub fn order_restore(dir: &Path, name: &str) -> Result<()> {
    let cannot =
        |error: io::Error| Error::Invalid(format!("The restore cannot be ordered: {error}. Nothing was changed."));
    if !backups(dir).map_err(cannot)?.iter().any(|backup| backup.name == name) {
        return Err(Error::NotFound("backup"));
    }
    let text = serde_json::to_vec(&Order { backup: name.to_owned() }).map_err(|error| cannot(error.into()))?;
    let half = dir.join("restore.json.part");
    let written = fs::OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(&half);
    let written = written.and_then(|mut file| file.write_all(&text).and_then(|()| file.sync_all()));
    written.and_then(|()| fs::rename(&half, dir.join(ORDER))).map_err(cannot)
}

/// Takes back what was ordered for the profile in `dir` and nobody has carried out.
pub fn withdraw_restore(dir: &Path) -> Result<()> {
    let order = dir.join(ORDER);
    match fs::remove_file(&order) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            let words = "The order to restore a backup cannot be taken back";
            Err(Error::Invalid(format!("{words}: {error}. Delete {}, or the next start restores it.", order.display())))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// What became of an order.
pub(crate) struct Carried {
    backup: String,
    outcome: std::result::Result<Restored, String>,
}

/// Carries out what was ordered, if anything was. One that does not work is given up: what is there is opened then.
pub(crate) fn carry_out(dir: &Path, at: EpochMs, ids: &dyn IdSource) -> Option<Carried> {
    let path = dir.join(ORDER);
    let text = match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        other => other.map_err(|error| error.to_string()),
    };
    let order = text.and_then(|text| serde_json::from_slice::<Order>(&text).map_err(|error| error.to_string()));
    let backup = order.as_ref().map(|order| order.backup.clone()).unwrap_or_default();
    let outcome = match order.and_then(|order| named(dir, &order.backup)) {
        Err(words) => Err(words),
        Ok(found) => match Store::restore(dir, &found.path, at, ids) {
            // Somebody works with it: the order is for whoever starts next.
            Err(OpenError::Locked { .. }) => return None,
            other => other.map_err(|error| error.to_string()),
        },
    };
    match &outcome {
        Ok(restored) => tracing::warn!(?restored, backup, "A backup was put in the place of the data."),
        Err(words) => tracing::error!(backup, "A backup was not restored: {words}"),
    }
    if let Err(error) = fs::remove_file(&path) {
        tracing::error!("The order to restore a backup cannot be taken away: {error}");
    }
    Some(Carried { backup, outcome })
}

fn named(dir: &Path, name: &str) -> std::result::Result<Backup, String> {
    let listed = backups(dir).map_err(|error| error.to_string())?;
    listed.into_iter().find(|backup| backup.name == name).ok_or_else(|| "There is no such backup.".to_owned())
}

/// Tells it in the profile that was opened after it.
pub(crate) async fn record(core: &Core, carried: Option<Carried>) -> Result<()> {
    let Some(Carried { backup, outcome }) = carried else { return Ok(()) };
    let (severity, cause, detail) = match outcome {
        Ok(restored) => ("info", "storage_restored", told(&restored)),
        Err(words) => ("error", "storage_not_restored", format!("{words} The data is as it was before.")),
    };
    let new = NewIncident {
        id: IncidentId::from_uuid(core.ids.fresh()),
        severity: severity.into(),
        cause: cause.into(),
        subject: backup,
        detail,
        at: core.now(),
    };
    Ok(core.store.write(move |tx| tx.incidents_mut().insert(&new)).await?)
}

fn told(restored: &Restored) -> String {
    let mut words = String::from("The data is that of the backup.");
    if let Some(aside) = &restored.aside {
        words += &format!(" What was there before lies in {}.", aside.display());
    }
    if restored.held > 0 {
        words += &match restored.held {
            1 => " A report that it still owed is held until you let it go.".to_owned(),
            held => format!(" {held} reports that it still owed are held until you let them go."),
        };
    }
    words
}
