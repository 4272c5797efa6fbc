//! Says in the transcript that a turn is about to be given up.

use std::sync::Arc;

use gatehouse_domain::ItemId;
use gatehouse_store::NewItem;

use super::{Watched, span};
use crate::core::Core;

pub(super) fn say(core: &Arc<Core>, watched: &Watched) {
    let limit = watched.activity.limit;
    let text = format!(
        "Nothing has happened in this turn for {}. It is stopped after {} without a sign of life.",
        span(watched.activity.since()),
        span(limit)
    );
    let notice = NewItem::notice(ItemId::from_uuid(core.ids.fresh()), watched.session, text, core.now());
    let notice = NewItem { turn: Some(watched.turn), ..notice };
    let (core, turn) = (Arc::clone(core), watched.turn);
    watched.runtime.spawn(async move {
        let written = core.store.write(move |tx| {
            let runs = tx.turns().get(turn)?.is_some_and(|row| row.state == gatehouse_domain::TurnState::Running);
            if runs { tx.items_mut().insert(&notice).map(|_| ()) } else { Ok(()) }
        });
        if let Err(error) = written.await {
            tracing::warn!(%turn, "A warning could not be written: {error:#}");
        }
    });
}
