//! Background processes.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{
    Done, ListProcesses, ListProcessesReply, ReadOutput, ReadOutputReply, ResizeProcess, RestartProcess,
    RestartProcessReply, StartProcess, StartProcessReply, StopProcess, StopProcessReply, WriteInput, WriteInputReply,
};

use crate::here::Here;

/// Starts a process.
#[tauri::command]
#[specta::specta]
pub(crate) async fn start_process(here: Here, params: StartProcess) -> Result<StartProcessReply, ApiError> {
    here.run(params).await
}

/// Lists processes.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_processes(here: Here, params: ListProcesses) -> Result<ListProcessesReply, ApiError> {
    here.run(params).await
}

/// Reads output.
#[tauri::command]
#[specta::specta]
pub(crate) async fn read_output(here: Here, params: ReadOutput) -> Result<ReadOutputReply, ApiError> {
    here.run(params).await
}

/// Writes input.
#[tauri::command]
#[specta::specta]
pub(crate) async fn write_input(here: Here, params: WriteInput) -> Result<WriteInputReply, ApiError> {
    here.run(params).await
}

/// Ends a process.
#[tauri::command]
#[specta::specta]
pub(crate) async fn stop_process(here: Here, params: StopProcess) -> Result<StopProcessReply, ApiError> {
    here.run(params).await
}

/// Runs a process again.
#[tauri::command]
#[specta::specta]
pub(crate) async fn restart_process(here: Here, params: RestartProcess) -> Result<RestartProcessReply, ApiError> {
    here.run(params).await
}

/// Gives a terminal another size.
#[tauri::command]
#[specta::specta]
pub(crate) async fn resize_process(here: Here, params: ResizeProcess) -> Result<Done, ApiError> {
    here.run(params).await
}
