//! Notices that are owed to chats, by a planned restart or by trouble with the data: to which, what is done about each
//! next, and when it is done.
//!
//! A notice is news and no answer: nobody reads it twice. So it counts as sent from the moment in which a channel is
//! handed it, and is owed again only where the channel says that it was not taken.

use std::time::Duration;

use gatehouse_channel::{Link, SendOutcome, Unsent};
use gatehouse_domain::{ChatId, EpochMs, OwedKind, OwedState, Platform, Target};

use crate::outbox::{FLOOD_CAP, FLOOD_WAIT};

/// After so long nobody wants to hear it any more.
pub const STALE: Duration = Duration::from_secs(48 * 3_600);
/// A channel that refuses is tried again after so long, and after twice as long each time.
pub const FIRST_WAIT: Duration = Duration::from_secs(30);
/// And never later than this.
pub const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);

/// A chat that takes words of the house, as it is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// Where.
    pub target: Target,
    /// Restarts are told there.
    pub wanted: bool,
    /// What is wrong with the house is not told there.
    pub mutes_diagnostics: bool,
    /// A person said that this place gets nothing.
    pub ignored: bool,
}

impl Home {
    const fn is_owed(&self, kind: OwedKind) -> bool {
        !self.ignored
            && match kind {
                OwedKind::Requester | OwedKind::Home => self.wanted,
                // Also where it is muted: the row then says why nobody was told.
                OwedKind::Trouble => true,
            }
    }

    const fn hears(&self, kind: OwedKind) -> bool {
        self.is_owed(kind)
            && match kind {
                OwedKind::Requester | OwedKind::Home => true,
                OwedKind::Trouble => !self.mutes_diagnostics,
            }
    }
}

/// One chat of one platform, as a row names it. Threads of a chat are one place for a notice.
pub fn place(platform: &Platform, chat: &ChatId) -> String {
    format!("{platform}:{chat}")
}

/// The places that a notice is owed to: each chat once, however many channels share it.
pub fn owed_to(homes: &[Home], kind: OwedKind) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for home in homes.iter().filter(|home| home.is_owed(kind)) {
        let place = place(&home.target.platform, &home.target.chat);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// Where a place is reached, if it still hears such notices.
pub fn reach<'h>(homes: &'h [Home], kind: OwedKind, wanted: &str) -> Option<&'h Target> {
    let here = |home: &&Home| home.hears(kind) && place(&home.target.platform, &home.target.chat) == wanted;
    homes.iter().find(here).map(|home| &home.target)
}

/// A notice, as far as it matters what is done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owed {
    /// What became of it.
    pub state: OwedState,
    /// How often a channel was handed it.
    pub attempts: u32,
    /// Since when it is owed.
    pub since: EpochMs,
    /// It is not tried before; forgotten with the run.
    pub not_before: EpochMs,
}

/// How things stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The wall.
    pub now: EpochMs,
    /// Whether its channel is connected; nothing when there is no channel for it.
    pub link: Option<Link>,
    /// The place is still set, and told.
    pub wanted: bool,
}

/// What is done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It is over.
    Rest,
    /// It ends so.
    End(OwedState),
    /// Hand it over.
    Send,
    /// Look again then, or when its channel connects or what is set changes.
    Wait(EpochMs),
}

impl Owed {
    /// A notice as it is recorded.
    pub const fn since(since: EpochMs) -> Self {
        Self { state: OwedState::Owed, attempts: 0, since, not_before: since }
    }

    /// Decides.
    pub fn next(self, standing: Standing) -> Step {
        match self.state {
            OwedState::Sent | OwedState::Suppressed | OwedState::Expired => return Step::Rest,
            OwedState::Owed => {}
        }
        let stale = after(self.since, STALE);
        if !standing.wanted {
            return Step::End(OwedState::Suppressed);
        }
        if standing.now >= stale {
            return Step::End(OwedState::Expired);
        }
        match standing.link {
            // Nothing ever waits so long: the wall clock was put back since, and the wait would last as long as that.
            Some(Link::Up) if self.not_before > after(standing.now, LONGEST_WAIT) => Step::Send,
            Some(Link::Up) if standing.now >= self.not_before => Step::Send,
            Some(Link::Up) => Step::Wait(self.not_before.min(stale)),
            Some(Link::Down) | None => Step::Wait(stale),
        }
    }

    /// It goes to its channel now.
    #[must_use]
    pub const fn handed_over(self) -> Self {
        Self { state: OwedState::Sent, attempts: self.attempts + 1, ..self }
    }

    /// What the channel said about it. An outcome that nobody knows is taken for a sent one.
    #[must_use]
    pub fn answered(self, outcome: &SendOutcome, now: EpochMs) -> Self {
        let again = |wait: Duration| Self { state: OwedState::Owed, not_before: after(now, wait), ..self };
        match outcome {
            SendOutcome::Delivered { .. } | SendOutcome::Ambiguous { .. } => Self { state: OwedState::Sent, ..self },
            SendOutcome::Declined { .. }
            | SendOutcome::NothingToSend
            | SendOutcome::Refused { unsent: Unsent::ChatGone, .. } => Self { state: OwedState::Suppressed, ..self },
            SendOutcome::Refused { unsent: Unsent::Flood { retry_after }, .. } => {
                again(retry_after.unwrap_or(FLOOD_WAIT).min(FLOOD_CAP))
            }
            SendOutcome::Refused { unsent: Unsent::Degraded | Unsent::Other, .. } => again(self.patience()),
        }
    }

    fn patience(self) -> Duration {
        let doubled = 2_u32.saturating_pow(self.attempts.saturating_sub(1).min(10));
        FIRST_WAIT.saturating_mul(doubled).min(LONGEST_WAIT)
    }
}

/// What a channel's refusal says, for the row.
pub fn words(outcome: &SendOutcome) -> &str {
    match outcome {
        SendOutcome::Delivered { .. } => "",
        SendOutcome::NothingToSend => "the platform shows none of it",
        SendOutcome::Declined { why } | SendOutcome::Refused { why, .. } | SendOutcome::Ambiguous { why } => why,
    }
}

fn after(at: EpochMs, span: Duration) -> EpochMs {
    EpochMs(at.0.saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)))
}

#[cfg(test)]
mod tests;
