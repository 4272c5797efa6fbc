//! The profile's data as a whole.

use std::path::Path;

use gatehouse_gateway::{BACKUPS_KEPT, Backup, Gateway, StorageTrouble};

use super::Command;
use crate::dispatch::Caller;
use crate::error::ApiError;
use crate::wire::{self, Int53};

impl Command for wire::ListBackups {
    type Reply = wire::ListBackupsReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let list = gateway.backups()?;
        Ok(wire::ListBackupsReply {
            backups: list.backups.into_iter().map(backup).collect(),
            file: shown(&gateway.storage().file),
            dir: shown(&gateway.backups_dir()),
            kept: u32::try_from(BACKUPS_KEPT).unwrap_or(u32::MAX),
            running: list.running,
            failure: list
                .failure
                .map(|failure| wire::BackupFailure { at_ms: failure.at.into(), message: failure.words }),
        })
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
