//! What a session's actor may be told.

use gatehouse_domain::{AbandonCause, AdmissionId, ProcessId, SessionId, TurnId};
use tokio::sync::oneshot;

use super::asked::Asked;
use crate::error::Result;

/// What a message does while a turn runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SendMode {
    /// Waits for the turn to end.
    #[default]
    Queue,
    /// Joins the turn before it asks the model again; if the turn ends first, it waits like any other.
    Steer,
    /// Ends the turn, but not what it started, and waits like any other behind what was queued before.
    Interrupt,
}

/// An input is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accepted {
    pub admission: AdmissionId,
    /// Its turn, if it has begun.
    pub turn: Option<TurnId>,
}

/// What the actor may be told.
pub(crate) enum Message {
    /// A person says something.
    Say { text: String, client_key: String, mode: SendMode, reply: oneshot::Sender<Result<Accepted>> },
    /// A person wants a turn tried again.
    Retry { turn: TurnId, reply: oneshot::Sender<Result<Accepted>> },
    /// The running turn shall end. Answered with the number of processes that end with it, if one was running.
    Stop { turn: Option<TurnId>, cause: AbandonCause, reply: oneshot::Sender<Option<u32>> },
    /// A person begins anew: this session ends, and its lane leads to another. Answered with that one. A command is
    /// accepted with it.
    BeginAnew { asked: Option<Asked>, reply: oneshot::Sender<Result<SessionId>> },
    /// A person closes the conversation: nothing begins in it until they write again.
    Close { reply: oneshot::Sender<Result<()>> },
    /// A person wants a message that waits to be heard now: by the running turn, or in one of its own.
    SendNow { admission: AdmissionId, reply: oneshot::Sender<Result<()>> },
    /// A person wants a paused queue to go on.
    GoOn { reply: oneshot::Sender<Result<()>> },
    /// Nothing happened in a turn for too long, and it was given up. These belong to it.
    GivenUp { turn: TurnId, processes: Vec<ProcessId> },
    /// A report is due.
    ReportDue,
    /// Rows were found at the start: a turn to run again, a queue to go on with, reports to tell.
    Resume,
}

impl Message {
    /// Whether it would begin something that a gateway which goes down cannot finish.
    pub const fn begins_work(&self) -> bool {
        match self {
            Self::Retry { .. } | Self::BeginAnew { .. } | Self::SendNow { .. } | Self::GoOn { .. } | Self::Resume => {
                true
            }
            // Words are kept; the next start hears them.
            Self::Say { .. } => false,
            Self::Stop { .. } | Self::Close { .. } | Self::GivenUp { .. } | Self::ReportDue => false,
        }
    }
}
