//! What changed, how the gateway is, and its restart.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{Done, Feed, GetHealth, GetHealthReply, NextFeed, RestartGateway};

use crate::here::Here;

/// Waits for changes.
#[tauri::command]
#[specta::specta]
pub(crate) async fn next_feed(here: Here, params: NextFeed) -> Result<Feed, ApiError> {
    here.run(params).await
}

/// How the gateway is.
#[tauri::command]
#[specta::specta]
pub(crate) async fn get_health(here: Here, params: GetHealth) -> Result<GetHealthReply, ApiError> {
    here.run(params).await
}

/// Starts the program again.
#[tauri::command]
#[specta::specta]
pub(crate) async fn restart_gateway(here: Here, params: RestartGateway) -> Result<Done, ApiError> {
    here.run(params).await
}
