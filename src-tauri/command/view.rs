//! What windows remember and look at.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{
    Done, ExportSession, ExportSessionReply, FetchImage, FetchImageReply, GetUiState, GetUiStateReply, SampleProcesses,
    SampleProcessesReply, SetUiState, UpdateSession,
};
use tauri::State;

use crate::shell::Shell;

/// Renames a session, or puts it under "Earlier".
#[tauri::command]
#[specta::specta]
pub(crate) async fn update_session(shell: State<'_, Shell>, params: UpdateSession) -> Result<Done, ApiError> {
    shell.run(params).await
}

/// Reads a transcript as text.
#[tauri::command]
#[specta::specta]
pub(crate) async fn export_session(
    shell: State<'_, Shell>,
    params: ExportSession,
) -> Result<ExportSessionReply, ApiError> {
    shell.run(params).await
}

/// Reads what windows have put down.
#[tauri::command]
#[specta::specta]
pub(crate) async fn get_ui_state(shell: State<'_, Shell>, params: GetUiState) -> Result<GetUiStateReply, ApiError> {
    shell.run(params).await
}

/// Puts something down.
#[tauri::command]
#[specta::specta]
pub(crate) async fn set_ui_state(shell: State<'_, Shell>, params: SetUiState) -> Result<Done, ApiError> {
    shell.run(params).await
}

/// Measures processes.
#[tauri::command]
#[specta::specta]
pub(crate) async fn sample_processes(
    shell: State<'_, Shell>,
    params: SampleProcesses,
) -> Result<SampleProcessesReply, ApiError> {
    shell.run(params).await
}

/// Fetches one remote image.
#[tauri::command]
#[specta::specta]
pub(crate) async fn fetch_image(shell: State<'_, Shell>, params: FetchImage) -> Result<FetchImageReply, ApiError> {
    shell.run(params).await
}
