//! Admissions: durable acceptance of an input into a session's queue.

use crate::text_enum::text_enum;

text_enum! {
    /// Who handed the input in. Together with the request key it makes a repeated hand-in the same one.
    Principal {
        /// A person at a window or script.
        Person = "person",
        /// The gateway itself.
        Gateway = "gateway",
    }
}

text_enum! {
    /// What became of an accepted input.
    AdmissionStatus {
        /// Waits for its turn.
        Queued = "queued",
        /// Its turn has begun.
        Started = "started",
        /// Its turn has ended.
        Done = "done",
        /// Withdrawn before it began.
        Cancelled = "cancelled",
    }
}
