//! Messages that wait for the running turn to end.

use serde::Deserialize;
use specta::Type;

/// Changes the words of a message that waits.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct EditQueued {
    /// Which.
    pub admission_id: String,
    /// Its new words.
    pub text: String,
}

/// Takes a waiting message back.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RemoveQueued {
    /// Which.
    pub admission_id: String,
}

/// Puts a waiting message before another one.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MoveQueued {
    /// Which.
    pub admission_id: String,
    /// Before that one; last unless told.
    #[serde(default)]
    pub before: Option<String>,
}

/// Hands a waiting message to the running turn now, or starts the queue with it when none runs.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SendQueuedNow {
    /// Which.
    pub admission_id: String,
}

/// Goes on with a queue that a stop has paused.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ResumeQueue {
    /// Whose.
    pub session_id: String,
}
