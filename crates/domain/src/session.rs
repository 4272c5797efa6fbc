//! Sessions.

use crate::text_enum::text_enum;

text_enum! {
    /// Why a session takes no more turns.
    EndReason {
        /// The person began a new one on the same route.
        NewSession = "new_session",
        /// Compacted; its successor carries on.
        Compaction = "compaction",
    }
}

text_enum! {
    /// Who must act: the sidebar's order.
    SessionGroup {
        /// A person is needed.
        NeedsYou = "needs_you",
        /// A turn or a process is at work.
        Running = "running",
        /// Something ended today.
        DoneToday = "done_today",
        /// Everything else.
        Earlier = "earlier",
    }
}
