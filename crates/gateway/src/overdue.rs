//! Reports that nobody could be told for two days end where a person sees them.

use std::sync::Arc;
use std::time::Duration;

use gatehouse_delivery::OVERDUE;
use gatehouse_domain::{DropReason, EpochMs};

use crate::core::Core;
use crate::error::Result;

/// They are looked for so often.
const LOOK: Duration = Duration::from_secs(3_600);

/// Until the house closes.
pub(crate) async fn watch(core: Arc<Core>) {
    loop {
        tokio::select! {
            () = core.closing.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
        if let Err(error) = give_up(&core).await {
            tracing::error!("Reports that are overdue cannot be looked for: {error:#}");
        }
    }
}

/// Gives up what nobody could be told for too long, however much else is owed.
pub(crate) async fn give_up(core: &Core) -> Result<()> {
    let span = i64::try_from(OVERDUE.as_millis()).unwrap_or(i64::MAX);
    let since = EpochMs(core.now().0.saturating_sub(span));
    let old = core.store.read(|s| s.units().overdue(since))?;
    if old.is_empty() {
        return Ok(());
    }
    let drop_all = move |tx: &gatehouse_store::Tx<'_>| {
        old.iter().try_for_each(|unit| tx.units_mut().drop_(*unit, DropReason::Expired).map(|_| ()))
    };
    core.store.write(drop_all).await?;
    Ok(())
}
