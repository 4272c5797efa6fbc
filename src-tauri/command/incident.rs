//! What was dropped or failed, and conversations that end.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{
    CloseSession, DeliverUnit, Done, ListIncidents, ListIncidentsReply, ResolveIncident, SendLetter,
};

use crate::here::Here;

/// Closes a conversation until somebody writes in it again.
#[tauri::command]
#[specta::specta]
pub(crate) async fn close_session(here: Here, params: CloseSession) -> Result<Done, ApiError> {
    here.run(params).await
}

/// What is open.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_incidents(here: Here, params: ListIncidents) -> Result<ListIncidentsReply, ApiError> {
    here.run(params).await
}

/// A person has seen to one.
#[tauri::command]
#[specta::specta]
pub(crate) async fn resolve_incident(here: Here, params: ResolveIncident) -> Result<Done, ApiError> {
    here.run(params).await
}

/// Sends a report on.
#[tauri::command]
#[specta::specta]
pub(crate) async fn deliver_unit(here: Here, params: DeliverUnit) -> Result<Done, ApiError> {
    here.run(params).await
}

/// Sends words to their channel that wait for a person.
#[tauri::command]
#[specta::specta]
pub(crate) async fn send_letter(here: Here, params: SendLetter) -> Result<Done, ApiError> {
    here.run(params).await
}
