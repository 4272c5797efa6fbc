//! Who asked for a restart is told with a line in their session.

use std::time::Duration;

use gatehouse_delivery::owed::STALE;
use gatehouse_domain::{EpochMs, OwedKind, OwedState, SessionId, Target};
use gatehouse_store::NoticeOwedRow;

use super::begin::line;
use crate::core::Core;
use crate::error::Result;

/// What is settled is remembered for so long.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Tells those who asked for the restart, in the transaction that writes down that they were told.
pub(crate) async fn requesters(core: &Core) -> Result<()> {
    let now = core.now();
    let open = core.store.read(|s| s.notices_owed().open())?;
    let mine = open.into_iter().filter(|row| row.kind == OwedKind::Requester);
    // Who asked from outside is told there, like any other chat.
    let mut told = Vec::new();
    for row in mine {
        if asked_outside(core, &row)?.is_none() {
            told.push((row.id, is_stale(&row, now), session_line(core, &row)));
        }
    }
    core.store
        .write(move |tx| {
            tx.notices_owed_mut().forget(EpochMs(now.0.saturating_sub(millis(KEPT))))?;
            for (id, stale, line) in &told {
                let known = match line {
                    Some(line) => tx.sessions().get(line.session)?.is_some(),
                    None => false,
                };
                let state = match line {
                    _ if *stale => OwedState::Expired,
                    Some(line) if known => {
                        tx.items_mut().insert(line)?;
                        OwedState::Sent
                    }
                    Some(_) | None => OwedState::Suppressed,
                };
                tx.notices_owed_mut().settle(*id, state, "")?;
            }
            Ok(())
        })
        .await?;
    Ok(())
}

fn session_line(core: &Core, row: &NoticeOwedRow) -> Option<gatehouse_store::NewItem> {
    row.target.parse::<SessionId>().ok().map(|session| line(core, session, &row.body))
}

const fn is_stale(row: &NoticeOwedRow, now: EpochMs) -> bool {
    now.0.saturating_sub(row.owed_since.0) >= millis(STALE)
}

const fn millis(span: Duration) -> i64 {
    // Spans of days.
    span.as_secs().cast_signed() * 1_000
}

/// Where a restart was asked for, if that is not in a window.
pub(crate) fn asked_outside(core: &Core, row: &NoticeOwedRow) -> Result<Option<Target>> {
    let session = row.target.parse::<SessionId>().ok();
    session.map_or(Ok(None), |session| super::outside(core, session))
}
