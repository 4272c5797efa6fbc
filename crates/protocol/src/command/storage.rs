//! The profile's data as a whole.

use std::path::{Path, PathBuf};

use gatehouse_gateway::{BACKUPS_KEPT, Backup, Gateway, StorageTrouble};

use super::Command;
use crate::dispatch::Caller;
use crate::error::ApiError;
use crate::wire::{self, Int53};

impl Command for wire::ListBackups {
    type Reply = wire::ListBackupsReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let list = gateway.backups()?;
        let failure =
            list.failure.map(|failure| wire::BackupFailure { at_ms: failure.at.into(), message: failure.words });
        Ok(wire::ListBackupsReply { running: list.running, failure, ..listed(gateway.profile_dir(), list.backups) })
    }
}

/// The same for a profile that no gateway can open.
pub fn list_backups_of(profile: &Path) -> Result<wire::ListBackupsReply, ApiError> {
    Ok(listed(profile.to_owned(), gatehouse_gateway::backups_of(profile)?))
}

/// The same order for a profile that no gateway can open.
pub fn order_restore_of(profile: &Path, order: &wire::RestoreBackup) -> Result<wire::Done, ApiError> {
    gatehouse_gateway::order_restore(profile, &order.name)?;
    Ok(wire::Done {})
}

fn listed(profile: PathBuf, backups: Vec<Backup>) -> wire::ListBackupsReply {
    wire::ListBackupsReply {
        backups: backups.into_iter().map(backup).collect(),
        dir: shown(&gatehouse_gateway::backups_dir(&profile)),
        profile: shown(&profile),
        kept: u32::try_from(BACKUPS_KEPT).unwrap_or(u32::MAX),
        running: false,
        failure: None,
    }
}

impl Command for wire::BackupNow {
    type Reply = wire::BackupNowReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Ok(wire::BackupNowReply { backup: backup(gateway.backup_now().await?) })
    }
}

impl Command for wire::RestoreBackup {
    type Reply = wire::Done;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        gateway.restore_backup(&self.name)?;
        Ok(wire::Done {})
    }
}

impl Command for wire::ExportProfile {
    type Reply = wire::ExportProfileReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let made = gateway.export_profile().await?;
        Ok(wire::ExportProfileReply {
            path: shown(&made.path),
            bytes: made.bytes.into(),
            sessions: made.sessions.into(),
            items: made.items.into(),
        })
    }
}

fn backup(backup: Backup) -> wire::Backup {
    wire::Backup { name: backup.name, at_ms: backup.at.into(), bytes: Int53::from(backup.bytes) }
}

/// What is wrong, as `get_health` tells it.
pub(super) fn trouble(trouble: &StorageTrouble) -> wire::StorageTrouble {
    wire::StorageTrouble {
        code: trouble.cause.code().into(),
        message: trouble.to_string(),
        passing: trouble.cause.is_passing(),
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
