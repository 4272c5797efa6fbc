//! What goes wrong on the wire.

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
    LimitReached,
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
