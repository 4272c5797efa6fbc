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

/// Asks for every open incident and every report that is held.
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
    /// Its id; of a held report, the report's own.
    pub incident_id: String,
    /// What kind of thing: `report_dropped_target_gone`, `report_dropped_expired`, `report_dropped_refused`,
    /// `report_dropped_operator`, `report_held`, `stop_failed`, `config`, `storage_...`.
    pub cause: String,
    /// What it happened to, as the house names it.
    pub subject: String,
    /// More about it.
    pub detail: String,
    /// When.
    pub at_ms: Int53,
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

/// A person has seen to it. A held report that is put away so is told to nobody.
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
