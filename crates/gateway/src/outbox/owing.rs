//! What a turn that ends owes to the channel of its lane. It is gathered before the turn's last transaction and written
//! in it, so that there is no answer without its obligation.

use gatehouse_channel::read_origin;
use gatehouse_delivery::outbox::{FirstResponse, Move, Speech, is_owed, is_silence};
use gatehouse_domain::{
    Category, EpochMs, InboundId, LedgerId, MessageId, Origin, RouteKey, SegmentKind, SessionId, TurnCause, TurnId,
};
use gatehouse_store::{AdmissionRow, IncomingRow, NewObligation, Snapshot, TurnRow, Tx};

use super::files;
use crate::attachment::Parts;
use crate::core::Core;

/// Somebody wrote, and the agent answered with nothing but a marker of silence.
const NOTHING_SAID: &str = "(The agent read this and has nothing to say to it.)";
/// A chain of retries is followed so far.
const MOST_RETRIES: usize = 100;

/// How a turn ended, for those who wait outside.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ending<'a> {
    /// With these words.
    Answer(&'a str),
    /// Without an answer; why, for the person who asked.
    Failure(&'a str),
}

/// What is owed, before it is written.
pub(crate) struct Owed {
    session: SessionId,
    turn: TurnId,
    route: RouteKey,
    text: String,
    files: Vec<String>,
    at: EpochMs,
}

impl Owed {
    /// Nothing for a conversation that leads to no channel, and nothing where nobody waits for words.
    pub fn by(
        core: &Core,
        session: SessionId,
        turn: TurnId,
        ending: Ending<'_>,
        parts: Option<&Parts>,
    ) -> Option<Self> {
        let read = core.store.read(|s| Ok((s.sessions().get(session)?, s.turns().get(turn)?)));
        let (Some(row), Some(cause)) = read
            .inspect_err(|error| tracing::error!(%turn, "What a turn owes cannot be read: {error:#}"))
            .ok()
            .map(|(session, turn)| (session, turn.map(|turn| turn.cause)))?
        else {
            return None;
        };
        let route = row.route.parse::<RouteKey>().ok()?;
        let text = words(cause, ending)?;
        let (text, files) = parts.map_or((text, Vec::new()), handed_over);
        Some(Self { session, turn, route, text, files, at: core.now() })
    }

    /// Part of the turn's last transaction.
    pub fn write(&self, tx: &Tx<'_>) -> gatehouse_store::Result<()> {
        let route = self.route.to_string();
        let Some(turn) = tx.turns().get(self.turn)? else { return Ok(()) };
        let admission = admission(tx, &turn)?;
        let answered = answered(tx, admission.as_ref(), &route)?;
        let place = match &answered {
            Some(row) => Some(row.clone()),
            None => tx.incoming().latest(&route)?,
        };
        let Some(Place { platform, origin }) = place.and_then(Place::of) else {
            tracing::error!(turn = %self.turn, route, "An answer leads nowhere: no message came in on its lane.");
            return Ok(());
        };
        let category = admission.map_or(Category::Result, |admission| admission.category);
        let inbound = answered.as_ref().and_then(|row| row.inbound.as_deref()).and_then(|id| InboundId::new(id).ok());
        let text = is_owed(Speech::Answer, Some(&self.route), &self.text).then_some(&self.text);
        let live = answered.as_ref().and_then(|row| row.live.as_deref()).and_then(|id| MessageId::new(id).ok());
        let response =
            FirstResponse { streamed: false, live, has_text: text.is_some(), has_media: !self.files.is_empty() };
        let (kind, live) = match response.open() {
            Move::Edit(live) => (SegmentKind::Edit, Some(live.to_string())),
            Move::Send | Move::Media | Move::Handled | Move::StillOwed => (SegmentKind::Text, None),
        };
        if let Some(row) = &answered {
            tx.incoming_mut().set_live(&row.route, &row.key, None)?;
        }
        let text = text.map(|text| (kind, text));
        let files = self.files.iter().map(|file| (SegmentKind::Media, file));
        for ((kind, payload), segment) in text.into_iter().chain(files).zip(0..) {
            tx.outbox_mut().owe(&NewObligation {
                route: route.clone(),
                platform: platform.clone(),
                origin: origin.clone(),
                session: self.session,
                turn: Some(self.turn),
                segment,
                kind,
                payload: payload.clone(),
                category,
                anchor: answered.as_ref().and_then(|row| row.anchor.clone()),
                ledger: LedgerId::of(inbound.as_ref()).to_string(),
                live_message: live.clone().filter(|_| kind == SegmentKind::Edit),
                at: self.at,
            })?;
        }
        Ok(())
    }
}

/// What the place gets to read. Only who was asked by nobody may be silent.
fn words(cause: TurnCause, ending: Ending<'_>) -> Option<String> {
    let internal = cause.is_internal();
    match ending {
        Ending::Answer(text) if is_silence(text) => (!internal).then(|| NOTHING_SAID.to_owned()),
        Ending::Answer(text) => Some(text.to_owned()),
        Ending::Failure(why) => (!internal).then(|| why.to_owned()),
    }
}

/// The words and the files of an answer. What does not go stays named in the words, with the reason.
fn handed_over(parts: &Parts) -> (String, Vec<String>) {
    let refused = parts.refused.iter().map(|refusal| format!("\n\n({})", refusal.for_person())).collect::<String>();
    (format!("{}{refused}", parts.text.trim_end()), files::segments(parts))
}

/// Owes words of the gateway to the place where a conversation is held; nothing where that is a window.
pub(crate) fn owe_notice(
    tx: &Tx<'_>,
    session: SessionId,
    words: &str,
    category: Category,
    at: EpochMs,
) -> gatehouse_store::Result<()> {
    let Some(route) = tx.sessions().get(session)?.map(|row| row.route) else { return Ok(()) };
    let Some(Place { platform, origin }) = tx.incoming().latest(&route)?.and_then(Place::of) else { return Ok(()) };
    tx.outbox_mut().owe(&NewObligation {
        route,
        platform,
        origin,
        session,
        turn: None,
        segment: 0,
        kind: SegmentKind::Notice,
        payload: words.to_owned(),
        category,
        anchor: None,
        ledger: LedgerId::of(None).to_string(),
        live_message: None,
        at,
    })?;
    Ok(())
}

/// Where a lane leads to outside, as rows say it.
struct Place {
    platform: String,
    origin: String,
}

impl Place {
    fn of(row: IncomingRow) -> Option<Self> {
        let platform = came_from(&row)?.platform.to_string();
        Some(Self { platform, origin: row.origin })
    }
}

/// Where a message came from; nothing where that cannot be read any more, and then nobody there is told anything.
pub(crate) fn came_from(row: &IncomingRow) -> Option<Origin> {
    let origin = read_origin(&row.origin);
    origin
        .inspect_err(|error| tracing::warn!(session = %row.session, "Nobody can be told anything outside: {error:#}"))
        .ok()
}

/// What a turn answers: its own input, or that of the turn which it tries again.
fn admission(rows: &Snapshot<'_>, turn: &TurnRow) -> gatehouse_store::Result<Option<AdmissionRow>> {
    let mut turn = turn.clone();
    for _ in 0..MOST_RETRIES {
        match turn.retry_of.map(|of| rows.turns().get(of)).transpose()?.flatten() {
            Some(first) => turn = first,
            None => break,
        }
    }
    turn.admission.map_or(Ok(None), |id| rows.admissions().get(id))
}

/// The message that a turn answers, if one came in over the channel.
pub(super) fn answered_by(rows: &Snapshot<'_>, turn: TurnId) -> gatehouse_store::Result<Option<IncomingRow>> {
    let Some(row) = rows.turns().get(turn)? else { return Ok(None) };
    let Some(session) = rows.sessions().get(row.session)? else { return Ok(None) };
    answered(rows, admission(rows, &row)?.as_ref(), &session.route)
}

fn answered(
    rows: &Snapshot<'_>,
    admission: Option<&AdmissionRow>,
    route: &str,
) -> gatehouse_store::Result<Option<IncomingRow>> {
    let human = admission.filter(|admission| admission.cause == TurnCause::Human);
    human.map_or(Ok(None), |admission| rows.incoming().get(route, &admission.request_key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_asked_for_may_be_silent() {
        use Ending::{Answer, Failure};
        use TurnCause::{Completion, Human, Retry};
        for (cause, ending, expected) in [
            (Human, Answer("It is done."), Some("It is done.")),
            (Completion, Answer("It is done."), Some("It is done.")),
            (Human, Answer("NO_REPLY"), Some(NOTHING_SAID)),
            (Retry, Answer("[SILENT]"), Some(NOTHING_SAID)),
            (Completion, Answer("NO_REPLY"), None),
            (Human, Failure("No model."), Some("No model.")),
            (Completion, Failure("No model."), None),
        ] {
            assert_eq!(words(cause, ending).as_deref(), expected, "{cause} {ending:?}");
        }
    }
}
