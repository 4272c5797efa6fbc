//! Sessions.

use crate::text_enum::text_enum;

text_enum! {
    /// Why a session takes no more turns.
    EndReason {
        /// The person began a new one on the same route.
        NewSession = "new_session",
        /// Compacted; its successor carries on.
        Compaction = "compaction",
        /// Its lane was quiet for so long that the next message begins a new one.
        Idle = "idle",
        /// A new day began a new one.
        Daily = "daily",
        /// A person closed it. Reports still enter it, but wake nobody; a new message opens it again.
        Closed = "closed",
    }
}

impl EndReason {
    /// Whether a person drew a line here: nothing that belongs before it may be told behind it.
    pub const fn is_boundary(self) -> bool {
        match self {
            Self::NewSession => true,
            Self::Compaction | Self::Idle | Self::Daily | Self::Closed => false,
        }
    }
}

text_enum! {
    /// When a lane begins a new session by itself.
    ResetPolicy {
        /// Never: a person says so.
        None = "none",
        /// With the first message after a long pause.
        Idle = "idle",
        /// With the first message of a day.
        Daily = "daily",
        /// With either.
        Both = "both",
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
