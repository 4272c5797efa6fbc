//! What was dropped or failed, and conversations that end.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{CloseSession, DeliverUnit, Done, ListIncidents, ListIncidentsReply, ResolveIncident};
use tauri::State;

use crate::shell::Shell;

/// Closes a conversation until somebody writes in it again.
#[tauri::command]
#[specta::specta]
pub(crate) async fn close_session(shell: State<'_, Shell>, params: CloseSession) -> Result<Done, ApiError> {
    shell.run(params).await
}

/// What is open.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_incidents(
    shell: State<'_, Shell>,
    params: ListIncidents,
) -> Result<ListIncidentsReply, ApiError> {
    shell.run(params).await
}

/// A person has seen to one.
#[tauri::command]
#[specta::specta]
pub(crate) async fn resolve_incident(shell: State<'_, Shell>, params: ResolveIncident) -> Result<Done, ApiError> {
    shell.run(params).await
}

/// Sends a report on.
#[tauri::command]
#[specta::specta]
pub(crate) async fn deliver_unit(shell: State<'_, Shell>, params: DeliverUnit) -> Result<Done, ApiError> {
    shell.run(params).await
}
