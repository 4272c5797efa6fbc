//! Which profiles there are.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{CreateProfile, Done, ListProfiles, ListProfilesReply};

use crate::here::Here;

/// Lists the profiles.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_profiles(here: Here, params: ListProfiles) -> Result<ListProfilesReply, ApiError> {
    here.run(params).await
}

/// Makes a profile.
#[tauri::command]
#[specta::specta]
pub(crate) async fn create_profile(here: Here, params: CreateProfile) -> Result<Done, ApiError> {
    here.run(params).await
}
