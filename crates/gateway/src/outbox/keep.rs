//! Rows that no lane cares for: those of platforms without a channel, and those that are over.

use std::sync::Arc;
use std::time::Duration;

use gatehouse_delivery::outbox::{Answerer, Next, Obligation};
use gatehouse_store::{ObligationRow, Tx};

use super::lane::{fall, gave_up};
use super::letter::{Addressed, owed, progress};
use crate::config::Config;
use crate::core::Core;
use crate::error::Result;

/// They are looked for so often.
const LOOK: Duration = Duration::from_secs(3_600);
/// What is over, and where a message came from, can be looked up for so long.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3_600);
/// So many are looked at in one go.
const MOST: u32 = 500;

/// Until the house closes.
pub(crate) async fn keep(core: Arc<Core>) {
    loop {
        if let Err(error) = look(&core).await {
            tracing::error!("The outbox cannot be looked through: {error:#}");
        }
        tokio::select! {
            () = core.closing.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

async fn look(core: &Arc<Core>) -> Result<()> {
    let (task, now) = (Arc::clone(core), core.now());
    let before = gatehouse_domain::EpochMs(now.0.saturating_sub(i64::try_from(KEPT.as_millis()).unwrap_or(i64::MAX)));
    core.store
        .write(move |tx| {
            give_up(&task, tx)?;
            tx.outbox_mut().forget(before)?;
            tx.incoming_mut().forget(before).map(|_| ())
        })
        .await?;
    Ok(())
}

/// What nobody sends is over when it is too old, like everything else.
fn give_up(core: &Core, tx: &Tx<'_>) -> gatehouse_store::Result<()> {
    let (now, config) = (core.now(), core.config());
    for platform in tx.outbox().platforms()? {
        for row in tx.outbox().open(&platform, MOST)? {
            let (id, fence) = (row.id, row.fence);
            if let Some(Next::GiveUp(after, why)) = nobodys(core, &config, row).map(|owed| owed.next(now, false)) {
                tx.outbox_mut().advance(id, fence, &progress(after, Some(gave_up(why).to_owned()), now))?;
                fall(tx, id, now)?;
            }
        }
    }
    Ok(())
}

/// What no channel sends: there is none for it, or where it goes cannot be read any more.
fn nobodys(core: &Core, config: &Config, row: ObligationRow) -> Option<Obligation> {
    let unread = owed(&row);
    let Some(addressed) = Addressed::read(row, config) else { return Some(unread) };
    let answerer = core.outbox.answerer(&addressed.row.route, &addressed.origin);
    (answerer == Answerer::Nobody).then(|| addressed.owed())
}
