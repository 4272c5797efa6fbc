//! How a process ended, in the one set of words that tool results and cards share.
//!
//! A stop that somebody asked for is neither a success nor a failure. A signal that nobody here sent is a failure,
//! and never code 0.

use gatehouse_domain::{Exit, ProcessState, StoppedBy};
use gatehouse_text::note::signal_name;

/// The end of a process, or that there is none yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// `running`, `exited`, `signalled`, `killed`, `lost` or `failed_start`.
    pub status: &'static str,
    /// What it exited with, or the negative number of the signal that ended it.
    pub code: Option<i32>,
    /// The name of the signal that ended it.
    pub signal: Option<String>,
    /// Who asked for the end.
    pub asked_by: Option<StoppedBy>,
    /// All went well.
    pub success: bool,
    /// It went wrong by itself.
    pub failure: bool,
}

impl Ending {
    /// Puts a state into words.
    pub fn of(state: ProcessState, exit: Option<Exit>, stopped_by: Option<StoppedBy>) -> Self {
        let code = match exit {
            Some(Exit::Code(code)) => Some(code),
            Some(Exit::Signal(number)) => Some(number.saturating_neg()),
            Some(Exit::Unknown) | None => None,
        };
        let signal = match exit {
            Some(Exit::Signal(number)) => {
                Some(signal_name(number).map_or_else(|| format!("signal {number}"), str::to_owned))
            }
            Some(Exit::Code(_) | Exit::Unknown) | None => None,
        };
        let status = match state {
            ProcessState::Starting | ProcessState::Running | ProcessState::Stopping => "running",
            ProcessState::Exited if signal.is_some() => "signalled",
            ProcessState::Exited => "exited",
            ProcessState::Killed => "killed",
            ProcessState::Lost => "lost",
            ProcessState::FailedStart => "failed_start",
        };
        let success = state == ProcessState::Exited && code == Some(0);
        let failure = matches!(status, "signalled" | "lost" | "failed_start") || (status == "exited" && !success);
        let asked_by = if state == ProcessState::Killed { stopped_by } else { None };
        Self { status, code, signal, asked_by, success, failure }
    }
}

/// What an exit code means for programs that say "nothing found" with it; `command` may be a pipeline, whose code is
/// that of its last command.
pub(crate) fn meaning(command: &str, code: i32) -> Option<&'static str> {
    let last = command.rsplit(['|', ';', '&', '\n']).map(str::trim).find(|part| !part.is_empty())?;
    let program = last.split_whitespace().find(|word| !word.contains('='))?;
    let program = program.rsplit('/').next().unwrap_or(program);
    match (program, code) {
        ("grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack", 1) => Some("nothing matched; this is not a failure"),
        ("diff" | "cmp" | "colordiff", 1) => Some("the files differ; this is not a failure"),
        ("find", 1) => Some("some places could not be read; the rest of the result is good"),
        ("test" | "[", 1) => Some("the condition is false"),
        ("curl", 6) => Some("the host name could not be found"),
        ("curl", 7) => Some("the host did not accept the connection"),
        ("curl", 22) => Some("the server answered with an error status"),
        ("curl", 28) => Some("the server took too long"),
        ("git", 1) => Some("often normal for git, for example when there is nothing to do"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_ways_to_end_are_told_apart() {
        let told = |state, exit, by| {
            let ending = Ending::of(state, Some(exit), by);
            (ending.status, ending.signal, ending.asked_by, ending.success, ending.failure)
        };
        use ProcessState::{Exited, Killed};
        let term = Some("SIGTERM".to_owned());
        assert_eq!(
            told(Killed, Exit::Signal(15), Some(StoppedBy::User)),
            ("killed", term.clone(), Some(StoppedBy::User), false, false)
        );
        assert_eq!(
            told(Killed, Exit::Signal(15), Some(StoppedBy::Agent)),
            ("killed", term, Some(StoppedBy::Agent), false, false)
        );
        assert_eq!(told(Exited, Exit::Signal(9), None), ("signalled", Some("SIGKILL".to_owned()), None, false, true));
        assert_eq!(told(Exited, Exit::Signal(11), None), ("signalled", Some("SIGSEGV".to_owned()), None, false, true));
        assert_eq!(told(Exited, Exit::Code(0), None), ("exited", None, None, true, false));
        assert_eq!(told(Exited, Exit::Unknown, None), ("exited", None, None, false, true));
    }

    #[test]
    fn the_last_command_of_a_pipeline_gives_a_code_its_meaning() {
        assert!(meaning("cat x | LANG=C /usr/bin/grep foo", 1).is_some());
        assert_eq!(meaning("grep foo x | wc", 1), None);
        assert_eq!(meaning("grep foo x", 2), None);
        assert_eq!(meaning("", 1), None);
    }
}
