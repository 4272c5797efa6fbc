//! What a person does with messages that wait for their turn.

use gatehouse_domain::{AdmissionId, SessionId};
use tokio::sync::oneshot;

use super::{Gateway, check_words};
use crate::error::{Error, Result};
use crate::session::{Message, WAITING, unpause_empty};

impl Gateway {
    /// Gives a message that waits another wording.
    pub async fn edit_queued(&self, admission: AdmissionId, text: String) -> Result<()> {
        check_words(&text)?;
        let edited = self.0.store.write(move |tx| tx.admissions_mut().edit(admission, &text)).await?;
        found(edited)
    }

    /// Takes a message that waits back.
    pub async fn remove_queued(&self, admission: AdmissionId) -> Result<()> {
        self.session_of(admission)?;
        let removed = self.0.store.write(move |tx| {
            let Some(row) = tx.admissions().get(admission)? else { return Ok(false) };
            let removed = tx.admissions_mut().cancel(admission)?;
            unpause_empty(tx, row.session)?;
            Ok(removed)
        });
        found(removed.await?)
    }

    /// Puts a message that waits before another one, or last.
    pub async fn move_queued(&self, admission: AdmissionId, before: Option<AdmissionId>) -> Result<()> {
        found(self.0.store.write(move |tx| tx.admissions_mut().reorder(admission, before)).await?)
    }

    /// Hands a message that waits to the running turn, or begins a turn with it.
    pub async fn send_queued_now(&self, admission: AdmissionId) -> Result<()> {
        let session = self.session_of(admission)?;
        let (reply, answer) = oneshot::channel();
        self.0.actors.send(&self.0, session, Message::SendNow { admission, reply }).await?;
        answer.await.map_err(|_| Error::ShuttingDown)?
    }

    /// Goes on with a queue that a stop has paused.
    pub async fn resume_queue(&self, session: SessionId) -> Result<()> {
        self.0.require_session(session)?;
        let (reply, answer) = oneshot::channel();
        self.0.actors.send(&self.0, session, Message::GoOn { reply }).await?;
        answer.await.map_err(|_| Error::ShuttingDown)?
    }

    /// The session in whose queue a person's message waits.
    fn session_of(&self, admission: AdmissionId) -> Result<SessionId> {
        let row = self.0.store.read(|s| s.admissions().get(admission))?;
        row.filter(|row| row.is_waiting_message()).map(|row| row.session).ok_or(Error::NotFound(WAITING))
    }
}

fn found(found: bool) -> Result<()> {
    if found { Ok(()) } else { Err(Error::NotFound(WAITING)) }
}
