//! Background processes.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{
    Done, ListProcesses, ListProcessesReply, ReadOutput, ReadOutputReply, ResizeProcess, RestartProcess,
    RestartProcessReply, StartProcess, StartProcessReply, StopProcess, StopProcessReply, WriteInput, WriteInputReply,
};
use tauri::State;

use crate::shell::Shell;

/// Starts a process.
#[tauri::command]
#[specta::specta]
pub(crate) async fn start_process(
    shell: State<'_, Shell>,
    params: StartProcess,
) -> Result<StartProcessReply, ApiError> {
    shell.run(params).await
}

/// Lists processes.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_processes(
    shell: State<'_, Shell>,
    params: ListProcesses,
) -> Result<ListProcessesReply, ApiError> {
    shell.run(params).await
}

/// Reads output.
#[tauri::command]
#[specta::specta]
pub(crate) async fn read_output(shell: State<'_, Shell>, params: ReadOutput) -> Result<ReadOutputReply, ApiError> {
    shell.run(params).await
}

/// Writes input.
#[tauri::command]
#[specta::specta]
pub(crate) async fn write_input(shell: State<'_, Shell>, params: WriteInput) -> Result<WriteInputReply, ApiError> {
    shell.run(params).await
}

/// Ends a process.
#[tauri::command]
#[specta::specta]
pub(crate) async fn stop_process(shell: State<'_, Shell>, params: StopProcess) -> Result<StopProcessReply, ApiError> {
    shell.run(params).await
}

/// Runs a process again.
#[tauri::command]
#[specta::specta]
pub(crate) async fn restart_process(
    shell: State<'_, Shell>,
    params: RestartProcess,
) -> Result<RestartProcessReply, ApiError> {
    shell.run(params).await
}

/// Gives a terminal another size.
#[tauri::command]
#[specta::specta]
pub(crate) async fn resize_process(shell: State<'_, Shell>, params: ResizeProcess) -> Result<Done, ApiError> {
    shell.run(params).await
}
