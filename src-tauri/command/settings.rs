//! What a person sets.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{
    Engine, FindServers, FindServersReply, GetEngine, GetSettings, ListModels, ListModelsReply, PutProvider,
    PutProviderReply, RemoveProvider, SetSetting, Settings, TestProvider, TestProviderReply,
};
use tauri::State;

use crate::shell::Shell;

/// Reads what is set.
#[tauri::command]
#[specta::specta]
pub(crate) async fn get_settings(shell: State<'_, Shell>, params: GetSettings) -> Result<Settings, ApiError> {
    shell.run(params).await
}

/// Sets one key.
#[tauri::command]
#[specta::specta]
pub(crate) async fn set_setting(shell: State<'_, Shell>, params: SetSetting) -> Result<Settings, ApiError> {
    shell.run(params).await
}

/// Adds or changes a provider.
#[tauri::command]
#[specta::specta]
pub(crate) async fn put_provider(shell: State<'_, Shell>, params: PutProvider) -> Result<PutProviderReply, ApiError> {
    shell.run(params).await
}

/// Takes a provider away.
#[tauri::command]
#[specta::specta]
pub(crate) async fn remove_provider(shell: State<'_, Shell>, params: RemoveProvider) -> Result<Settings, ApiError> {
    shell.run(params).await
}

/// Asks a provider whether it can be used.
#[tauri::command]
#[specta::specta]
pub(crate) async fn test_provider(
    shell: State<'_, Shell>,
    params: TestProvider,
) -> Result<TestProviderReply, ApiError> {
    shell.run(params).await
}

/// Looks for model servers on this computer.
#[tauri::command]
#[specta::specta]
pub(crate) async fn find_servers(shell: State<'_, Shell>, params: FindServers) -> Result<FindServersReply, ApiError> {
    shell.run(params).await
}

/// Lists every model.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_models(shell: State<'_, Shell>, params: ListModels) -> Result<ListModelsReply, ApiError> {
    shell.run(params).await
}

/// What the embedded engine does.
#[tauri::command]
#[specta::specta]
pub(crate) async fn get_engine(shell: State<'_, Shell>, params: GetEngine) -> Result<Engine, ApiError> {
    shell.run(params).await
}
