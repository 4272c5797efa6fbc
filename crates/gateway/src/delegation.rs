//! Work that an agent hands on to others: each task in a session of its own, one turn long. What comes of them is one
//! report, owed from before any of them begins.

mod begin; // tasks are written down, and then begin
mod end; // a task ends with its turn
mod words; // what came of tasks, as texts

pub(crate) use begin::TurnDelegations;
pub(crate) use end::TaskEnd;
pub(crate) use words::{failure_note, id, work};

use std::sync::Arc;

use gatehouse_domain::{AbandonCause, SessionId};
use gatehouse_store::Snapshot;
use tokio::sync::oneshot;

use crate::core::Core;
use crate::error::{Error, Result};
use crate::session::Message;

/// Whether a session works on a task for another session's agent.
pub(crate) fn is_sub_agent(core: &Core, session: SessionId) -> Result<bool> {
    Ok(core.store.read(|s| s.tasks().get(session))?.is_some())
}

/// People speak with an agent, and not with those that work for it.
pub(crate) fn refuse_words(core: &Core, session: SessionId) -> Result<()> {
    if is_sub_agent(core, session)? {
        let words =
            "A sub-agent works here, and hears nobody. Nothing was sent; write in the session that it works for.";
        return Err(Error::Invalid(words.into()));
    }
    Ok(())
}

/// How many tasks of a session's lineage are at work.
pub(crate) fn at_work(rows: &Snapshot<'_>, session: SessionId) -> gatehouse_store::Result<usize> {
    let root = rows.sessions().get(session)?.map_or(session, |row| row.root);
    Ok(rows.tasks().running_of(root)?.len())
}

/// A person has drawn a line under a conversation: nobody waits any more for what its agent has handed on.
pub(crate) fn cancel(core: &Arc<Core>, owner: SessionId) {
    let core = Arc::clone(core);
    core.actors.tasks.clone().spawn(async move {
        if let Err(error) = stop_all(&core, owner).await {
            tracing::error!(session = %owner, "What was handed on could not be stopped: {error:#}");
        }
    });
}

async fn stop_all(core: &Arc<Core>, owner: SessionId) -> Result<()> {
    let running = core.store.read(|s| {
        let root = s.sessions().get(owner)?.map_or(owner, |row| row.root);
        s.tasks().running_of(root)
    })?;
    for task in running {
        // Its turn's end is what tells.
        let (reply, _) = oneshot::channel();
        let stop = Message::Stop { turn: None, cause: AbandonCause::NewSession, reply };
        core.actors.send(core, task.session, stop).await?;
    }
    Ok(())
}
