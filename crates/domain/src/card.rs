//! Task cards, in Slack's vocabulary so that Slack is only another renderer.

use crate::text_enum::text_enum;

text_enum! {
    /// How a task stands.
    CardStatus {
        /// Not begun.
        Pending = "pending",
        /// At work.
        InProgress = "in_progress",
        /// Done.
        Complete = "complete",
        /// Did not work out.
        Error = "error",
    }
}

text_enum! {
    /// What the four states do not say.
    CardAnnotation {
        /// Stopped before it was done.
        Cancelled = "cancelled",
        /// Waits for a person.
        NeedsInput = "needs_input",
        /// A person or the floor said no.
        Denied = "denied",
    }
}
