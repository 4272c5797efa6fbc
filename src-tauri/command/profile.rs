//! Which profiles there are.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{CreateProfile, Done, ListProfiles, ListProfilesReply};
use tauri::State;

use crate::shell::Shell;

/// Lists the profiles.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_profiles(
    shell: State<'_, Shell>,
    params: ListProfiles,
) -> Result<ListProfilesReply, ApiError> {
    shell.run(params).await
}

/// Makes a profile.
#[tauri::command]
#[specta::specta]
pub(crate) async fn create_profile(shell: State<'_, Shell>, params: CreateProfile) -> Result<Done, ApiError> {
    shell.run(params).await
}
