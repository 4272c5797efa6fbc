//! The profile's data as a whole.

use std::path::Path;

use gatehouse_gateway::{BACKUPS_KEPT, Backup, Gateway};

use super::Command;
use crate::dispatch::Caller;
use crate::error::ApiError;
use crate::wire::{self, Int53};

/// The backups of a profile that runs.
pub(crate) fn backups_now(gateway: &Gateway) -> Result<wire::ListBackupsReply, ApiError> {
    let list = gateway.backups()?;
    let failure = list.failure.map(|failure| wire::BackupFailure { at_ms: failure.at.into(), message: failure.words });
    Ok(wire::ListBackupsReply { running: list.running, failure, ..listed(&gateway.profile_dir(), list.backups) })
}

/// Backups, and where they lie.
pub(crate) fn listed(profile: &Path, backups: Vec<Backup>) -> wire::ListBackupsReply {
    wire::ListBackupsReply {
        backups: backups.into_iter().map(backup).collect(),
        dir: shown(&gatehouse_gateway::backups_dir(profile)),
        profile: shown(profile),
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

fn shown(path: &Path) -> String {
    path.display().to_string()
}
