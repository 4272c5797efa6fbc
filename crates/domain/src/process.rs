//! Tracked background commands.

use crate::text_enum::text_enum;

text_enum! {
    /// Where a process stands.
    ProcessState {
        /// Recorded; its helper has not taken it over yet.
        Starting = "starting",
        /// The operating system says it lives.
        Running = "running",
        /// Signals are on their way.
        Stopping = "stopping",
        /// Ended by itself or by somebody else's signal. Descendants may live on.
        Exited = "exited",
        /// Ended by us.
        Killed = "killed",
        /// Gone without a trace of how.
        Lost = "lost",
        /// Never ran.
        FailedStart = "failed_start",
    }
}

impl ProcessState {
    /// Whether nothing more will happen to the direct child.
    pub const fn is_final(self) -> bool {
        match self {
            Self::Starting | Self::Running | Self::Stopping => false,
            Self::Exited | Self::Killed | Self::Lost | Self::FailedStart => true,
        }
    }
}

text_enum! {
    /// Who asked for a process's end.
    StoppedBy {
        /// A person pressed Stop.
        User = "user",
        /// The agent's `process` tool.
        Agent = "agent",
        /// The turn that started it was inactive for too long.
        TurnTimeout = "turn_timeout",
        /// The turn that started it was stopped.
        TurnStop = "turn_stop",
        /// The conversation was begun anew.
        NewSession = "new_session",
        /// The client of a request went away.
        Disconnect = "disconnect",
        /// A limit was reached.
        Limit = "limit",
        /// The application was quit.
        Quit = "quit",
    }
}

text_enum! {
    /// Why a living process deserves a look.
    Attention {
        /// It serves: a port opened or a watch hit.
        Ready = "ready",
        /// No output for a while.
        Quiet = "quiet",
        /// It waits at a prompt.
        NeedsInput = "needs_input",
    }
}

/// How a direct child ended, as the operating system told it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exit {
    /// It called exit with this code (0-255).
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// Nobody could collect the status.
    Unknown,
}

impl Exit {
    /// Whether it ended the way programs say "all is well".
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Code(0))
    }
}
