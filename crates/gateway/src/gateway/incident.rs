//! What waits for a person: what was dropped or failed, and what a restored backup owes.

use gatehouse_domain::{DropReason, IncidentId, ObligationId, SessionId, UnitId};
use gatehouse_store::{IncidentRow, Snapshot, UnitRow};

use super::Gateway;
use crate::error::{Error, Result};
use crate::outbox::WaitingLetter;
use crate::session::Message;

/// Everything that waits for a person, as of one moment.
#[derive(Debug)]
pub struct Waiting {
    /// What was dropped or failed and nobody has dealt with, the newest first.
    pub incidents: Vec<OpenIncident>,
    /// The reports that are held.
    pub reports: Vec<UnitRow>,
    /// The words to channels that are held.
    pub letters: Vec<WaitingLetter>,
}

/// An open incident, and what it is about.
#[derive(Debug)]
pub struct OpenIncident {
    /// The incident.
    pub row: IncidentRow,
    /// Its report.
    pub unit: Option<UnitRow>,
    /// For how many reports it stands.
    pub reports: u32,
    /// Its words to a channel.
    pub letter: Option<WaitingLetter>,
}

impl OpenIncident {
    fn of(s: &Snapshot<'_>, row: IncidentRow) -> gatehouse_store::Result<Self> {
        let unit = row.subject.parse::<UnitId>().ok().map(|id| s.units().get(id)).transpose()?.flatten();
        let letter = row.subject.parse::<ObligationId>().ok().map(|id| s.outbox().get(id)).transpose()?.flatten();
        let reports = s.units().count_of(row.id)?;
        Ok(Self { row, unit, reports, letter: letter.map(WaitingLetter::of) })
    }
}

impl Gateway {
    /// What waits for a person.
    pub fn waiting(&self) -> Result<Waiting> {
        let read = self.core().store.read(|s| {
            let open = s.incidents().open()?.into_iter().map(|row| OpenIncident::of(s, row));
            let incidents = open.collect::<gatehouse_store::Result<Vec<_>>>()?;
            let letters = s.outbox().held()?.into_iter().map(WaitingLetter::of).collect();
            Ok(Waiting { incidents, reports: s.units().held()?, letters })
        });
        Ok(read?)
    }

    /// A person has seen to an incident, or does not want a report or words told that are held: then nobody is told.
    pub async fn resolve_incident(&self, id: IncidentId) -> Result<()> {
        let at = self.now();
        let resolved = self.core().store.write(move |tx| {
            if tx.outbox_mut().put_away(ObligationId::from_uuid(id.uuid()), at)? {
                return Ok(true);
            }
            let unit = UnitId::from_uuid(id.uuid());
            let held = tx.units().get(unit)?.is_some_and(|row| row.held);
            if held && tx.units_mut().drop_(unit, DropReason::Operator)? {
                tx.incidents_mut().resolve_of(&unit.to_string(), at)?;
                return Ok(true);
            }
            tx.incidents_mut().resolve(id, at)
        });
        if resolved.await? { Ok(()) } else { Err(Error::NotFound("open incident")) }
    }

    /// A person sends a report on that was dropped, with those that its incident also stands for, or one that is held
    /// after a restore. It is told with a turn like any other, in the conversation that they choose.
    pub async fn deliver_unit(&self, unit: UnitId, session: SessionId) -> Result<()> {
        self.core().require_session(session)?;
        let at = self.now();
        if !self.core().store.write(move |tx| tx.units_mut().release(unit, session, at)).await? {
            return Err(Error::NotFound("report that waits for you"));
        }
        self.core().actors.send(self.core(), session, Message::ReportDue).await
    }

    /// A person sends words that are held, or that were given up. Who may have them already is told so.
    pub async fn send_letter(&self, id: ObligationId) -> Result<()> {
        let at = self.now();
        let sent = self.core().store.write(move |tx| tx.outbox_mut().send_again(id, at)).await?;
        if sent { Ok(()) } else { Err(Error::NotFound("words that wait for you")) }
    }
}

#[cfg(test)]
mod tests;
