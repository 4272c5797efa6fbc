//! A row of the outbox as policy sees it, and as it is handed to a channel.

use gatehouse_channel::{Channel, Letter, Parcel, SendOutcome, read_origin};
use gatehouse_delivery::outbox::{Obligation, Queued, marked};
use gatehouse_domain::{Category, EpochMs, MessageId, Origin, ReplyAnchor, SegmentKind, Target};
use gatehouse_store::{ObligationRow, Progress};

use super::files;
use crate::config::Config;

/// A row and where it goes.
pub(super) struct Addressed {
    pub row: ObligationRow,
    pub origin: Origin,
    pub target: Target,
    muted: bool,
}

impl Addressed {
    /// Nothing where the place cannot be read any more.
    pub fn read(row: ObligationRow, config: &Config) -> Option<Self> {
        let origin = read_origin(&row.origin).ok()?;
        let target = Target::of(&origin)?;
        let muted = config.channel(&target.platform).is_some_and(|set| {
            row.category == Category::Diagnostic && set.mute_diagnostics
                || row.kind == SegmentKind::Notice && set.ignored.contains(&target.chat)
        });
        Some(Self { row, origin, target, muted })
    }

    pub fn queued(&self) -> Queued<'_> {
        Queued { target: &self.target, turn: self.row.turn, owed: self.owed() }
    }

    /// As policy sees it.
    pub const fn owed(&self) -> Obligation {
        Obligation { muted: self.muted, ..owed(&self.row) }
    }

    /// What is handed over; nothing where this channel cannot carry it.
    pub fn letter(&self, channel: &dyn Channel, owed: Obligation) -> Option<Letter> {
        let parcel = self.parcel(channel, owed)?;
        let anchor = self.row.anchor.as_deref().and_then(|anchor| ReplyAnchor::new(anchor).ok());
        Some(Letter { target: self.target.clone(), anchor, notify: true, parcel })
    }

    fn parcel(&self, channel: &dyn Channel, owed: Obligation) -> Option<Parcel> {
        let words = || marked(&self.row.payload, owed.says()).into_owned();
        let live = || self.row.live_message.as_deref().and_then(|id| MessageId::new(id).ok());
        match owed.kind {
            SegmentKind::Text | SegmentKind::Notice => Some(Parcel::Text(words())),
            SegmentKind::Edit => Some(match live() {
                Some(message) if channel.capabilities().edit => Parcel::Edit { message, text: words() },
                Some(_) | None => Parcel::Text(words()),
            }),
            SegmentKind::Media => files::parcel(&self.row.payload, channel.capabilities()),
        }
    }
}

/// The row as policy sees it.
pub(super) const fn owed(row: &ObligationRow) -> Obligation {
    Obligation {
        kind: row.kind,
        state: row.state,
        attempts: row.attempts,
        not_before: row.not_before,
        marker: row.marker,
        fence: row.fence,
        recorded: row.created_at,
        muted: false,
    }
}

/// What policy made of it, as a change of the row.
pub(super) const fn progress(owed: Obligation, error: Option<String>, at: EpochMs) -> Progress {
    Progress {
        kind: owed.kind,
        state: owed.state,
        attempts: owed.attempts,
        not_before: owed.not_before,
        marker: owed.marker,
        fence: owed.fence,
        error,
        at,
    }
}

/// What the channel said, where it said something.
pub(super) fn said(outcome: &SendOutcome) -> Option<String> {
    match outcome {
        SendOutcome::Delivered { .. } | SendOutcome::NothingToSend => None,
        SendOutcome::Declined { why } | SendOutcome::Refused { why, .. } | SendOutcome::Ambiguous { why } => {
            Some(why.clone())
        }
    }
}
