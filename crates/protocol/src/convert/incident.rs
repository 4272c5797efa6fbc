//! What was dropped or failed, and reports that are held.

use gatehouse_gateway::row::{IncidentRow, UnitRow};

use super::item::unit;
use crate::wire;

/// An incident, the report that it is about, and how many it stands for.
pub(crate) fn incident((row, about, reports): &(IncidentRow, Option<UnitRow>, u32)) -> wire::Incident {
    let about = about.as_ref();
    wire::Incident {
        incident_id: row.id.to_string(),
        cause: row.cause.clone(),
        subject: row.subject.clone(),
        detail: row.detail.clone(),
        at_ms: row.at.into(),
        unit_id: about.map(|unit| unit.id.to_string()),
        session_id: about.map(|unit| unit.session.to_string()),
        unit: about.map(unit),
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
        unit_id: Some(row.id.to_string()),
        session_id: Some(row.session.to_string()),
        unit: Some(unit(row)),
        reports: None,
    }
}
