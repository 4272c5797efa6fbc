//! Tasks: work that one agent hands on to another.

use crate::text_enum::text_enum;

text_enum! {
    /// Where a task stands that was handed on. Of several, the last in this order says how all of them ended.
    TaskState {
        /// At work.
        Running = "running",
        /// Done; its last words are the result.
        Completed = "completed",
        /// Cut short by a person.
        Interrupted = "interrupted",
        /// Cut off by an end of the gateway: what came of it is not known.
        Unknown = "unknown",
        /// Gave no answer; its last words say why.
        Error = "error",
    }
}
