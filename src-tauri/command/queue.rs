//! Messages that wait.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{Done, EditQueued, MoveQueued, RemoveQueued, ResumeQueue, SendQueuedNow};
use tauri::State;

use crate::shell::Shell;

/// Changes the words of a waiting message.
#[tauri::command]
#[specta::specta]
pub(crate) async fn edit_queued(shell: State<'_, Shell>, params: EditQueued) -> Result<Done, ApiError> {
    shell.run(params).await
}

/// Takes a waiting message back.
#[tauri::command]
#[specta::specta]
pub(crate) async fn remove_queued(shell: State<'_, Shell>, params: RemoveQueued) -> Result<Done, ApiError> {
    shell.run(params).await
}

/// Puts a waiting message elsewhere.
#[tauri::command]
#[specta::specta]
pub(crate) async fn move_queued(shell: State<'_, Shell>, params: MoveQueued) -> Result<Done, ApiError> {
    shell.run(params).await
}

/// Hands a waiting message over now.
#[tauri::command]
#[specta::specta]
pub(crate) async fn send_queued_now(shell: State<'_, Shell>, params: SendQueuedNow) -> Result<Done, ApiError> {
    shell.run(params).await
}

/// Goes on with a paused queue.
#[tauri::command]
#[specta::specta]
pub(crate) async fn resume_queue(shell: State<'_, Shell>, params: ResumeQueue) -> Result<Done, ApiError> {
    shell.run(params).await
}
