//! What goes wrong, by what the caller can do about it.

use gatehouse_domain::FailureCode;

/// A command could not be carried out; nothing of it was.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No such session, process, turn or approval.
    #[error("There is no such {0}. It may have been removed.")]
    NotFound(&'static str),
    /// The request makes no sense as it stands.
    #[error("{0}")]
    Invalid(String),
    /// The question was answered before, or its time is over.
    #[error("This question is closed: {0}.")]
    ApprovalClosed(String),
    /// The hardline floor holds a command back.
    #[error(
        "Not run: {0}. Nothing lifts this for an agent or a script; a person can say \"run anyway\" in the window."
    )]
    Blocked(String),
    /// As many processes as allowed are running.
    #[error("{running} processes are running, which is the limit. Stop one of them first: {ids}.")]
    LimitReached {
        /// How many run.
        running: u32,
        /// All of them, each with its command's name.
        ids: String,
    },
    /// The process did not start; its card says why.
    #[error("Not started: {0}")]
    StartFailed(String),
    /// The process has ended or takes no input.
    #[error("{0}")]
    ProcessClosed(String),
    /// The turn cannot be tried again.
    #[error("This turn cannot be tried again: {0}.")]
    NotRetryable(String),
    /// Its person has begun anew, or it was carried on elsewhere.
    #[error("This session has ended. Nothing was sent; write in the one that follows it.")]
    SessionEnded,
    /// Too many inputs wait.
    #[error("32 messages wait in this session, which is the limit. Nothing was sent; wait, or take one back.")]
    QueueFull,
    /// A newer call of the same client took over.
    #[error("A newer call of the same client took over.")]
    Superseded,
    /// The gateway is going down.
    #[error("The gateway is shutting down. Nothing was changed.")]
    ShuttingDown,
    /// Rows cannot be read or written.
    #[error("{0}")]
    Store(#[from] gatehouse_store::Error),
    /// The supervisor failed.
    #[error("{0}")]
    Process(#[from] gatehouse_process::Error),
}

/// The gateway's result.
pub type Result<T> = std::result::Result<T, Error>;

/// The gateway cannot start; nothing of it is left at work, and the profile is free for another try.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The profile's store cannot be opened.
    #[error("{0}")]
    Store(#[from] gatehouse_store::OpenError),
    /// The first read or write failed.
    #[error("{0}")]
    Rows(#[from] gatehouse_store::Error),
    /// A folder cannot be made.
    #[error("Cannot make the folder {path}: {cause}. Check its permissions, or set GATEHOUSE_HOME to another place.")]
    Folder {
        /// Which.
        path: String,
        /// Why.
        cause: std::io::Error,
    },
    /// The supervisor cannot start.
    #[error("{0}")]
    Process(#[from] gatehouse_process::Error),
    /// What an earlier run left cannot be taken up.
    #[error("{0}")]
    TakeUp(Box<Error>),
}

impl From<Error> for StartError {
    fn from(error: Error) -> Self {
        match error {
            Error::Store(error) => Self::Rows(error),
            Error::Process(error) => Self::Process(error),
            other => Self::TakeUp(Box::new(other)),
        }
    }
}

/// A turn ends without an answer.
#[derive(Debug, Clone)]
pub(crate) struct NoAnswer {
    pub code: FailureCode,
    pub message: String,
    pub retryable: bool,
}
