//! What changed, how the gateway is, and its restart.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{Done, Feed, GetHealth, GetHealthReply, NextFeed, RestartGateway};
use tauri::State;

use crate::shell::Shell;

/// Waits for changes.
#[tauri::command]
#[specta::specta]
pub(crate) async fn next_feed(shell: State<'_, Shell>, params: NextFeed) -> Result<Feed, ApiError> {
    shell.run(params).await
}

/// How the gateway is.
#[tauri::command]
#[specta::specta]
pub(crate) async fn get_health(shell: State<'_, Shell>, params: GetHealth) -> Result<GetHealthReply, ApiError> {
    shell.run(params).await
}

/// Starts the program again.
#[tauri::command]
#[specta::specta]
pub(crate) async fn restart_gateway(shell: State<'_, Shell>, params: RestartGateway) -> Result<Done, ApiError> {
    shell.run(params).await
}
