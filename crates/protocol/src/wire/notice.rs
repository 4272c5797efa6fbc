//! Notices: what happened while nobody looked.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::Int53;

/// One thing that happened. Its words are plain text of any author and are never markup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// Its id.
    pub notice_id: String,
    /// The revision that wrote it last.
    pub rev: Int53,
    /// `process_ended | approval | turn_ended`.
    pub kind: String,
    /// `done | fail | need`.
    pub tone: String,
    /// What, in a line: `e2e-tests exited 1`.
    pub title: String,
    /// More, in a line: the last line of output, the first line of a command.
    pub body: String,
    /// Where.
    pub session_id: String,
    /// What that session is called.
    pub session_title: String,
    /// The item that shows it.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<Int53>,
    /// The process that ended.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process_id: Option<String>,
    /// The question that waits.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<String>,
    /// When.
    pub at_ms: Int53,
    /// It was seen, or it is over: a question that was answered.
    pub read: bool,
    /// Its process or session is muted: it stands in the list and nothing more.
    pub muted: bool,
}

/// Reads the notices, the newest first.
#[derive(Debug, Clone, Default, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct ListNotices {
    /// At most so many: 1-500, 100 unless told.
    pub limit: Option<u32>,
}

/// The notices.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ListNoticesReply {
    /// The newest first.
    pub notices: Vec<Notice>,
    /// How many are unread, of all.
    pub unread: u32,
    /// The system is told nothing until then.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet_until_ms: Option<Int53>,
    /// What is muted.
    pub muted: Vec<Muted>,
}

/// A source that stands in the list and nothing more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Muted {
    /// A session.
    pub session_id: String,
    /// Or one command of it: every process that runs it.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What it is called.
    pub title: String,
}

/// Marks notices as seen.
#[derive(Debug, Clone, Default, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct MarkNoticesRead {
    /// Which; all unless told.
    pub notice_ids: Option<Vec<String>>,
    /// And those that were there before the last of them.
    pub and_older: Option<bool>,
}

/// Tells the system nothing for a while; the list goes on.
#[derive(Debug, Clone, Copy, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SetQuiet {
    /// Until then; absent = no longer.
    #[serde(default)]
    pub until_ms: Option<Int53>,
}

/// Mutes a source, or lets it speak again.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SetMuted {
    /// The session.
    pub session_id: String,
    /// Only this command of it.
    #[serde(default)]
    pub command: Option<String>,
    /// Muted from now on.
    pub muted: bool,
}
