use std::io;
use std::path::PathBuf;

use gatehouse_domain::ProcessId;

use crate::input::Refusal;

/// What went wrong outside of a launch.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no run directory of this id: it was removed, or it never existed.
    #[error("unknown process {0}")]
    UnknownProcess(ProcessId),
    /// The shim lives but did not answer in time. Trying again is safe.
    #[error("the helper of process {0} did not answer in time")]
    Unresponsive(ProcessId),
    /// The run directory cannot go while its process lives.
    #[error("process {0} is still alive")]
    StillAlive(ProcessId),
    /// It was not typed to; the words say why.
    #[error("process {id}: {refusal}")]
    NotTyped {
        /// Which.
        id: ProcessId,
        /// Why.
        refusal: Refusal,
    },
    /// The operating system refused.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// Why it failed.
        source: io::Error,
    },
}

/// Why a process could not be started. In every case nothing of it runs, and nothing will run later.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The helper program is not where it should be: the installation is damaged.
    #[error("missing shim: {}", path.display())]
    MissingShim {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// This id was used before.
    #[error("process {0} was started before")]
    AlreadyUsed(ProcessId),
    /// The command itself could not be started; the text is for a person.
    #[error("{reason}")]
    NotStarted {
        /// Why, in a sentence.
        reason: String,
    },
    /// The operating system refused something on the way.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// Why it failed.
        source: io::Error,
    },
}

/// The crate's result.
pub type Result<T> = std::result::Result<T, Error>;

/// Names the step in which an IO error happened.
pub(crate) fn doing(doing: &'static str) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::Io { doing, source }
}

/// The same for the steps of a launch.
pub(crate) fn launching(doing: &'static str) -> impl FnOnce(io::Error) -> LaunchError {
    move |source| LaunchError::Io { doing, source }
}
