//! Words owed to a channel: one obligation for each segment of an answer.

use std::fmt;

use crate::InboundId;
use crate::text_enum::text_enum;

text_enum! {
    /// What one obligation carries. Text and media of an answer are segments of their own, so that a file that did not
    /// go never repeats the words.
    SegmentKind {
        /// Words of an answer, as a message of their own.
        Text = "text",
        /// A file or a batch of images.
        Media = "media",
        /// Words of an answer that take the place of what was streamed before them.
        Edit = "edit",
        /// Words of the gateway.
        Notice = "notice",
    }
}

text_enum! {
    /// Where an obligation stands. The last four are final.
    OutboxState {
        /// Recorded, and never handed to the channel.
        Pending = "pending",
        /// Handed to the channel, which has not answered. Found at a start it means: nobody knows.
        Sending = "sending",
        /// Not delivered yet: tried again at its time, or once the channel is connected anew.
        Failed = "failed",
        /// The channel took it.
        Delivered = "delivered",
        /// The place is not one that words may go to.
        Declined = "declined",
        /// Given up.
        Abandoned = "abandoned",
        /// A setting says that nobody wants to read it.
        Suppressed = "suppressed",
    }
}

text_enum! {
    /// Why words that may have been seen before, or that come late, are sent again. Somebody reads it before them.
    Marker {
        /// The gateway ended while it sent them.
        Restart = "restart",
        /// The channel did not answer, or did not take them.
        Reconnect = "reconnect",
        /// The channel had taken too many.
        RateLimit = "rate_limit",
    }
}

impl OutboxState {
    /// Whether nothing changes any more.
    pub const fn is_final(self) -> bool {
        match self {
            Self::Delivered | Self::Declined | Self::Abandoned | Self::Suppressed => true,
            Self::Pending | Self::Sending | Self::Failed => false,
        }
    }
}

/// How often an obligation was claimed. Who presents an older number than the row has is not heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Fence(pub u64);

impl Fence {
    /// The next claim's.
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// Which message an answer is owed for. It is made of the inbound id and of nothing else: what an answer quotes may be an
/// older message or none, and two turns that answer in one thread would then share one obligation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LedgerId(String);

impl LedgerId {
    /// Of the message that a turn answers; nothing came in for a turn that nobody wrote to.
    pub fn of(inbound: Option<&InboundId>) -> Self {
        Self(inbound.map(|inbound| inbound.as_str().to_owned()).unwrap_or_default())
    }

    /// Its text; empty where nothing came in.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LedgerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_messages_of_one_topic_are_owed_apart() {
        // A forum topic quotes nothing: both anchors are absent, and only the inbound ids differ.
        let ids = ["41", "42"].map(|id| LedgerId::of(Some(&InboundId::new(id).unwrap())));
        assert_ne!(ids[0], ids[1]);
        assert_eq!(LedgerId::of(None).as_str(), "");
    }

    #[test]
    fn the_last_four_states_are_final() {
        let open = OutboxState::ALL.iter().take_while(|state| !state.is_final()).count();
        assert_eq!(open, 3);
        assert!(OutboxState::ALL.iter().skip(3).all(|state| state.is_final()));
    }
}
