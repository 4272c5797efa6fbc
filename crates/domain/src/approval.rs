//! Approvals: a person is asked before something runs.

use crate::text_enum::text_enum;

text_enum! {
    /// When a person is asked.
    ApprovalMode {
        /// Before every command of the agent.
        Ask = "ask",
        /// Never; the hardline floor stays.
        Off = "off",
    }
}

text_enum! {
    /// Where a question stands.
    ApprovalState {
        /// Waits for an answer.
        Pending = "pending",
        /// Allowed.
        Allowed = "allowed",
        /// Refused by a person.
        Denied = "denied",
        /// Nobody answered in time; silence is not consent.
        Expired = "expired",
        /// No longer asked, because its turn ended.
        Withdrawn = "withdrawn",
    }
}

text_enum! {
    /// What a person may answer.
    ApprovalChoice {
        /// This time.
        Once = "once",
        /// Not.
        Deny = "deny",
    }
}
