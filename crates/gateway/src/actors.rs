//! One actor per session, made when somebody first speaks to it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use gatehouse_domain::SessionId;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use crate::core::Core;
use crate::error::{Error, Result};
use crate::session::{self, Begin, Message};

/// Messages that wait for one session's actor. Commands wait for room; nothing is dropped.
const MAILBOX: usize = 256;

/// The lock guards the map only.
#[derive(Debug, Default)]
pub(crate) struct Actors {
    mailboxes: Mutex<HashMap<SessionId, mpsc::Sender<Message>>>,
    pub tasks: TaskTracker,
}

impl Actors {
    /// Hands a message to a session's actor.
    pub async fn send(&self, core: &Arc<Core>, session: SessionId, message: Message) -> Result<()> {
        if core.draining.is_cancelled() && message.begins_work() {
            return Err(Error::ShuttingDown);
        }
        let mailbox = self.mailbox(core, session);
        mailbox.send(message).await.map_err(|_| Error::ShuttingDown)
    }

    /// Whether a session has an actor.
    pub fn has(&self, session: SessionId) -> bool {
        let mailboxes = self.mailboxes.lock().unwrap_or_else(PoisonError::into_inner);
        mailboxes.get(&session).is_some_and(|mailbox| !mailbox.is_closed())
    }

    fn mailbox(&self, core: &Arc<Core>, session: SessionId) -> mpsc::Sender<Message> {
        let mut mailboxes = self.mailboxes.lock().unwrap_or_else(PoisonError::into_inner);
        let known = mailboxes.get(&session);
        if let Some(mailbox) = known.filter(|m| !m.is_closed()) {
            return mailbox.clone();
        }
        let begin = if known.is_some() { Begin::FromRows } else { Begin::Fresh };
        let (sender, receiver) = mpsc::channel(MAILBOX);
        self.tasks.spawn(watch(Arc::clone(core), session, receiver, begin));
        mailboxes.insert(session, sender.clone());
        sender
    }
}

/// An actor that ends badly is begun again from its rows.
async fn watch(core: Arc<Core>, session: SessionId, mailbox: mpsc::Receiver<Message>, begin: Begin) {
    let actor = tokio::spawn(session::run(Arc::clone(&core), session, mailbox, begin));
    if let Err(error) = actor.await {
        tracing::error!(%session, "A session's actor ended badly: {error}");
        again(core, session).await;
    }
}

fn again(core: Arc<Core>, session: SessionId) -> BoxFuture<'static, ()> {
    async move {
        if let Err(error) = core.actors.send(&core, session, Message::Resume).await {
            tracing::warn!(%session, "A session's actor could not begin again: {error}");
        }
    }
    .boxed()
}
