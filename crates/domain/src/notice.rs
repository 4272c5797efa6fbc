//! Notices: what happened while nobody looked.

use crate::text_enum::text_enum;

text_enum! {
    /// What a notice is about.
    NoticeKind {
        /// A process whose end somebody waits for is over.
        ProcessEnded = "process_ended",
        /// A question waits for a person.
        Approval = "approval",
        /// A turn that a person waited for is over.
        TurnEnded = "turn_ended",
    }
}

text_enum! {
    /// What a notice says at a glance.
    Tone {
        /// It went well.
        Done = "done",
        /// It did not.
        Fail = "fail",
        /// A person is needed.
        Need = "need",
    }
}
