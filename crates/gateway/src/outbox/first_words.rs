//! The first words of an answer, shown while the agent is still at work: where the channel can change what it sent, the
//! whole answer takes their place. They are owed to nobody, and nothing that is owed waits behind them.

use std::sync::Arc;
use std::time::Duration;

use gatehouse_channel::{Letter, Link, Parcel, SendOutcome};
use gatehouse_delivery::outbox::{Answerer, is_silence};
use gatehouse_domain::{ReplyAnchor, Target, TurnId};
use gatehouse_store::{IncomingRow, Snapshot};
use gatehouse_text::media::directives;

use super::{hand, owing};
use crate::core::Core;

/// The end of a turn waits so long for them to be sent, and then does not know of them.
pub(crate) const SEND_LIMIT: Duration = Duration::from_secs(5);

/// Where they go.
struct Place {
    row: IncomingRow,
    letter: Letter,
    channel: usize,
}

/// Sends them, once for each message that is answered, and notes where they stand.
pub(crate) async fn show(core: &Arc<Core>, turn: TurnId, words: &str) {
    let text = directives(words).text();
    if text.trim().is_empty() || is_silence(&text) {
        return;
    }
    let place = core.store.read(|rows| place(core, rows, turn, text.trim_end()));
    let place = place.inspect_err(|error| tracing::warn!(%turn, "First words cannot be placed: {error:#}"));
    let Ok(Some(Place { row, letter, channel })) = place else { return };
    let Some(channel) = core.outbox.channels.get(channel) else { return };
    let outcome = hand::over(&**channel, &letter).await;
    // Only words that stand in one message can be changed as a whole.
    let SendOutcome::Delivered { ids } = outcome else {
        return tracing::debug!(%turn, ?outcome, "First words of an answer did not go.");
    };
    let [live] = ids.as_slice() else { return };
    let live = live.to_string();
    let noted = core.store.write(move |tx| tx.incoming_mut().set_live(&row.route, &row.key, Some(&live))).await;
    if let Err(error) = noted {
        tracing::warn!(%turn, "Where the first words of an answer stand cannot be noted: {error:#}");
    }
}

/// Nothing where they would stand for good, or would overtake what is owed there.
fn place(core: &Core, rows: &Snapshot<'_>, turn: TurnId, text: &str) -> gatehouse_store::Result<Option<Place>> {
    let Some(row) = owing::answered_by(rows, turn)?.filter(|row| row.live.is_none()) else { return Ok(None) };
    let Some(origin) = owing::came_from(&row) else { return Ok(None) };
    let Some(target) = Target::of(&origin) else { return Ok(None) };
    let Answerer::Channel(channel) = core.outbox.answerer(&row.route, &origin) else { return Ok(None) };
    let able = core
        .outbox
        .channels
        .get(channel)
        .is_some_and(|channel| channel.capabilities().edit && *channel.link().borrow() == Link::Up);
    if !able || !rows.outbox().open(origin.platform.as_str(), 1)?.is_empty() {
        return Ok(None);
    }
    let anchor = row.anchor.as_deref().and_then(|anchor| ReplyAnchor::new(anchor).ok());
    let letter = Letter { target, anchor, notify: false, parcel: Parcel::Text(text.to_owned()) };
    Ok(Some(Place { row, letter, channel }))
}
