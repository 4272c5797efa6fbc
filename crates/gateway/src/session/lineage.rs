//! Rows as delivery looks them up.

use gatehouse_delivery::{Lineage, Standing, Verdict, classify};
use gatehouse_domain::{SessionId, UnitId, Wants, WorkState};
use gatehouse_store::{Snapshot, Tx, UnitRow};

/// One view of the rows.
pub(super) struct Rows<'a, 'c>(pub &'a Snapshot<'c>);

impl Lineage for Rows<'_, '_> {
    type Error = gatehouse_store::Error;

    fn standing(&self, session: SessionId) -> Result<Option<Standing>, Self::Error> {
        let row = self.0.sessions().get(session)?;
        Ok(row.map(|row| Standing {
            end: row.end_reason,
            tip: row.tip.unwrap_or(row.id),
            route: row.route,
            delegated_from: row.delegated_from,
        }))
    }

    fn current(&self, route: &str) -> Result<Option<SessionId>, Self::Error> {
        self.0.routes().current(route)
    }
}

/// Whether nobody is left who waits for what a session works on.
pub(crate) fn nobody_waits(rows: &Snapshot<'_>, session: SessionId) -> gatehouse_store::Result<bool> {
    Ok(classify(&Rows(rows), session)? == Verdict::Nobody)
}

/// Gives what a session is owed to the one that is to be told, where nobody is woken to do so: a person writes to no
/// sub-agent. It is told there with what waits.
pub(crate) fn hand_up(tx: &Tx<'_>, session: SessionId) -> gatehouse_store::Result<()> {
    let to = match classify(&Rows(tx), session)? {
        Verdict::Deliver(to) | Verdict::Note(to) if to != session => to,
        Verdict::Deliver(_) | Verdict::Note(_) | Verdict::Nobody | Verdict::Later => return Ok(()),
    };
    let is_due = |unit: &UnitRow| {
        unit.session == session && unit.work == WorkState::Finished && !unit.held && unit.wants == Wants::Turn
    };
    let owed = tx.units().pending_of(session)?;
    let owed: Vec<UnitId> = owed.iter().filter(|unit| is_due(unit)).map(|unit| unit.id).collect();
    tx.units_mut().move_to(&owed, to)?;
    Ok(())
}
