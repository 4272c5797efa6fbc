//! The profile's data as a whole.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{
    BackupNow, BackupNowReply, Done, ExportProfile, ExportProfileReply, ListBackups, ListBackupsReply, RestoreBackup,
};
use tauri::State;

use crate::shell::Shell;

/// Lists the backups.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_backups(shell: State<'_, Shell>, params: ListBackups) -> Result<ListBackupsReply, ApiError> {
    shell.run(params).await
}

/// Makes a backup.
#[tauri::command]
#[specta::specta]
pub(crate) async fn backup_now(shell: State<'_, Shell>, params: BackupNow) -> Result<BackupNowReply, ApiError> {
    shell.run(params).await
}

/// Orders that the next start restores a backup.
#[tauri::command]
#[specta::specta]
pub(crate) async fn restore_backup(shell: State<'_, Shell>, params: RestoreBackup) -> Result<Done, ApiError> {
    shell.run(params).await
}

/// Writes every session into one file.
#[tauri::command]
#[specta::specta]
pub(crate) async fn export_profile(
    shell: State<'_, Shell>,
    params: ExportProfile,
) -> Result<ExportProfileReply, ApiError> {
    shell.run(params).await
}
