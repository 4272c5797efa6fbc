//! Typing to a job, and the size of its terminal. The shim keeps the order of all who type; here they only take turns at
//! the line to it.

use std::time::Duration;

use gatehouse_domain::ProcessId;
use tokio::sync::oneshot;

use super::Supervisor;
use super::attend::Command;
use super::settle::{Settled, settle};
use crate::error::{Error, Result, doing};
use crate::input::{INPUT_PATIENCE_MS, MAX_INPUT, PtySize, Refusal, Then};

/// Beyond the shim's own patience: a busy machine.
const SLACK: Duration = Duration::from_secs(5);

/// What became of typed bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteOutcome {
    /// So many were taken by the job's input, Enter and end included.
    pub bytes: u64,
    /// So many wait until the program reads; they are not lost.
    pub waiting: u64,
}

/// What the line's task answers.
pub type Answer<T> = std::result::Result<T, Refusal>;

impl Supervisor {
    /// Types to a job. Answered once its input has taken all of it, or after five seconds with what it took so far; a
    /// refusal has typed nothing. Writers are heard in the order in which they ask.
    pub async fn write_input(&self, id: ProcessId, bytes: Vec<u8>, then: Then) -> Result<WriteOutcome> {
        if bytes.len() > MAX_INPUT {
            return Err(Error::NotTyped { id, refusal: Refusal::TooLong });
        }
        self.ask(id, |reply| Command::Input { bytes, then, reply }).await
    }

    /// Tells a job that its terminal has another size.
    pub async fn resize(&self, id: ProcessId, size: PtySize) -> Result<()> {
        self.ask(id, |reply| Command::Resize { size, reply }).await
    }

    async fn ask<T>(&self, id: ProcessId, command: impl FnOnce(oneshot::Sender<Answer<T>>) -> Command) -> Result<T> {
        let Some(commands) = self.inner.commands(id) else { return Err(self.unattended(id)?) };
        let (reply, answer) = oneshot::channel();
        if commands.send(command(reply)).await.is_err() {
            return Err(self.unattended(id)?);
        }
        let limit = Duration::from_millis(INPUT_PATIENCE_MS) + SLACK;
        match tokio::time::timeout(limit, answer).await {
            Ok(answer) => answer.unwrap_or(Err(Refusal::Unsure)).map_err(|refusal| Error::NotTyped { id, refusal }),
            Err(_) => Err(Error::NotTyped { id, refusal: Refusal::Unsure }),
        }
    }

    /// Nobody listens to its shim: in nearly every case because that has ended.
    fn unattended(&self, id: ProcessId) -> Result<Error> {
        let run = self.inner.open(id)?;
        Ok(match settle(&run).map_err(doing("reading a run directory"))? {
            Settled::Alive => Error::Unresponsive(id),
            Settled::Ended(_) | Settled::NeverRan(_) | Settled::Lost(_) => {
                Error::NotTyped { id, refusal: Refusal::Ended }
            }
        })
    }
}
