//! What a person sets.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{
    Engine, FindServers, FindServersReply, GetEngine, GetSettings, ListModels, ListModelsReply, PutProvider,
    PutProviderReply, RemoveProvider, SetSetting, Settings, TestProvider, TestProviderReply,
};

use crate::here::Here;

/// Reads what is set.
#[tauri::command]
#[specta::specta]
pub(crate) async fn get_settings(here: Here, params: GetSettings) -> Result<Settings, ApiError> {
    here.run(params).await
}

/// Sets one key.
#[tauri::command]
#[specta::specta]
pub(crate) async fn set_setting(here: Here, params: SetSetting) -> Result<Settings, ApiError> {
    here.run(params).await
}

/// Adds or changes a provider.
#[tauri::command]
#[specta::specta]
pub(crate) async fn put_provider(here: Here, params: PutProvider) -> Result<PutProviderReply, ApiError> {
    here.run(params).await
}

/// Takes a provider away.
#[tauri::command]
#[specta::specta]
pub(crate) async fn remove_provider(here: Here, params: RemoveProvider) -> Result<Settings, ApiError> {
    here.run(params).await
}

/// Asks a provider whether it can be used.
#[tauri::command]
#[specta::specta]
pub(crate) async fn test_provider(here: Here, params: TestProvider) -> Result<TestProviderReply, ApiError> {
    here.run(params).await
}

/// Looks for model servers on this computer.
#[tauri::command]
#[specta::specta]
pub(crate) async fn find_servers(here: Here, params: FindServers) -> Result<FindServersReply, ApiError> {
    here.run(params).await
}

/// Lists every model.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_models(here: Here, params: ListModels) -> Result<ListModelsReply, ApiError> {
    here.run(params).await
}

/// What the embedded engine does.
#[tauri::command]
#[specta::specta]
pub(crate) async fn get_engine(here: Here, params: GetEngine) -> Result<Engine, ApiError> {
    here.run(params).await
}
