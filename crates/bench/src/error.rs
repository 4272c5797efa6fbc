//! Why something could not be measured.

use std::io;
use std::path::PathBuf;

/// What the person at the terminal can do about it differs.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A program of ours does not build: mend it.
    #[error("{what} could not be built ({status})")]
    Build {
        /// What was to be built.
        what: String,
        /// How the builder ended.
        status: String,
    },
    /// A tool is not on this machine: install it.
    #[error("{tool} is needed and cannot be started: {source}")]
    MissingTool {
        /// Which.
        tool: String,
        /// What the system said.
        source: io::Error,
    },
    /// A file that should be there is not.
    #[error("{0} is not there")]
    MissingFile(PathBuf),
    /// What was to be measured refused.
    #[error("{command} was refused: {words}")]
    Refused {
        /// What was asked.
        command: String,
        /// The answer.
        words: String,
    },
    /// What was waited for did not happen.
    #[error("waited in vain for {0}")]
    TookTooLong(String),
    /// The answer has another shape than the wire promises.
    #[error("an answer lacks {0}")]
    Shape(String),
    /// The machine does not permit it, or something broke.
    #[error("{doing}: {words}")]
    Failed {
        /// What was being done.
        doing: String,
        /// What went wrong.
        words: String,
    },
}

/// Of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Says what was being done when an error came.
pub(crate) trait Doing<T> {
    /// Adds the words.
    fn doing(self, doing: &str) -> Result<T>;
}

impl<T, E: std::fmt::Display> Doing<T> for std::result::Result<T, E> {
    fn doing(self, doing: &str) -> Result<T> {
        self.map_err(|error| Error::Failed { doing: doing.to_owned(), words: error.to_string() })
    }
}
