//! What becomes of a report: it is told, waits, goes elsewhere, or cannot be told.

use gatehouse_domain::{AdmissionId, ConsumedBy, DropReason, EpochMs, IncidentId, SessionId, UnitId};

use super::{UnitRow, UnitsMut};
use crate::error::Result;
use crate::sql::{args, change, first, value};
use crate::table::incident::NewIncident;

impl UnitsMut<'_> {
    /// Makes reports part of an input; how many of them were complete and still owed.
    pub fn deliver(&self, ids: &[UnitId], admission: AdmissionId) -> Result<usize> {
        let sql = "UPDATE unit SET delivery = 'delivered', admission = ?2, attempts = attempts + 1
            WHERE id = ?1 AND work = 'finished' AND delivery = 'pending' RETURNING session";
        let mut delivered = 0;
        for id in ids {
            delivered += usize::from(self.touched(value(self.tx.conn, sql, args![id, admission])?)?);
        }
        Ok(delivered)
    }

    /// Takes a report back out of an input that waits in the queue; whether it was in one.
    pub fn recall(&self, id: UnitId) -> Result<bool> {
        let sql = "UPDATE unit SET delivery = 'pending', admission = NULL
            WHERE id = ?1 AND delivery = 'delivered'
                AND admission IN (SELECT id FROM admission WHERE status = 'queued') RETURNING session";
        self.touched(value(self.tx.conn, sql, args![id])?)
    }

    /// Hands reports that nobody was told to another session of the same person; how many it still could.
    pub fn move_to(&self, ids: &[UnitId], session: SessionId) -> Result<usize> {
        let sql = "UPDATE unit SET session = ?2 WHERE id = ?1 AND delivery = 'pending' RETURNING session";
        let mut moved = 0;
        for id in ids {
            moved += usize::from(self.touched(value(self.tx.conn, sql, args![id, session])?)?);
        }
        Ok(moved)
    }

    /// A line in the transcript has told it; whether nobody was told yet.
    pub fn told(&self, id: UnitId) -> Result<bool> {
        let sql = "UPDATE unit SET delivery = 'delivered' WHERE id = ?1 AND work = 'finished' AND delivery = 'pending'
            RETURNING session";
        self.touched(value(self.tx.conn, sql, args![id])?)
    }

    /// It asks for a turn from now on; whether it asked for less.
    pub fn promote(&self, id: UnitId) -> Result<bool> {
        let sql = "UPDATE unit SET wants = 'turn' WHERE id = ?1 AND wants <> 'turn' AND delivery = 'pending'
            RETURNING session";
        self.touched(value(self.tx.conn, sql, args![id])?)
    }

    /// Its conversation could not take it: it is tried again at that time. One that was tried in earnest counts.
    pub fn refused(&self, id: UnitId, next_at: EpochMs, in_earnest: bool) -> Result<bool> {
        let sql = "UPDATE unit SET refusals = refusals + 1, attempts = attempts + ?3, next_at = ?2
            WHERE id = ?1 AND delivery = 'pending' RETURNING session";
        self.touched(value(self.tx.conn, sql, args![id, next_at, in_earnest])?)
    }

    /// A person lets a report go on that was held, or dropped, into the session that they choose; whether it could. With
    /// it go those that its incident also tells of, and that incident is closed.
    pub fn release(&self, id: UnitId, session: SessionId, at: EpochMs) -> Result<bool> {
        let Some(unit) = self.tx.units().get(id)? else { return Ok(false) };
        let sql = "UPDATE unit SET delivery = 'pending', dropped = NULL, held = 0, next_at = 0, refusals = 0,
                attempts = 0, session = ?2, root = (SELECT root FROM session WHERE session.id = ?2),
                route = (SELECT route FROM session WHERE session.id = ?2), known_at = ?3, wants = 'turn', incident = NULL
            WHERE (id = ?1 OR incident = ?4) AND work = 'finished'
                AND (delivery = 'dropped' OR delivery = 'pending' AND held = 1)";
        if change(self.tx.conn, sql, args![id, session, at, unit.incident])? == 0 {
            return Ok(false);
        }
        self.tx.touch_session(session)?;
        if let Some(incident) = unit.incident {
            self.tx.incidents_mut().resolve(incident, at)?;
        }
        self.tx.touch_incidents()?;
        Ok(true)
    }

    /// Notes that another way told it; whether nobody was told yet. A report whose input still waits in the queue was
    /// told to nobody: it leaves that input, and an input that is left without reports is withdrawn.
    pub fn consume(&self, id: UnitId, by: ConsumedBy) -> Result<bool> {
        let Some(unit) = self.tx.units().get(id)? else { return Ok(false) };
        let sql = "UPDATE unit SET delivery = 'consumed', consumed = ?2, admission = NULL
            WHERE id = ?1 AND (delivery = 'pending' OR delivery = 'delivered' AND admission IN (
                SELECT id FROM admission WHERE status = 'queued')) RETURNING session";
        if !self.touched(value(self.tx.conn, sql, args![id, by])?)? {
            return Ok(false);
        }
        if unit.held {
            self.tx.touch_incidents()?;
        }
        if let Some(admission) = unit.admission
            && self.tx.units().by_admission(admission)?.is_empty()
        {
            self.tx.admissions_mut().cancel(admission)?;
        }
        Ok(true)
    }

    /// Takes a consumption back whose reason did not come true: the work goes on, and its report is owed again.
    pub fn owe_again(&self, id: UnitId) -> Result<bool> {
        let sql = "UPDATE unit SET delivery = 'pending', consumed = NULL
            WHERE id = ?1 AND work = 'running' AND delivery = 'consumed' RETURNING session";
        self.touched(value(self.tx.conn, sql, args![id])?)
    }

    /// Notes that it cannot be told, and opens an incident; whether it was still owed.
    pub fn drop_(&self, id: UnitId, reason: DropReason) -> Result<bool> {
        let Some(unit) = self.tx.units().get(id)? else { return Ok(false) };
        let incident = IncidentId::from_uuid(self.tx.fresh());
        let sql = "UPDATE unit SET delivery = 'dropped', dropped = ?2, incident = ?3
            WHERE id = ?1 AND delivery = 'pending' RETURNING session";
        if !self.touched(value(self.tx.conn, sql, args![id, reason, incident])?)? {
            return Ok(false);
        }
        self.tell_dropped(incident, reason, unit)?;
        Ok(true)
    }

    /// Gives up everything that a session could not be told since this time; how many reports that were. However many,
    /// one incident tells of them, and shows the newest.
    pub fn give_up(&self, session: SessionId, since: EpochMs) -> Result<usize> {
        let tail = "FROM unit WHERE session = ?1 AND work = 'finished' AND delivery = 'pending' AND held = 0
            AND known_at < ?2 ORDER BY finished_at DESC, id DESC LIMIT 1";
        let Some(newest) = first::<UnitRow>(self.tx.conn, tail, args![session, since])? else { return Ok(0) };
        let incident = IncidentId::from_uuid(self.tx.fresh());
        let reason = DropReason::Expired;
        let sql = "UPDATE unit SET delivery = 'dropped', dropped = ?3, incident = ?4
            WHERE session = ?1 AND work = 'finished' AND delivery = 'pending' AND held = 0 AND known_at < ?2";
        let given_up = change(self.tx.conn, sql, args![session, since, reason, incident])?;
        self.tx.touch_session(session)?;
        self.tell_dropped(incident, reason, newest)?;
        Ok(given_up)
    }

    /// The incident carries the time of the work's end, since that is what nobody was told.
    fn tell_dropped(&self, id: IncidentId, reason: DropReason, unit: UnitRow) -> Result<()> {
        self.tx.incidents_mut().insert(&NewIncident {
            id,
            severity: "warning".to_owned(),
            cause: format!("report_dropped_{reason}"),
            subject: unit.id.to_string(),
            detail: unit.command,
            at: unit.finished_at.unwrap_or(unit.created_at),
        })
    }
}
