//! Units: reports owed to a conversation.

use std::time::Duration;

use crate::text_enum::text_enum;

/// A report that was refused waits no longer than this. One that seems to wait longer was put off by a clock that has
/// been set back since.
pub const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// A report that nobody could be told for so long is not told any more; a person gets to see it.
pub const OVERDUE: Duration = Duration::from_secs(48 * 3_600);

text_enum! {
    /// What owes the report.
    Producer {
        /// A process's end.
        Process = "process",
        /// A watch pattern was seen.
        Watch = "watch",
        /// A periodic sign of life.
        Heartbeat = "heartbeat",
        /// A sub-agent's result.
        Delegation = "delegation",
        /// One task of a delegation failed early.
        TaskFailure = "task_failure",
    }
}

text_enum! {
    /// What a watch tells.
    WatchNews {
        /// Lines were seen that somebody waits for.
        Hit = "hit",
        /// They came so often that nobody waits for them any more.
        TooOften = "too_often",
        /// It has told as often as it may.
        Spent = "spent",
        /// Watches of all processes together tell too much: nothing is told for a while.
        Paused = "paused",
        /// They may tell again.
        Resumed = "resumed",
    }
}

text_enum! {
    /// Whether there is something to report yet.
    WorkState {
        /// Still at work.
        Running = "running",
        /// Ended; the report is complete.
        Finished = "finished",
    }
}

text_enum! {
    /// What became of a report. Only a dropped one is an incident.
    DeliveryState {
        /// Owed.
        Pending = "pending",
        /// Admitted into its conversation.
        Delivered = "delivered",
        /// Told through another way; see [`ConsumedBy`].
        Consumed = "consumed",
        /// Cannot be told; see [`DropReason`].
        Dropped = "dropped",
    }
}

text_enum! {
    /// Which other way told a report.
    ConsumedBy {
        /// A `wait` that returned the end.
        Wait = "wait",
        /// A `log` that reached the last line of an ended process.
        Log = "log",
        /// An explicit kill.
        Kill = "kill",
        /// The turn that started it was abandoned.
        Abandon = "abandon",
        /// Nobody wants to be told such things: a setting says so.
        Off = "off",
        /// The end of what it told the life of.
        End = "end",
    }
}

text_enum! {
    /// Why a report cannot be told.
    DropReason {
        /// Its conversation was ended by a person.
        TargetGone = "target_gone",
        /// Nobody could be told for too long.
        Expired = "expired",
        /// The target refused it for good.
        Refused = "refused",
        /// A person said so.
        Operator = "operator",
    }
}

text_enum! {
    /// What a report asks for.
    Wants {
        /// A turn that answers it.
        Turn = "turn",
        /// A line in the transcript, for a person.
        Notice = "notice",
    }
}

text_enum! {
    /// What sort of thing a report tells. A channel may be spared diagnostics.
    Category {
        /// What somebody waits for.
        Result = "result",
        /// Something that nobody asked about: a command that failed, a sign of life.
        Diagnostic = "diagnostic",
    }
}

text_enum! {
    /// What a person is told about processes whose end is not reported to the agent.
    ProcessNotices {
        /// One line; of one that failed, the end of its output too.
        Concise = "concise",
        /// The end of the output of each.
        Result = "result",
        /// As `result`, and what those that run have written so far.
        All = "all",
        /// Only those that failed, with the end of their output.
        Error = "error",
        /// Nothing.
        Off = "off",
    }
}
