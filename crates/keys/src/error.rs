//! What can go wrong with keys, by what a person can do about it. No error holds a part of a key.

use std::io;
use std::path::PathBuf;

/// Why a key could not be read, kept or removed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The keyring has the key and was not unlocked. It is not asked for again in this run; it may be unlocked elsewhere.
    #[error("The keyring is locked, so the key stays in there. Unlock it, then try again.")]
    Locked,
    /// The keyring did not answer within its bound, so nobody knows what it holds.
    #[error("The keyring did not answer in time. Try again in a while.")]
    Silent,
    /// The keyring answered with an error.
    #[error("The keyring failed: {0}. Restart it, then try again.")]
    Keyring(String),
    /// The file could not be read or written.
    #[error("The key file {} could not be read or written: {source}.", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// The file holds something else than keys. It is left as it is.
    #[error("The key file {} makes no sense ({place}). It was left alone: move it away, then enter the keys again.", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where in the file.
        place: String,
    },
    /// The file is not one of ours. It is neither read nor written.
    #[error("The key file {} is not used: {why}. Move it away, then enter the keys again.", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What speaks against it.
        why: &'static str,
    },
}

/// The result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
