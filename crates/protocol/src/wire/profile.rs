//! Profiles, and how each of them stands.

use serde::{Deserialize, Serialize};
use specta::Type;

/// Lists the profiles that are served.
#[derive(Debug, Clone, Copy, Default, Deserialize, Type)]
pub struct ListProfiles {}

/// Which there are.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ListProfilesReply {
    /// All of them, the first one first.
    pub profiles: Vec<Profile>,
    /// The one that is meant when nobody says which.
    pub first: String,
}

/// One profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// How it stands.
    pub state: ProfileState,
    /// Why it cannot be opened, for a person; absent unless that is so.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Processes that run; absent while nobody knows.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u32>,
    /// Notices that nobody has read; absent while nobody knows.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread: Option<u32>,
}

/// How a profile stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ProfileState {
    /// Nobody knows yet.
    Starting,
    /// It can be asked.
    Running,
    /// It cannot be opened.
    Refused,
}

/// Makes a profile, which begins to start.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CreateProfile {
    /// Its name: letters, digits, `-` and `_`, at most 64 of them.
    pub name: String,
}
