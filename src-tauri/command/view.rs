//! What windows remember and look at.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{
    Done, ExportSession, ExportSessionReply, FetchImage, FetchImageReply, GetUiState, GetUiStateReply, SampleProcesses,
    SampleProcessesReply, SetUiState, UpdateSession,
};

use crate::here::Here;

/// Renames a session, or puts it under "Earlier".
#[tauri::command]
#[specta::specta]
pub(crate) async fn update_session(here: Here, params: UpdateSession) -> Result<Done, ApiError> {
    here.run(params).await
}

/// Reads a transcript as text.
#[tauri::command]
#[specta::specta]
pub(crate) async fn export_session(here: Here, params: ExportSession) -> Result<ExportSessionReply, ApiError> {
    here.run(params).await
}

/// Reads what windows have put down.
#[tauri::command]
#[specta::specta]
pub(crate) async fn get_ui_state(here: Here, params: GetUiState) -> Result<GetUiStateReply, ApiError> {
    here.run(params).await
}

/// Puts something down.
#[tauri::command]
#[specta::specta]
pub(crate) async fn set_ui_state(here: Here, params: SetUiState) -> Result<Done, ApiError> {
    here.run(params).await
}

/// Measures processes.
#[tauri::command]
#[specta::specta]
pub(crate) async fn sample_processes(here: Here, params: SampleProcesses) -> Result<SampleProcessesReply, ApiError> {
    here.run(params).await
}

/// Fetches one remote image.
#[tauri::command]
#[specta::specta]
pub(crate) async fn fetch_image(here: Here, params: FetchImage) -> Result<FetchImageReply, ApiError> {
    here.run(params).await
}
