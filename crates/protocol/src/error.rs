//! What goes wrong on the wire.

use std::sync::Arc;

use serde::Serialize;
use specta::Type;

/// What a program branches on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The request cannot be understood.
    InvalidRequest,
    /// No such session, process, turn or approval.
    NotFound,
    /// No such command.
    UnknownCommand,
    /// The question was already answered, or its time is over.
    ApprovalClosed,
    /// The hardline floor holds this command back.
    Blocked,
    /// As many processes as allowed are running.
    ProcessLimit,
    /// The conversation takes no more words.
    SessionEnded,
    /// Too many messages wait.
    QueueFull,
    /// The process did not start.
    StartFailed,
    /// The process has ended, or takes no input.
    ProcessClosed,
    /// The turn cannot be tried again.
    NotRetryable,
    /// The store cannot be read or written; nothing was changed.
    StoreUnavailable,
    /// The gateway is shutting down.
    ShuttingDown,
    /// A newer call of the same client took over.
    Superseded,
    /// A fault of our own.
    Internal,
}

/// The one error shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    /// What a program branches on.
    pub code: ErrorCode,
    /// For a person: what happened, why, what next.
    pub message: String,
}

impl ApiError {
    /// The request cannot be understood.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self { code: ErrorCode::InvalidRequest, message: message.into() }
    }

    pub(crate) fn not_found(what: &str) -> Self {
        Self { code: ErrorCode::NotFound, message: format!("There is no such {what}. It may have been removed.") }
    }

    /// The HTTP status that carries this error.
    pub const fn status(&self) -> u16 {
        match self.code {
            ErrorCode::InvalidRequest => 400,
            ErrorCode::Blocked => 403,
            ErrorCode::NotFound | ErrorCode::UnknownCommand => 404,
            ErrorCode::ApprovalClosed
            | ErrorCode::ProcessClosed
            | ErrorCode::NotRetryable
            | ErrorCode::SessionEnded
            | ErrorCode::Superseded => 409,
            ErrorCode::StartFailed => 422,
            ErrorCode::ProcessLimit | ErrorCode::QueueFull => 429,
            ErrorCode::Internal => 500,
            ErrorCode::StoreUnavailable | ErrorCode::ShuttingDown => 503,
        }
    }
}

impl From<gatehouse_gateway::Error> for ApiError {
    fn from(error: gatehouse_gateway::Error) -> Self {
        use gatehouse_gateway::Error;
        let code = match &error {
            Error::NotFound(_) => ErrorCode::NotFound,
            Error::Invalid(_) => ErrorCode::InvalidRequest,
            Error::ApprovalClosed(_) => ErrorCode::ApprovalClosed,
            Error::Blocked(_) => ErrorCode::Blocked,
            Error::LimitReached { .. } => ErrorCode::ProcessLimit,
            Error::SessionEnded => ErrorCode::SessionEnded,
            Error::QueueFull => ErrorCode::QueueFull,
            Error::StartFailed(_) => ErrorCode::StartFailed,
            Error::ProcessClosed(_) => ErrorCode::ProcessClosed,
            Error::NotRetryable(_) => ErrorCode::NotRetryable,
            Error::Superseded => ErrorCode::Superseded,
            Error::ShuttingDown => ErrorCode::ShuttingDown,
            Error::Store(gatehouse_gateway::StoreError::Closed) => ErrorCode::ShuttingDown,
            Error::Store(_) => ErrorCode::StoreUnavailable,
            Error::Process(_) => ErrorCode::Internal,
        };
        Self { code, message: error.to_string() }
    }
}

impl From<gatehouse_host::Error> for ApiError {
    fn from(error: gatehouse_host::Error) -> Self {
        Self::from(&error)
    }
}

impl From<Arc<gatehouse_host::Error>> for ApiError {
    fn from(error: Arc<gatehouse_host::Error>) -> Self {
        Self::from(&*error)
    }
}

impl From<&gatehouse_host::Error> for ApiError {
    fn from(error: &gatehouse_host::Error) -> Self {
        use gatehouse_host::Error;
        let code = match error {
            Error::NotServed { .. } => ErrorCode::NotFound,
            Error::Unfit | Error::Taken(_) | Error::Fixed => ErrorCode::InvalidRequest,
            Error::GoingDown => ErrorCode::ShuttingDown,
            Error::Gateway(_)
            | Error::Gone { .. }
            | Error::Unmade { .. }
            | Error::NoHome
            | Error::Path { .. }
            | Error::Log { .. }
            | Error::List { .. } => ErrorCode::StoreUnavailable,
        };
        Self { code, message: error.to_string() }
    }
}
