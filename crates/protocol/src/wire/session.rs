//! Sessions and turns.

use serde::Serialize;
use specta::Type;

use super::Int53;

/// One transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Its id.
    pub session_id: String,
    /// The revision that wrote it last.
    pub rev: Int53,
    /// What it is called.
    pub title: String,
    /// `needs_you | running | done_today | earlier`.
    pub group: String,
    /// Items that were not seen yet.
    pub unread: Int53,
    /// One line: what is asked, or the last fact.
    pub summary: String,
    /// When something last happened.
    pub last_at_ms: Int53,
    /// The turn at work.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running_turn_id: Option<String>,
    /// Processes of a stopped turn that are still being ended.
    pub reaping: u32,
    /// Approvals that wait for an answer.
    pub pending_approvals: u32,
    /// Living processes.
    pub running_processes: u32,
    /// Whether the last thing that ended in it failed.
    pub failed: bool,
    /// Messages that wait for the running turn to end, in order.
    pub queued: Vec<Queued>,
    /// A stop has paused its queue.
    pub queue_paused: bool,
    /// The system is told nothing of it.
    pub muted: bool,
    /// Why it takes no more words: `new_session | compaction | idle | daily | closed`. A closed one is opened by the next
    /// message.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// The conversation that goes on in its place.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_session_id: Option<String>,
    /// Its highest item.
    pub last_seq: Int53,
    /// The conversation whose agent has handed this one's task on. Nobody writes here.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delegated_from: Option<String>,
    /// Tasks that its agent has handed on and that are at work.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running_tasks: Option<u32>,
}

/// A message that waits for its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Queued {
    /// Its admission.
    pub admission_id: String,
    /// Its words.
    pub text: String,
    /// When it was accepted.
    pub at_ms: Int53,
}

/// One run of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    /// Its id.
    pub turn_id: String,
    /// Its session.
    pub session_id: String,
    /// The revision that wrote it last.
    pub rev: Int53,
    /// Its number within the session, counted from 1.
    pub number: Int53,
    /// `human | completion | retry | delegation`.
    pub cause: String,
    /// `running | done | failed | stopped | interrupted`.
    pub state: String,
    /// When it began.
    pub started_at_ms: Int53,
    /// When it ended.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at_ms: Option<Int53>,
}
