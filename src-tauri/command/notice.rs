//! Notices, and who is silenced.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{Done, ListNotices, ListNoticesReply, MarkNoticesRead, SetMuted, SetQuiet};
use tauri::State;

use crate::shell::Shell;

/// Reads the notices.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_notices(shell: State<'_, Shell>, params: ListNotices) -> Result<ListNoticesReply, ApiError> {
    shell.run(params).await
}

/// Marks notices as seen.
#[tauri::command]
#[specta::specta]
pub(crate) async fn mark_notices_read(shell: State<'_, Shell>, params: MarkNoticesRead) -> Result<Done, ApiError> {
    shell.run(params).await
}

/// Tells the system nothing for a while.
#[tauri::command]
#[specta::specta]
pub(crate) async fn set_quiet(shell: State<'_, Shell>, params: SetQuiet) -> Result<Done, ApiError> {
    shell.run(params).await
}

/// Mutes a source.
#[tauri::command]
#[specta::specta]
pub(crate) async fn set_muted(shell: State<'_, Shell>, params: SetMuted) -> Result<Done, ApiError> {
    shell.run(params).await
}
