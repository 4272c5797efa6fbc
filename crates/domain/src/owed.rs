//! Notices that a planned restart owes.

use crate::text_enum::text_enum;

text_enum! {
    /// To whom one is owed.
    OwedKind {
        /// The session in which somebody asked for the restart.
        Requester = "requester",
        /// A channel's chat for words of the house.
        Home = "home",
        /// The same chat, told that something is wrong with the data.
        Trouble = "trouble",
    }
}

text_enum! {
    /// What became of one.
    OwedState {
        /// Not told yet.
        Owed = "owed",
        /// Told, or handed to a channel that never said whether it was.
        Sent = "sent",
        /// Not wanted there any more.
        Suppressed = "suppressed",
        /// Too late to be news.
        Expired = "expired",
    }
}
