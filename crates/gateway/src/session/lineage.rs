//! Rows as delivery looks them up.

use gatehouse_delivery::{Lineage, Standing};
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
