//! What the embedded engine does. It is true of this run only, so it has no revision.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::Int53;

/// Asks what the embedded engine does.
#[derive(Debug, Clone, Copy, Default, Deserialize, Type)]
pub struct GetEngine {}

/// What the embedded engine does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Engine {
    /// Its program is there.
    pub installed: bool,
    /// The model that comes with it is there.
    pub starter: bool,
    /// `asleep | loading | ready`.
    pub state: String,
    /// Whose model it was last set up for.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Which model: `starter`, or the path of a file.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Of `loading`: how much of the model is there, from 0 to 100.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<u32>,
    /// Of `ready`: what it takes.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub takes: Option<EngineTakes>,
}

/// What a loaded model takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct EngineTakes {
    /// How many bytes of memory, about.
    pub memory_bytes: Int53,
    /// How many tokens a conversation may have.
    pub context: u32,
    /// On how many threads it computes.
    pub threads: u32,
}
