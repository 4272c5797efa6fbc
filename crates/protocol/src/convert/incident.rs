//! What was dropped or failed, and what is held.

use gatehouse_gateway::row::UnitRow;
use gatehouse_gateway::{OpenIncident, WaitingLetter};

use super::item::unit;
use crate::wire;

/// An incident, and what it is about.
pub(crate) fn incident(open: &OpenIncident) -> wire::Incident {
    let OpenIncident { row, unit: about, reports, letter: words } = open;
    let session = about.as_ref().map(|unit| unit.session).or(words.as_ref().map(|words| words.session));
    wire::Incident {
        incident_id: row.id.to_string(),
        cause: row.cause.clone(),
        subject: row.subject.clone(),
        detail: row.detail.clone(),
        at_ms: row.at.into(),
        letter: words.as_ref().map(letter),
        unit_id: about.as_ref().map(|unit| unit.id.to_string()),
        session_id: session.map(|session| session.to_string()),
        unit: about.as_ref().map(unit),
        reports: (*reports > 1).then_some(*reports),
    }
}

/// A report that waits for a person's word.
pub(crate) fn held(row: &UnitRow) -> wire::Incident {
    wire::Incident {
        incident_id: row.id.to_string(),
        cause: "report_held".into(),
        subject: row.id.to_string(),
        detail: row.command.clone(),
        at_ms: row.finished_at.unwrap_or(row.created_at).into(),
        letter: None,
        unit_id: Some(row.id.to_string()),
        session_id: Some(row.session.to_string()),
        unit: Some(unit(row)),
        reports: None,
    }
}

/// Words to a channel that wait for a person's word.
pub(crate) fn held_letter(held: &WaitingLetter) -> wire::Incident {
    wire::Incident {
        incident_id: held.id.to_string(),
        cause: "letter_held".into(),
        subject: held.id.to_string(),
        detail: String::new(),
        at_ms: held.since.into(),
        letter: Some(letter(held)),
        unit_id: None,
        session_id: Some(held.session.to_string()),
        unit: None,
        reports: None,
    }
}

/// The words, and where they were to go.
fn letter(row: &WaitingLetter) -> wire::Letter {
    wire::Letter {
        letter_id: row.id.to_string(),
        platform: row.platform.clone(),
        chat: row.chat.clone(),
        text: row.text.clone(),
        files: row.files.clone(),
        since_ms: row.since.into(),
        can_be_sent: row.can_be_sent,
    }
}
