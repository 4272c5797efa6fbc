//! Turns.

use crate::text_enum::text_enum;

text_enum! {
    /// What a turn answers.
    TurnCause {
        /// A person's message.
        Human = "human",
        /// Reports of things that ended.
        Completion = "completion",
        /// A person asked to try a failed turn again.
        Retry = "retry",
        /// A task that another agent handed on.
        Delegation = "delegation",
    }
}

impl TurnCause {
    /// Whether no person asked for it.
    pub const fn is_internal(self) -> bool {
        match self {
            Self::Completion | Self::Delegation => true,
            Self::Human | Self::Retry => false,
        }
    }
}

text_enum! {
    /// Where a turn stands.
    TurnState {
        /// At work.
        Running = "running",
        /// Answered.
        Done = "done",
        /// Gave no answer; a `failed_turn` row says why.
        Failed = "failed",
        /// Stopped by a person.
        Stopped = "stopped",
        /// Cut off by a crash after it had an effect.
        Interrupted = "interrupted",
    }
}

text_enum! {
    /// How far a turn got; decides what a restart may repeat.
    TurnProgress {
        /// Nothing was asked yet: run again.
        Created = "created",
        /// The provider was asked: retried once, and marked.
        Requested = "requested",
        /// A tool ran or words left the house: never repeated by itself.
        Effected = "effected",
    }
}

text_enum! {
    /// Why a turn was given up.
    AbandonCause {
        /// Somebody pressed Stop.
        Stop = "stop",
        /// The conversation was begun anew.
        NewSession = "new_session",
        /// No activity for too long.
        Timeout = "timeout",
        /// The client of a request went away.
        Disconnect = "disconnect",
    }
}

impl AbandonCause {
    /// Whether processes that are meant to persist live on: only who means this very turn ends them too.
    pub const fn spares_persisted(self) -> bool {
        match self {
            Self::Stop => false,
            Self::NewSession | Self::Timeout | Self::Disconnect => true,
        }
    }
}

text_enum! {
    /// Why a turn gave no answer.
    FailureCode {
        /// No model is configured.
        NoModel = "no_model",
        /// Could not reach the provider.
        Unreachable = "unreachable",
        /// The provider refused the key.
        Unauthorized = "unauthorized",
        /// The provider asked to come back later.
        RateLimited = "rate_limited",
        /// The provider refused the request.
        Refused = "refused",
        /// The provider failed by itself.
        ProviderError = "provider_error",
        /// A web page or other non-stream came instead of an answer.
        NotAStream = "not_a_stream",
        /// The answer broke off.
        CutOff = "cut_off",
        /// The answer hit the length limit in the middle of a tool call.
        LengthLimit = "length_limit",
        /// The answer had nothing in it.
        Empty = "empty",
        /// The answer could not be understood.
        Malformed = "malformed",
        /// The provider withheld the answer.
        Filtered = "filtered",
        /// Too many rounds of tool calls in one turn.
        TooManySteps = "too_many_steps",
        /// A person stopped it.
        Stopped = "stopped",
        /// No activity for too long.
        TimedOut = "timed_out",
        /// The gateway ended in the middle of it.
        Interrupted = "interrupted",
        /// A fault of our own.
        Internal = "internal",
    }
}
