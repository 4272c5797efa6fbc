//! Which of the obligations of one lane is next. A lane is one channel of one profile.

use std::collections::HashSet;

use gatehouse_domain::{ChatId, EpochMs, Marker, OutboxState, Platform, SegmentKind, Target, TurnId};

use super::obligation::{GiveUp, Next, Obligation};

/// One obligation in its lane.
#[derive(Debug, Clone, Copy)]
pub struct Queued<'a> {
    /// Where its words go.
    pub target: &'a Target,
    /// The turn whose answer it is a segment of. A notice is nobody's answer.
    pub turn: Option<TurnId>,
    /// The row.
    pub owed: Obligation,
}

/// What to do next about a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Write this row in the place of the one at this index, then send what it carries.
    Send(usize, Obligation),
    /// Write this row in the place of the one at this index, and give up what falls with it.
    GiveUp(usize, Obligation, GiveUp),
    /// Nothing until then, or until something else changes.
    Rest(Option<EpochMs>),
}

/// Decides about the open rows of a lane, which are given in the order in which they were recorded.
///
/// Each chat hears one thing after the other: what is on its way holds back what came later. A platform that asks for a
/// pause counts the letters of the whole account, so that its pause holds every chat of it. A message that merely failed
/// holds nothing, because hours may pass before it is sent again; but the files of an answer never overtake its words.
pub fn step(rows: &[Queued<'_>], now: EpochMs, connected: bool) -> Step {
    let mut held = Held::by_platforms(rows, now);
    let mut wake = None;
    for (at, row) in rows.iter().enumerate() {
        if !held.holds(row, now) {
            match row.owed.next(now, connected) {
                Next::Send(claimed) => return Step::Send(at, claimed),
                Next::GiveUp(given_up, why) => return Step::GiveUp(at, given_up, why),
                Next::Wait(until) => wake = Some(wake.map_or(until, |earlier: EpochMs| earlier.min(until))),
                Next::Nothing => {}
            }
        }
        held.add(row);
    }
    Step::Rest(wake)
}

/// Of the rows of one turn, the open ones that end with the row at this index, where that one ended without having been
/// delivered: files without the words that they belong to say nothing, and a place that was declined is declined for all.
pub fn falls_with(of_turn: &[Obligation], at: usize) -> Vec<usize> {
    if !of_turn.get(at).is_some_and(|owed| leads(owed.kind)) {
        return Vec::new();
    }
    let later = of_turn.iter().enumerate().skip(at + 1);
    later.filter(|(_, owed)| !owed.state.is_final()).map(|(at, _)| at).collect()
}

/// What keeps rows from being sent.
#[derive(Default)]
struct Held<'a> {
    platforms: HashSet<&'a Platform>,
    chats: HashSet<(&'a Platform, &'a ChatId)>,
    turns: HashSet<TurnId>,
}

impl<'a> Held<'a> {
    fn by_platforms(rows: &[Queued<'a>], now: EpochMs) -> Self {
        // What asked for the pause goes alone when it is over: it shows whether the platform takes letters again.
        let asks = |owed: Obligation| owed.state == OutboxState::Sending && owed.marker == Some(Marker::RateLimit);
        let paused = rows.iter().filter(|row| row.owed.is_flooded(now) || asks(row.owed));
        Self { platforms: paused.map(|row| &row.target.platform).collect(), ..Self::default() }
    }

    fn holds(&self, row: &Queued<'a>, now: EpochMs) -> bool {
        // What asked for the pause itself says until when.
        let paused = self.platforms.contains(&row.target.platform) && !row.owed.is_flooded(now) && !row.owed.muted;
        paused || self.chats.contains(&chat(row)) || row.turn.is_some_and(|turn| self.turns.contains(&turn))
    }

    fn add(&mut self, row: &Queued<'a>) {
        if row.owed.state == OutboxState::Sending {
            self.chats.insert(chat(row));
        }
        if leads(row.owed.kind) && !row.owed.state.is_final() {
            self.turns.extend(row.turn);
        }
    }
}

const fn chat<'a>(row: &Queued<'a>) -> (&'a Platform, &'a ChatId) {
    (&row.target.platform, &row.target.chat)
}

/// Whether later segments of the same answer make no sense before this one.
const fn leads(kind: SegmentKind) -> bool {
    match kind {
        SegmentKind::Text | SegmentKind::Edit => true,
        SegmentKind::Media | SegmentKind::Notice => false,
    }
}
