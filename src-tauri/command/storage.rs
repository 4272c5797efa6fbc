//! The profile's data as a whole.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{
    BackupNow, BackupNowReply, Done, ExportProfile, ExportProfileReply, ListBackups, ListBackupsReply, RestoreBackup,
};

use crate::here::Here;

/// Lists the backups.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_backups(here: Here, params: ListBackups) -> Result<ListBackupsReply, ApiError> {
    here.run(params).await
}

/// Makes a backup.
#[tauri::command]
#[specta::specta]
pub(crate) async fn backup_now(here: Here, params: BackupNow) -> Result<BackupNowReply, ApiError> {
    here.run(params).await
}

/// Orders that the next start restores a backup.
#[tauri::command]
#[specta::specta]
pub(crate) async fn restore_backup(here: Here, params: RestoreBackup) -> Result<Done, ApiError> {
    here.run(params).await
}

/// Writes every session into one file.
#[tauri::command]
#[specta::specta]
pub(crate) async fn export_profile(here: Here, params: ExportProfile) -> Result<ExportProfileReply, ApiError> {
    here.run(params).await
}
