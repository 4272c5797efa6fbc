//! Why a shell cannot open.

use std::path::PathBuf;

/// Words for the person who started it: what happened, why, what next.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no place for the data.
    #[error("There is no home folder to keep data in. Set GATEHOUSE_HOME to a folder.")]
    NoHome,
    /// A path cannot be used.
    #[error("{path} cannot be used: {cause}. Check its permissions, or set GATEHOUSE_HOME to another folder.")]
    Path {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// No log can be written.
    #[error("No log can be written to {path}: {cause}")]
    Log {
        /// Where.
        path: PathBuf,
        /// Why.
        cause: String,
    },
    /// The gateway cannot start; nothing was touched.
    #[error("{0}")]
    Gateway(#[from] gatehouse_gateway::StartError),
}

/// A shell's result.
pub type Result<T> = std::result::Result<T, Error>;
