//! Why a shell, or one profile, cannot be opened.

use std::path::PathBuf;

use gatehouse_domain::ProfileName;

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
    /// The list of profiles cannot be read.
    #[error("The profiles in {path} cannot be listed: {cause}. Check its permissions.")]
    List {
        /// Where.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// No such profile is served.
    #[error("There is no profile {asked:?} here. Served are: {served}.")]
    NotServed {
        /// Who was asked for.
        asked: String,
        /// Those who are there.
        served: String,
    },
    /// The folder was taken away while the house was open, or before it was opened again.
    #[error(
        "The folder of the profile {name} is not there any more: {}. Nothing was made in its place. Put it back to use \
         the profile again.", path.display()
    )]
    Gone {
        /// Whose.
        name: ProfileName,
        /// Where it was.
        path: PathBuf,
    },
    /// A profile cannot be called so.
    #[error("A profile's name has letters, digits, - and _, at most 64 of them. Nothing was made.")]
    Unfit,
    /// A profile is called so already.
    #[error(
        "There is a profile {0} already; big and small letters are one here. Nothing was made. Choose another name."
    )]
    Taken(String),
    /// Those that are served were named at the start.
    #[error(
        "This program was told which profiles to serve, so it makes none. Start it without naming them to make one."
    )]
    Fixed,
    /// Its folder cannot be made.
    #[error("The profile {name} cannot be made: {cause}. Check the permissions of {}.", path.display())]
    Unmade {
        /// Whose.
        name: ProfileName,
        /// Where.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// The house closes.
    #[error("The gateway is shutting down. Nothing was changed.")]
    GoingDown,
}

/// A shell's result.
pub type Result<T> = std::result::Result<T, Error>;
