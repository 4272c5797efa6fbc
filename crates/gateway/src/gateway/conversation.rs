//! Where conversations begin anew or are closed.

use gatehouse_domain::SessionId;
use tokio::sync::oneshot;

use super::Gateway;
use crate::delegation;
use crate::error::{Error, Result};
use crate::session::{Asked, Message};

impl Gateway {
    /// A person draws a line under a conversation: it ends, and a new one takes its place on the same lane.
    pub async fn begin_anew(&self, session: SessionId) -> Result<SessionId> {
        self.draw_line(session, None).await
    }

    /// The same, as a command that is accepted if it is carried out.
    pub(crate) async fn draw_line(&self, session: SessionId, asked: Option<Asked>) -> Result<SessionId> {
        self.core().require_session(session)?;
        delegation::refuse_words(self.core(), session)?;
        let (reply, answer) = oneshot::channel();
        self.core().actors.send(self.core(), session, Message::BeginAnew { asked, reply }).await?;
        answer.await.map_err(|_| Error::ShuttingDown)?
    }

    /// A person closes a conversation: what is still reported enters it, but begins nothing. Writing opens it again.
    pub async fn close_session(&self, session: SessionId) -> Result<()> {
        self.core().require_session(session)?;
        delegation::refuse_words(self.core(), session)?;
        let (reply, answer) = oneshot::channel();
        self.core().actors.send(self.core(), session, Message::Close { reply }).await?;
        answer.await.map_err(|_| Error::ShuttingDown)?
    }
}
