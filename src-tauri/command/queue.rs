//! Messages that wait.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{Done, EditQueued, MoveQueued, RemoveQueued, ResumeQueue, SendQueuedNow};

use crate::here::Here;

/// Changes the words of a waiting message.
#[tauri::command]
#[specta::specta]
pub(crate) async fn edit_queued(here: Here, params: EditQueued) -> Result<Done, ApiError> {
    here.run(params).await
}

/// Takes a waiting message back.
#[tauri::command]
#[specta::specta]
pub(crate) async fn remove_queued(here: Here, params: RemoveQueued) -> Result<Done, ApiError> {
    here.run(params).await
}

/// Puts a waiting message elsewhere.
#[tauri::command]
#[specta::specta]
pub(crate) async fn move_queued(here: Here, params: MoveQueued) -> Result<Done, ApiError> {
    here.run(params).await
}

/// Hands a waiting message over now.
#[tauri::command]
#[specta::specta]
pub(crate) async fn send_queued_now(here: Here, params: SendQueuedNow) -> Result<Done, ApiError> {
    here.run(params).await
}

/// Goes on with a paused queue.
#[tauri::command]
#[specta::specta]
pub(crate) async fn resume_queue(here: Here, params: ResumeQueue) -> Result<Done, ApiError> {
    here.run(params).await
}
