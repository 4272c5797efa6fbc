//! The profile's data as a whole: backups, a restore, an export, and what is wrong with it.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::Int53;

/// Lists the backups.
#[derive(Debug, Clone, Copy, Default, Deserialize, Type)]
pub struct ListBackups {}

/// What backups there are.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ListBackupsReply {
    /// Whole copies that were looked through, the newest first.
    pub backups: Vec<Backup>,
    /// The directory of the data.
    pub profile: String,
    /// The directory of the backups.
    pub dir: String,
    /// So many are kept; the oldest go.
    pub kept: u32,
    /// One is being made.
    pub running: bool,
    /// Why the last one did not work; absent when it did.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<BackupFailure>,
}

/// A whole copy of the data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Backup {
    /// The name of its file, which names it.
    pub name: String,
    /// When it was made.
    pub at_ms: Int53,
    /// Its size.
    pub bytes: Int53,
}

/// A backup that did not work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct BackupFailure {
    /// When.
    pub at_ms: Int53,
    /// Why, for a person.
    pub message: String,
}

/// Makes a backup. While one is being made, that one is waited for.
#[derive(Debug, Clone, Copy, Default, Deserialize, Type)]
pub struct BackupNow {}

/// The new backup.
#[derive(Debug, Clone, Serialize, Type)]
pub struct BackupNowReply {
    /// The backup.
    pub backup: Backup,
}

/// Orders that the next start puts a backup in the place of the data. What is there then is kept aside, reports that the
/// backup still owes are held, and everything is read again under a new epoch.
#[derive(Debug, Clone, Deserialize, Type)]
pub struct RestoreBackup {
    /// Which.
    pub name: String,
}

/// Writes every session into one new file, as lines of JSON.
#[derive(Debug, Clone, Copy, Default, Deserialize, Type)]
pub struct ExportProfile {}

/// The new file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ExportProfileReply {
    /// Where it lies.
    pub path: String,
    /// Its size.
    pub bytes: Int53,
    /// How many sessions are in it.
    pub sessions: Int53,
    /// How many entries.
    pub items: Int53,
}

/// What is wrong with the data right now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct StorageTrouble {
    /// `storage_locked | disk_full | storage_readonly | storage_corrupt | storage_index_corrupt | storage_replaced |
    /// storage_session_missing | storage_schema_incompatible | storage_unavailable`.
    pub code: String,
    /// What happened, where, and what helps, for a person.
    pub message: String,
    /// It passes by itself, or when the disk does.
    pub passing: bool,
}
