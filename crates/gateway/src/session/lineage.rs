//! Rows as delivery looks them up.

use gatehouse_delivery::{Lineage, Standing, Verdict, classify};
use gatehouse_domain::SessionId;
use gatehouse_store::Snapshot;

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
