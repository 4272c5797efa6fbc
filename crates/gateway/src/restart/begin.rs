//! What a start makes of the starts before it.

use std::collections::BTreeSet;
use std::time::Duration;

use gatehouse_domain::{EpochMs, IncidentId, ItemId, SessionId};
use gatehouse_store::{BootRow, NewIncident, NewItem};

use crate::core::Core;
use crate::error::Result;

/// So many starts that each found turns cut off
const LOOP: usize = 3;
/// within so long, and nothing is begun again by itself: what ended the gateway may be the very work.
const LOOP_SPAN: Duration = Duration::from_secs(60);
/// A restart that was planned longer ago than this is nobody's present wish.
const FRESH: Duration = Duration::from_secs(600);
/// The cause of the incident.
const INCIDENT: &str = "restart_loop";
/// What it says, and what a conversation says in which something waits.
const WORDS: &str = "The gateway started three times within a minute while turns were at work. Nothing here goes on by itself; write when you want it to.";

/// What kind of end this start follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    /// Any that nobody planned, and a quit.
    End,
    /// A restart that somebody asked for.
    Plan,
    /// The third within a minute that cut turns off.
    Loop,
}

/// Writes this start down, and says what it follows.
pub(crate) async fn begin(core: &Core) -> Result<After> {
    let at = core.now();
    let (number, boots) = core
        .store
        .write(move |tx| {
            let interrupted = u32::try_from(tx.turns().all_running()?.len()).unwrap_or(u32::MAX);
            let number = tx.boots_mut().begin(at, interrupted)?;
            Ok((number, tx.boots().newest(u32::try_from(LOOP).unwrap_or(u32::MAX))?))
        })
        .await?;
    // Set once: a gateway starts once.
    let _known = core.restart.boot.set(number);
    Ok(follows(&boots))
}

/// Decides by the newest starts, of which the first is this one.
pub(super) fn follows(boots: &[BootRow]) -> After {
    let Some(this) = boots.first() else { return After::End };
    // Either way: the clock on the wall may have been set back in between.
    let within = |from: EpochMs, span: Duration| u128::from(this.at.0.abs_diff(from.0)) <= span.as_millis();
    let looped =
        boots.len() >= LOOP && boots.iter().take(LOOP).all(|boot| boot.interrupted > 0 && within(boot.at, LOOP_SPAN));
    if looped {
        return After::Loop;
    }
    match boots.get(1).and_then(|before| before.planned) {
        Some(planned) if within(planned, FRESH) => After::Plan,
        Some(_) | None => After::End,
    }
}

/// Says so where something waits, and as an incident.
pub(crate) async fn tell_loop(core: &Core, waiting: BTreeSet<SessionId>) -> Result<()> {
    tracing::error!("{WORDS}");
    let at = core.now();
    let incident = NewIncident {
        id: IncidentId::from_uuid(core.ids.fresh()),
        severity: "warning".into(),
        cause: INCIDENT.into(),
        subject: core.profile.clone(),
        detail: WORDS.into(),
        at,
    };
    let lines: Vec<_> = waiting.into_iter().map(|session| line(core, session, WORDS)).collect();
    core.store
        .write(move |tx| {
            tx.incidents_mut().insert(&incident)?;
            lines.iter().try_for_each(|line| tx.items_mut().insert(line).map(drop))
        })
        .await?;
    Ok(())
}

/// A line of the gateway to the person of a session.
pub(super) fn line(core: &Core, session: SessionId, words: &str) -> NewItem {
    NewItem::notice(ItemId::from_uuid(core.ids.fresh()), session, words.to_owned(), core.now())
}
