//! Where conversations begin anew or are closed, and reports that a person sends on by hand.

use gatehouse_domain::{DropReason, ObligationId, SessionId, UnitId};
use gatehouse_store::{IncidentRow, UnitRow};
use tokio::sync::oneshot;

use super::Gateway;
use crate::delegation;
use crate::error::{Error, Result};
use crate::session::{Asked, Message};

/// An open incident, the report that it is about, and how many it stands for.
type Open = (IncidentRow, Option<UnitRow>, u32);

impl Gateway {
    /// A person draws a line under a conversation: it ends, and a new one takes its place on the same lane.
    pub async fn begin_anew(&self, session: SessionId) -> Result<SessionId> {
        self.draw_line(session, None).await
    }

    /// The same, as a command that is accepted if it is carried out.
    pub(crate) async fn draw_line(&self, session: SessionId, asked: Option<Asked>) -> Result<SessionId> {
        self.core().require_session(session)?;
        delegation::refuse_words(self.core(), session)?;
        let (reply, answer) = oneshot::channel();
        self.core().actors.send(self.core(), session, Message::BeginAnew { asked, reply }).await?;
        answer.await.map_err(|_| Error::ShuttingDown)?
    }

    /// A person closes a conversation: what is still reported enters it, but begins nothing. Writing opens it again.
    pub async fn close_session(&self, session: SessionId) -> Result<()> {
        self.core().require_session(session)?;
        delegation::refuse_words(self.core(), session)?;
        let (reply, answer) = oneshot::channel();
        self.core().actors.send(self.core(), session, Message::Close { reply }).await?;
        answer.await.map_err(|_| Error::ShuttingDown)?
    }

    /// What was dropped or failed and nobody has dealt with, the newest first, each with the report that it is about;
    /// and the reports that are held.
    pub fn incidents(&self) -> Result<(Vec<Open>, Vec<UnitRow>)> {
        let read = self.core().store.read(|s| {
            let about = |row: IncidentRow| {
                let unit = row.subject.parse::<UnitId>().ok().map(|id| s.units().get(id)).transpose()?.flatten();
                let count = s.units().count_of(row.id)?;
                Ok((row, unit, count))
            };
            let open = s.incidents().open()?.into_iter().map(about).collect::<gatehouse_store::Result<_>>()?;
            Ok((open, s.units().held()?))
        });
        Ok(read?)
    }

    /// A person has seen to an incident, or does not want a report or words told that are held: then nobody is told.
    pub async fn resolve_incident(&self, id: gatehouse_domain::IncidentId) -> Result<()> {
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
}

#[cfg(test)]
mod tests;
