//! What windows remember and look at.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::Int53;

/// Changes what a session is called or where it stands in the list.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct UpdateSession {
    /// Which.
    pub session_id: String,
    /// What it is called from now on.
    #[serde(default)]
    pub title: Option<String>,
    /// It stands under "Earlier" until something happens in it.
    #[serde(default)]
    pub earlier: Option<bool>,
}

/// Reads a whole transcript as text; every entry says who made it.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ExportSession {
    /// Which.
    pub session_id: String,
}

/// A transcript as text.
#[derive(Debug, Clone, Serialize, Type)]
pub struct ExportSessionReply {
    /// Markdown.
    pub markdown: String,
}

/// Reads what windows have put down.
#[derive(Debug, Clone, Copy, Default, Deserialize, Type)]
pub struct GetUiState {}

/// What windows have put down.
#[derive(Debug, Clone, Serialize, Type)]
pub struct GetUiStateReply {
    /// In no order.
    pub entries: Vec<UiEntry>,
}

/// One thing that a window put down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct UiEntry {
    /// Under which name.
    pub key: String,
    /// What.
    pub value: String,
}

/// Puts something down until the next start and after.
#[derive(Debug, Clone, Deserialize, Type)]
pub struct SetUiState {
    /// Under which name: at most 100 characters.
    pub key: String,
    /// What: at most 256 KiB; absent = forget it.
    #[serde(default)]
    pub value: Option<String>,
}

/// Measures processes. The first answer knows no processor share yet: it is a share since the answer before.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SampleProcesses {
    /// Which, at most 64; those that do not live are left out of the answer.
    pub process_ids: Vec<String>,
}

/// What was measured.
#[derive(Debug, Clone, Serialize, Type)]
pub struct SampleProcessesReply {
    /// One per living process.
    pub samples: Vec<ProcessSample>,
}

/// A process's whole tree, measured.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ProcessSample {
    /// Which.
    pub process_id: String,
    /// Percent of one processor, since the sample before.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_percent: Option<f64>,
    /// Resident memory.
    pub rss_bytes: Int53,
    /// Members of the tree besides the direct child.
    pub descendants: u32,
    /// Ports that it serves on.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ports: Option<Vec<u16>>,
}

/// Fetches one remote image, because a person asked for exactly this one.
#[derive(Debug, Clone, Deserialize, Type)]
pub struct FetchImage {
    /// Its address, `http` or `https`.
    pub url: String,
}

/// The image.
#[derive(Debug, Clone, Serialize, Type)]
pub struct FetchImageReply {
    /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`, by its own first bytes.
    pub mime: String,
    /// Its bytes, at most 8 MiB.
    pub base64: String,
}
