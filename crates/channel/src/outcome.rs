//! What became of a letter.

use std::time::Duration;

use gatehouse_domain::MessageId;

/// What a channel knows about one letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendOutcome {
    /// The platform has it.
    Delivered {
        /// The messages that it became.
        ids: Vec<MessageId>,
    },
    /// The place is not approved for words of ours. Nothing else may be tried there: not the same words in another form,
    /// and no file.
    Declined {
        /// In words for the log and the row.
        why: String,
    },
    /// The platform has not taken it.
    Refused {
        /// What that means for another attempt.
        unsent: Unsent,
        /// In words for the log and the row.
        why: String,
    },
    /// Nobody knows whether the platform has it.
    Ambiguous {
        /// In words for the log and the row.
        why: String,
    },
    /// There was nothing in it that this platform shows.
    NothingToSend,
}

/// Why the platform has not taken a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsent {
    /// The chat is deleted, or its person has blocked us: nothing will ever go there.
    ChatGone,
    /// Too many letters.
    Flood {
        /// How long the platform wants to be left alone, if it said.
        retry_after: Option<Duration>,
    },
    /// The connection was down before anything left: proof that the platform saw nothing.
    Degraded,
    /// Anything else.
    Other,
}
