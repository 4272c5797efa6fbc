//! Why a line cannot be a rule.

/// The most characters of a rule.
pub(super) const MOST_CHARS: usize = 256;

/// Why a line cannot be a rule, in words for the person who wrote it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// There is nothing in it.
    #[error("A pattern needs at least one word")]
    Empty,
    /// It is too long.
    #[error("A pattern has at most {MOST_CHARS} characters")]
    TooLong,
    /// It has line ends or characters that nobody sees.
    #[error("A pattern is one line of visible characters")]
    Invisible,
    /// It has characters that join commands or are replaced by a shell.
    #[error("A pattern is for one plain command, so {0} has no place in it; * stands for anything")]
    Syntax(char),
    /// It does not begin with a program.
    #[error("A pattern begins with the name of a program, without *")]
    NoProgram,
    /// It would allow any program.
    #[error("{0} runs other programs, so this pattern would allow anything. Name what it runs")]
    RunsAnything(String),
    /// It would allow all that a many-sided tool can do.
    #[error("{0} does too many things for one pattern. Name its command, such as `{0} {1} *`")]
    TooWide(String, String),
    /// It is on the floor.
    #[error("No pattern allows this: {0}")]
    Floor(String),
}

/// The line without blanks around it, if it is one line that can be read.
pub(super) fn line(text: &str) -> Result<&str, PatternError> {
    let text = text.trim_matches(' ');
    if text.is_empty() {
        return Err(PatternError::Empty);
    }
    if text.chars().count() > MOST_CHARS {
        return Err(PatternError::TooLong);
    }
    if text.chars().any(|c| !crate::approval::plain::is_shown(c)) {
        return Err(PatternError::Invisible);
    }
    Ok(text)
}
