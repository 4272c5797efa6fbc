//! Why there is no answer, in words for a person: what happened, why, and what to do next.

use std::error::Error as StdError;
use std::io::ErrorKind;
use std::time::Duration;

use gatehouse_domain::{FailureCode, Secret};

/// How much of a provider's own explanation is passed on.
const MAX_PROVIDER_WORDS: usize = 300;
/// A key shorter than this is not looked for in texts: it would hit ordinary words.
const MIN_KEY_CHARS: usize = 6;

/// An answer that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What kind of failure; what programs branch on.
    pub code: FailureCode,
    /// For a person; names the provider, never holds its key.
    pub message: String,
    /// When the provider wants to be asked again.
    pub retry_after: Option<Duration>,
    /// Whether asking the same again may help.
    pub retryable: bool,
}

/// Words about one provider. Everything a provider says of itself goes through here, so that its key never comes back.
#[derive(Debug, Clone)]
pub(crate) struct Voice {
    pub name: String,
    pub key: Option<Secret<String>>,
}

impl Voice {
    /// The voice of a provider; white space around a key is none of the key.
    pub fn new(name: &str, key: Option<&Secret<String>>) -> Self {
        let key = key.map(|key| key.expose().trim().to_owned()).filter(|key| !key.is_empty());
        Self { name: name.to_owned(), key: key.map(Secret::new) }
    }

    /// Makes a failure of `code`; whether it is worth another try follows from the code.
    pub fn failure(&self, code: FailureCode, message: String) -> Failure {
        let retryable = match code {
            FailureCode::Unreachable
            | FailureCode::RateLimited
            | FailureCode::ProviderError
            | FailureCode::NotAStream
            | FailureCode::CutOff
            | FailureCode::Empty
            | FailureCode::Malformed
            | FailureCode::TimedOut
            | FailureCode::Interrupted => true,
            FailureCode::NoModel
            | FailureCode::Unauthorized
            | FailureCode::Refused
            | FailureCode::LengthLimit
            | FailureCode::Filtered
            | FailureCode::TooManySteps
            | FailureCode::Stopped
            | FailureCode::Internal => false,
        };
        Failure { code, message, retry_after: None, retryable }
    }

    /// The base address cannot be used.
    pub fn bad_address(&self, address: &str, why: &str) -> Failure {
        let message = format!(
            "The address of {}, \"{}\", cannot be used: {why}. Correct it in Settings.",
            self.name,
            self.own(address)
        );
        Failure { retryable: false, ..self.failure(FailureCode::Unreachable, message) }
    }

    /// The key cannot travel in a header.
    pub fn bad_key(&self) -> Failure {
        let message = format!("The key of {} holds characters that no key has. Enter it again in Settings.", self.name);
        self.failure(FailureCode::Unauthorized, message)
    }

    /// No connection, or one that ended before a response began.
    pub fn unreachable(&self, host: &str, error: &reqwest::Error) -> Failure {
        let cause = cause(error);
        let message = format!(
            "Could not reach {} at {host}: {cause}. Check that it runs and its address in Settings.",
            self.name
        );
        self.failure(FailureCode::Unreachable, message)
    }

    /// Nothing came for `wait`.
    pub fn silent(&self, wait: Duration) -> Failure {
        let message =
            format!("{} sent nothing for {} s, so the answer was given up. Try again.", self.name, wait.as_secs());
        self.failure(FailureCode::CutOff, message)
    }

    /// The stream ended before the answer did.
    pub fn cut_off(&self, why: &str) -> Failure {
        let message = format!(
            "The answer of {} broke off before it was finished: {why}. Nothing it asked for was run. Try again.",
            self.name
        );
        self.failure(FailureCode::CutOff, message)
    }

    /// Something that is no stream and no answer.
    pub fn not_a_stream(&self, what: &str, status: u16) -> Failure {
        let message =
            format!("{} sent {what} instead of an answer (HTTP {status}). Check its address in Settings.", self.name);
        self.failure(FailureCode::NotAStream, message)
    }

    /// An answer with nothing in it.
    pub fn empty(&self) -> Failure {
        self.failure(FailureCode::Empty, format!("{} sent an empty answer. Try again.", self.name))
    }

    /// An answer that makes no sense, or two kinds of it.
    pub fn malformed(&self, what: &str) -> Failure {
        let message = format!(
            "The answer of {} could not be understood: {what}. Nothing it asked for was run. Try again.",
            self.name
        );
        self.failure(FailureCode::Malformed, message)
    }

    /// The length limit fell into a tool call.
    pub fn length_limit(&self) -> Failure {
        let message = format!(
            "The answer of {} hit the length limit in the middle of a tool call, so the call was not run. \
             Raise the limit or ask for less at once.",
            self.name
        );
        self.failure(FailureCode::LengthLimit, message)
    }

    /// The length limit came before the first word.
    pub fn length_limit_before_words(&self) -> Failure {
        let message = format!(
            "The answer of {} hit the length limit before its first word. Raise the limit or make the conversation shorter.",
            self.name
        );
        self.failure(FailureCode::LengthLimit, message)
    }

    /// The provider held the answer back.
    pub fn filtered(&self) -> Failure {
        let message =
            format!("{} withheld the answer: its content filter stopped it. Put the question differently.", self.name);
        self.failure(FailureCode::Filtered, message)
    }

    /// An error told inside the stream; `number` is the provider's own code, if it is a number.
    pub fn told(&self, words: Option<&str>, number: Option<u16>) -> Failure {
        let said = self.said(words);
        match number {
            Some(401 | 403) => {
                let message = format!("{} refused the key{said}. Check the key in Settings.", self.name);
                self.failure(FailureCode::Unauthorized, message)
            }
            Some(429) => {
                let message = format!("{} asks to come back later{said}. Try again in a while.", self.name);
                self.failure(FailureCode::RateLimited, message)
            }
            _ => {
                let message = format!("{} failed in the middle of the answer{said}. Try again.", self.name);
                self.failure(FailureCode::ProviderError, message)
            }
        }
    }

    /// The provider's own explanation as `: words`, short, on one line and without the key; empty if there is none.
    pub fn said(&self, words: Option<&str>) -> String {
        let words = words.map(|words| self.own(words)).unwrap_or_default();
        let words = words.trim_end_matches('.');
        if words.is_empty() { String::new() } else { format!(": {words}") }
    }

    /// Somebody else's words on one short line, without the key.
    pub fn own(&self, words: &str) -> String {
        let mut words = words.to_owned();
        if let Some(key) = self.key.as_ref().map(Secret::expose).filter(|key| key.len() >= MIN_KEY_CHARS) {
            words = words.replace(key.as_str(), "[key]");
        }
        let line = words.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
        let line = line.collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(MAX_PROVIDER_WORDS) {
            Some((cut, _)) => format!("{}…", &line[..cut]),
            None => line,
        }
    }
}

/// The reason of a transport error in words. The address is left out: it may hold secrets.
pub(crate) fn cause(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "it took too long to answer".to_owned();
    }
    let mut deepest: &(dyn StdError + 'static) = error;
    let mut kind = None;
    let mut at: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(step) = at {
        kind = step.downcast_ref::<std::io::Error>().map(std::io::Error::kind).or(kind);
        if step.to_string().contains("dns error") {
            return "its name could not be found".to_owned();
        }
        deepest = step;
        at = step.source();
    }
    let words = deepest.to_string();
    if words.contains("certificate") {
        return format!("its certificate is not trusted ({words})");
    }
    match kind {
        Some(ErrorKind::ConnectionRefused) => "nothing listens there".to_owned(),
        Some(ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::UnexpectedEof) => {
            "the connection was closed".to_owned()
        }
        Some(ErrorKind::NetworkUnreachable | ErrorKind::HostUnreachable) => "there is no network to it".to_owned(),
        _ if words.starts_with("connection closed") => "the connection was closed".to_owned(),
        _ if words.is_empty() => "the connection failed".to_owned(),
        _ => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lab() -> Voice {
        Voice { name: "lab".to_owned(), key: Some(Secret::new("sk-very-secret".to_owned())) }
    }

    #[test]
    fn what_a_provider_says_is_short_flat_and_without_the_key() {
        let said = lab().said(Some("bad key\n sk-very-secret.\u{1b}[31m"));
        assert_eq!(said, ": bad key [key]. [31m");
        assert_eq!(lab().said(Some(" \n")), "");
        assert_eq!(lab().said(Some(&"ä".repeat(1_000))).chars().count(), 2 + MAX_PROVIDER_WORDS + 1);
    }

    #[test]
    fn numbers_inside_a_stream_decide_the_code() {
        assert_eq!(lab().told(None, Some(429)).code, FailureCode::RateLimited);
        assert_eq!(lab().told(None, Some(401)).code, FailureCode::Unauthorized);
        let failure = lab().told(Some("overloaded."), None);
        assert_eq!(failure.message, "lab failed in the middle of the answer: overloaded. Try again.");
        assert!(failure.retryable);
    }
}
