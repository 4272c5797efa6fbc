//! The profile's data as a whole.

use std::path::{Path, PathBuf};

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{
    BackupNow, BackupNowReply, Done, ExportProfile, ExportProfileReply, ListBackups, ListBackupsReply, RestoreBackup,
};
use tauri::State;

use crate::PROFILE;
use crate::shell::Shell;

/// Lists the backups.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_backups(shell: State<'_, Shell>, params: ListBackups) -> Result<ListBackupsReply, ApiError> {
    // The data may be too damaged to be opened: that is when a backup is looked for.
    match shell.refused_home() {
        Some(home) => gatehouse_protocol::list_backups_of(&profile(&home)),
        None => shell.run(params).await,
    }
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
    match shell.refused_home() {
        Some(home) => {
            let ordered = gatehouse_protocol::order_restore_of(&profile(&home), &params)?;
            shell.start_again(home);
            Ok(ordered)
        }
        None => shell.run(params).await,
    }
}

fn profile(home: &Path) -> PathBuf {
    home.join("profiles").join(PROFILE)
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
