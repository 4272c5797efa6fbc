//! Approvals: a person is asked before something runs.

use crate::text_enum::text_enum;

text_enum! {
    /// When a person is asked.
    ApprovalMode {
        /// Before every command of the agent.
        Ask = "ask",
        /// Before what could do damage: a command with a known danger, or one that cannot be read.
        Risky = "risky",
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
        /// This exact command in this folder, until its session ends.
        Session = "session",
        /// This exact command in this folder, from now on.
        Always = "always",
        /// Every command that a pattern of the person matches, from now on.
        Pattern = "pattern",
        /// Not.
        Deny = "deny",
    }
}

text_enum! {
    /// Whose word closed a question.
    AnsweredBy {
        /// A person's, about this very question.
        Person = "person",
        /// A rule that a person made meanwhile, and that covers it.
        Rule = "rule",
    }
}

text_enum! {
    /// How far a rule reaches.
    RuleKind {
        /// One exact command in one folder, in one session.
        Session = "session",
        /// One exact command in one folder.
        Exact = "exact",
        /// Every command that fits a pattern, in every folder.
        Pattern = "pattern",
    }
}
