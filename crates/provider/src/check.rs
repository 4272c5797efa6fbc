//! Whether a provider can be used, found out in seconds and told in words that say what to do.

mod ask; // the few requests of a check
mod nearest; // which of the known names somebody may have meant
mod sort; // what an answer means
mod trouble; // why there was no answer

use std::time::Duration;

use tokio::time::timeout;

use self::ask::Probe;
use crate::{Endpoint, ModelInfo};

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(3);
/// How long a whole check may take.
const WHOLE: Duration = Duration::from_secs(10);

/// A provider that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// How long its first answer took.
    pub latency: Duration,
    /// Its models; empty when it does not list them.
    pub models: Vec<ModelInfo>,
}

/// Why a provider cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} {mend}")]
pub struct CheckFailure {
    /// What kind of failure; what programs branch on.
    pub code: CheckCode,
    /// What happened and why, for a person; names the provider, never holds its key.
    pub message: String,
    /// What to do next.
    pub mend: String,
}

/// The kinds of failures of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CheckCode {
    /// The address is none.
    BadAddress,
    /// The name in the address is not known.
    NameNotFound,
    /// Nothing listens there, or no way leads there.
    Refused,
    /// It took too long.
    TimedOut,
    /// The two sides do not agree on a secure connection.
    Tls,
    /// The key was refused.
    WrongKey,
    /// A key is wanted and none was sent.
    NoKey,
    /// Something else than a model server answered.
    NotAnApi,
    /// The address leads to the right server, but to the wrong place on it.
    WrongPath,
    /// The server does not have the model.
    NoSuchModel,
    /// The server asks to come back later.
    RateLimited,
    /// The server answered with an error.
    ServerError,
    /// The answer could not be understood.
    Malformed,
}

impl CheckCode {
    /// Every code, in the order of declaration.
    pub const ALL: &'static [Self] = &[
        Self::BadAddress,
        Self::NameNotFound,
        Self::Refused,
        Self::TimedOut,
        Self::Tls,
        Self::WrongKey,
        Self::NoKey,
        Self::NotAnApi,
        Self::WrongPath,
        Self::NoSuchModel,
        Self::RateLimited,
        Self::ServerError,
        Self::Malformed,
    ];

    /// The stable text form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BadAddress => "bad_address",
            Self::NameNotFound => "name_not_found",
            Self::Refused => "refused",
            Self::TimedOut => "timed_out",
            Self::Tls => "tls",
            Self::WrongKey => "wrong_key",
            Self::NoKey => "no_key",
            Self::NotAnApi => "not_an_api",
            Self::WrongPath => "wrong_path",
            Self::NoSuchModel => "no_such_model",
            Self::RateLimited => "rate_limited",
            Self::ServerError => "server_error",
            Self::Malformed => "malformed",
        }
    }
}

/// Asks `endpoint` for its models and, where the list does not settle it, `model` for one token.
///
/// The endpoint's own patience does not count: a check takes ten seconds at most, and asks nothing twice.
pub async fn check(endpoint: &Endpoint, model: Option<&str>) -> Result<Checked, CheckFailure> {
    let probe = Probe::new(endpoint)?;
    timeout(WHOLE, probe.run(model)).await.unwrap_or_else(|_| Err(trouble::too_slow(&probe, WHOLE)))
}

fn failure(code: CheckCode, message: String, mend: impl Into<String>) -> CheckFailure {
    CheckFailure { code, message, mend: mend.into() }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_code_has_a_word_of_its_own() {
        let words: HashSet<_> = CheckCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(words.len(), 13);
    }
}
