//! What was dropped or failed and nobody has dealt with, and conversations that end.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{Int53, NoteUnit};

/// Closes a conversation: what is still reported enters it, but begins nothing. A new message opens it again.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CloseSession {
    /// Which.
    pub session_id: String,
}

/// Asks for every open incident, and for every report and all words to channels that are held.
#[derive(Debug, Clone, Deserialize, Type)]
pub struct ListIncidents {}

/// The newest first.
#[derive(Debug, Clone, Serialize, Type)]
pub struct ListIncidentsReply {
    /// What is open.
    pub incidents: Vec<Incident>,
}

/// Something that a person must be able to see.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Incident {
    /// Its id; of what is held, its own.
    pub incident_id: String,
    /// What kind of thing: `report_dropped_target_gone`, `report_dropped_expired`, `report_dropped_refused`,
    /// `report_dropped_operator`, `report_held`, `letter_held`, `outbox_abandoned`, `outbox_declined`, `stop_failed`,
    /// `config`, `storage_...`.
    pub cause: String,
    /// What it happened to, as the house names it.
    pub subject: String,
    /// More about it.
    pub detail: String,
    /// When.
    pub at_ms: Int53,
    /// Words to a channel that did not go.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub letter: Option<Letter>,
    /// The report that was not told; it can be sent on with `deliver_unit`.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit_id: Option<String>,
    /// The conversation that it was for.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// What it says.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<NoteUnit>,
    /// So many reports it stands for, if that is more than the one that is shown, the newest. They are sent on together.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reports: Option<u32>,
}

/// Words of an answer to a channel, or files of it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Letter {
    /// Its id.
    pub letter_id: String,
    /// The platform that people see.
    pub platform: String,
    /// The chat, as people call it where that is known.
    pub chat: String,
    /// The words; empty for files.
    pub text: String,
    /// The names of its files.
    pub files: Vec<String>,
    /// Since when it is owed.
    pub since_ms: Int53,
    /// It can be sent with `send_letter`.
    pub can_be_sent: bool,
}

/// Sends words to their channel that are held, or that were given up. Who may have them already is told so.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SendLetter {
    /// Which.
    pub letter_id: String,
}

/// A person has seen to it. What is held and put away so is told to nobody.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ResolveIncident {
    /// Which.
    pub incident_id: String,
}

/// Sends a report on that was dropped or is held, with those that its incident also stands for. It is told with a turn,
/// in the conversation that is named.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct DeliverUnit {
    /// Which.
    pub unit_id: String,
    /// Where to.
    pub session_id: String,
}
