//! A fact in two lines of plain text. They are made of other people's words, so nothing in them may move a cursor,
//! hide, or turn the direction of what follows.

use gatehouse_domain::{Exit, ProcessState, StoppedBy};
use gatehouse_store::ProcessRow;
use gatehouse_text::note::signal_name;
use gatehouse_text::redact::{Scope, redact, redact_exact};

use crate::core::Core;

/// A body is so long at most.
const BODY_CHARS: usize = 200;
/// And a command's name in a title.
const NAME_CHARS: usize = 48;

/// One line that may be shown anywhere: cut on a character, controls and what hides left out.
pub(super) fn line(text: &str, most: usize) -> String {
    let shown: String = text.chars().filter_map(plain).collect();
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= most {
        return words;
    }
    let mut cut: String = words.chars().take(most.saturating_sub(1)).collect();
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

/// The last line of an output that is clean and masked already.
pub(super) fn last_line(output: &str) -> String {
    line(gatehouse_text::output::last_line(output), BODY_CHARS)
}

/// The first line of a text that nobody has masked yet.
pub(super) fn first_line(core: &Core, text: &str) -> String {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line(&masked(core, first), BODY_CHARS)
}

/// What a command is called: its first line, the folders of its program left out.
pub(crate) fn command_name(command: &str) -> String {
    let first = command.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let (program, rest) = first.split_once(char::is_whitespace).unwrap_or((first, ""));
    let is_path = program.starts_with(['/', '.', '~']) && !program.ends_with('/');
    let name = if is_path { program.rsplit('/').next().unwrap_or(program) } else { program };
    line(&redact(&format!("{name} {rest}"), Scope::Command), NAME_CHARS)
}

/// `e2e-tests exited 1`.
pub(super) fn ended(core: &Core, row: &ProcessRow, state: ProcessState, exit: Option<Exit>) -> String {
    format!("{} {}", command_name(&masked(core, &row.command)), outcome(state, exit, row.stopped_by))
}

/// What became of a process, after its name.
pub(crate) fn outcome(state: ProcessState, exit: Option<Exit>, stopped_by: Option<StoppedBy>) -> String {
    match (state, exit) {
        (ProcessState::FailedStart, _) => "did not start".to_owned(),
        (ProcessState::Lost, _) => "was lost".to_owned(),
        (ProcessState::Killed, _) if stopped_by.is_none_or(is_wanted) => "was stopped".to_owned(),
        (ProcessState::Killed, _) => "ran too long and was stopped".to_owned(),
        (_, Some(Exit::Code(code))) => format!("exited {code}"),
        (_, Some(Exit::Signal(signal))) => {
            let name = signal_name(signal).map_or_else(|| format!("signal {signal}"), str::to_owned);
            format!("was killed by {name}")
        }
        (_, Some(Exit::Unknown) | None) => "ended, and nobody knows how".to_owned(),
    }
}

/// A person, or the agent in their name, knows of an end that they asked for; a time that ran out is news.
pub(super) const fn is_wanted(by: StoppedBy) -> bool {
    match by {
        StoppedBy::User
        | StoppedBy::Agent
        | StoppedBy::TurnStop
        | StoppedBy::NewSession
        | StoppedBy::Disconnect
        | StoppedBy::Quit => true,
        StoppedBy::TurnTimeout | StoppedBy::Limit => false,
    }
}

fn masked(core: &Core, text: &str) -> String {
    let secrets = core.secrets();
    let exact: Vec<&str> = secrets.iter().map(|s| s.expose().as_str()).collect();
    redact(&redact_exact(text, &exact), Scope::Command).into_owned()
}

/// Spaces stay spaces; what is invisible or turns the direction of text is left out.
const fn plain(c: char) -> Option<char> {
    match c {
        '\u{9}'..='\u{d}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some(' '),
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => None,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => None,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => None,
        other => Some(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_called_by_its_first_line_without_folders() {
        for (command, name) in [
            ("npm run build", "npm run build"),
            ("./scripts/e2e-tests --all", "e2e-tests --all"),
            ("/usr/bin/python3 /srv/a.py", "python3 /srv/a.py"),
            ("~/bin/worker", "worker"),
            ("\n  make\nrm x", "make"),
            ("cargo test -p a/b", "cargo test -p a/b"),
            ("FOO=a/b make", "FOO=a/b make"),
        ] {
            assert_eq!(command_name(command), name);
        }
        let long = command_name(&"x".repeat(300));
        assert_eq!((long.chars().count(), long.ends_with('…')), (NAME_CHARS, true));
    }

    #[test]
    fn nothing_in_a_line_moves_hides_or_turns_it() {
        assert_eq!(line("a\tb\u{202e}c\u{200b}d\u{7}\u{1b}e\u{2028}f", 50), "a bcde f");
        assert_eq!(line("äöü äöü", 4), "äöü…");
        assert_eq!(line("äöü", 3), "äöü");
    }

    #[test]
    fn outcomes_read_as_a_person_says_them() {
        let says = |state, exit| outcome(state, exit, Some(StoppedBy::Limit));
        assert_eq!(says(ProcessState::Exited, Some(Exit::Code(1))), "exited 1");
        assert_eq!(says(ProcessState::Exited, Some(Exit::Signal(9))), "was killed by SIGKILL");
        assert_eq!(says(ProcessState::Exited, Some(Exit::Signal(34))), "was killed by signal 34");
        assert_eq!(says(ProcessState::Lost, Some(Exit::Unknown)), "was lost");
        assert_eq!(says(ProcessState::FailedStart, None), "did not start");
    }
}
