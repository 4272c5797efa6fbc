//! Reports that nobody could be told for two days end where a person sees them.

use std::sync::Arc;
use std::time::Duration;

use gatehouse_domain::OVERDUE;
use gatehouse_store::Tx;

use crate::core::Core;
use crate::error::Result;

/// They are looked for so often.
const LOOK: Duration = Duration::from_secs(3_600);
/// So many sessions share a transaction, so that nobody waits for long behind it.
const SESSIONS: usize = 10;

/// Until the house closes. What is found at the start is given up beside everything else that begins then: it is not due
/// any more, so nothing has to wait for that.
pub(crate) async fn watch(core: Arc<Core>) {
    loop {
        if let Err(error) = give_up(&core).await {
            tracing::error!("Reports that are overdue cannot be looked for: {error:#}");
        }
        tokio::select! {
            () = core.closing.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

/// Gives up what nobody could be told for too long, however much else is owed.
async fn give_up(core: &Core) -> Result<()> {
    let since = core.now().before(OVERDUE);
    for some in core.store.read(|s| s.units().sessions_overdue(since))?.chunks(SESSIONS) {
        let some = some.to_vec();
        let give_up =
            move |tx: &Tx<'_>| some.iter().try_for_each(|session| tx.units_mut().give_up(*session, since).map(drop));
        core.store.write(give_up).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
