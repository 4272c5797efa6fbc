//! Notices, and who is silenced.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{Done, ListNotices, ListNoticesReply, MarkNoticesRead, SetMuted, SetQuiet};

use crate::here::Here;

/// Reads the notices.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_notices(here: Here, params: ListNotices) -> Result<ListNoticesReply, ApiError> {
    here.run(params).await
}

/// Marks notices as seen.
#[tauri::command]
#[specta::specta]
pub(crate) async fn mark_notices_read(here: Here, params: MarkNoticesRead) -> Result<Done, ApiError> {
    here.run(params).await
}

/// Tells the system nothing for a while.
#[tauri::command]
#[specta::specta]
pub(crate) async fn set_quiet(here: Here, params: SetQuiet) -> Result<Done, ApiError> {
    here.run(params).await
}

/// Mutes a source.
#[tauri::command]
#[specta::specta]
pub(crate) async fn set_muted(here: Here, params: SetMuted) -> Result<Done, ApiError> {
    here.run(params).await
}
