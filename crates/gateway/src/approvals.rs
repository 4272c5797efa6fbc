//! Questions that wait for a person. The row decides who was first; the desk only wakes the asker.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gatehouse_agent::Verdict;
use gatehouse_domain::{
    ApprovalChoice, ApprovalId, ApprovalState, Author, CardAnnotation, EpochMs, ItemId, ItemKind, SessionId, TurnId,
};
use gatehouse_store::{NewApproval, NewItem, NewNotice, Tx};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::core::Core;
use crate::error::{Error, Result};
use crate::notice;
use crate::session::AT_WORK;

/// A session's row shows so much of the command.
const SUMMARY_CHARS: usize = 100;

/// The lock guards the map only.
#[derive(Debug, Default)]
pub(crate) struct ApprovalDesk {
    waiting: Mutex<HashMap<ApprovalId, oneshot::Sender<ApprovalState>>>,
}

/// What is asked.
pub(crate) struct Question<'a> {
    pub session: SessionId,
    pub turn: TurnId,
    pub card: ItemId,
    pub command: &'a str,
    pub cwd: &'a Path,
    pub wait: Duration,
}

impl ApprovalDesk {
    /// Asks, and waits for an answer, the deadline or the turn's end. Silence is not consent.
    pub async fn ask(&self, core: &Core, question: Question<'_>, cancel: &CancellationToken) -> Result<Verdict> {
        let approval = ApprovalId::from_uuid(core.ids.fresh());
        let answer = self.wait_for(approval);
        // Whoever asks may be dropped with its turn; the turn's last transaction then withdraws the question.
        let _waiting = Waiting { desk: self, approval };
        self.open(core, approval, &question).await?;
        let state = tokio::select! {
            answered = answer => answered.unwrap_or(ApprovalState::Withdrawn),
            () = tokio::time::sleep(question.wait) => self.end(core, approval, ApprovalState::Expired).await?,
            () = cancel.cancelled() => self.end(core, approval, ApprovalState::Withdrawn).await?,
        };
        Ok(match state {
            ApprovalState::Allowed => Verdict::Allowed,
            ApprovalState::Denied => Verdict::Denied,
            ApprovalState::Expired => Verdict::Expired,
            ApprovalState::Pending | ApprovalState::Withdrawn => Verdict::Withdrawn,
        })
    }

    /// A person answers; only the first answer counts.
    pub async fn answer(&self, core: &Core, approval: ApprovalId, choice: ApprovalChoice) -> Result<()> {
        let state = match choice {
            ApprovalChoice::Once => ApprovalState::Allowed,
            ApprovalChoice::Deny => ApprovalState::Denied,
            ApprovalChoice::Session | ApprovalChoice::Always | ApprovalChoice::Pattern => {
                return Err(Error::Invalid(format!(
                    "\"{choice}\" cannot be answered here yet; answer once or deny. Nothing was decided."
                )));
            }
        };
        let row = core.store.read(|s| s.approvals().get(approval))?.ok_or(Error::NotFound("approval"))?;
        // Without an asker its turn is ending, and a late yes must not look as if it had run something.
        if !self.is_asked(approval) || !close(core, approval, row.card, state).await? {
            let now = core.store.read(|s| s.approvals().get(approval))?.map_or(row.state, |r| r.state);
            return Err(Error::ApprovalClosed(closed_words(now).to_owned()));
        }
        if let Some(asker) = self.forget(approval) {
            // The asker may just have gone with its turn; the row says what was answered.
            let _gone = asker.send(state);
        }
        Ok(())
    }

    async fn open(&self, core: &Core, approval: ApprovalId, question: &Question<'_>) -> Result<()> {
        let (item, at) = (ItemId::from_uuid(core.ids.fresh()), core.now());
        let new = NewApproval {
            id: approval,
            item,
            session: question.session,
            turn: question.turn,
            card: question.card,
            command: question.command.to_owned(),
            exact: String::new(),
            purpose: None,
            dangers: String::new(),
            suggested: None,
            takes_pattern: false,
            cwd: question.cwd.display().to_string(),
            created_at: at,
            expires_at: at.after(question.wait),
        };
        let entry = NewItem {
            id: item,
            session: question.session,
            turn: Some(question.turn),
            author: Author::System,
            kind: ItemKind::Approval,
            text: String::new(),
            streaming: false,
            failure: None,
            retryable: false,
            admission: None,
            at,
        };
        let notice = notice::asked(core, &new);
        core.store
            .write(move |tx| {
                let seq = Some(tx.items_mut().insert(&entry)?);
                tx.approvals_mut().insert(&new)?;
                tx.notices_mut().insert(&NewNotice { seq, ..notice })?;
                summarise(tx, new.session, at)?;
                tx.cards_mut().annotate(new.card, Some(CardAnnotation::NeedsInput))
            })
            .await?;
        Ok(())
    }

    /// Ends a question that nobody answered; an answer that came first stands.
    async fn end(&self, core: &Core, approval: ApprovalId, state: ApprovalState) -> Result<ApprovalState> {
        let row = core.store.read(|s| s.approvals().get(approval))?.ok_or(Error::NotFound("approval"))?;
        if close(core, approval, row.card, state).await? {
            return Ok(state);
        }
        Ok(core.store.read(|s| s.approvals().get(approval))?.map_or(state, |r| r.state))
    }

    fn wait_for(&self, approval: ApprovalId) -> oneshot::Receiver<ApprovalState> {
        let (sender, receiver) = oneshot::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(approval, sender);
        receiver
    }

    fn is_asked(&self, approval: ApprovalId) -> bool {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&approval)
    }

    fn forget(&self, approval: ApprovalId) -> Option<oneshot::Sender<ApprovalState>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&approval)
    }
}

/// Leaves the desk when nobody waits any more.
struct Waiting<'a> {
    desk: &'a ApprovalDesk,
    approval: ApprovalId,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.desk.forget(self.approval);
    }
}

/// A turn that ends leaves no question open.
pub(crate) fn withdraw_open(tx: &Tx<'_>, session: SessionId, turn: TurnId, at: EpochMs) -> gatehouse_store::Result<()> {
    for row in tx.approvals().pending(session)?.iter().filter(|row| row.turn == turn) {
        tx.approvals_mut().close(row.id, ApprovalState::Withdrawn, at)?;
    }
    Ok(())
}

/// A session's row says what is asked first, or that its turn goes on.
fn summarise(tx: &Tx<'_>, session: SessionId, at: EpochMs) -> gatehouse_store::Result<()> {
    let asked = tx.approvals().pending(session)?.into_iter().next().map(|row| {
        let line: String = row.command.lines().next().unwrap_or_default().chars().take(SUMMARY_CHARS).collect();
        format!("Allow a command: {line}")
    });
    tx.sessions_mut().set_summary(session, asked.as_deref().unwrap_or(AT_WORK), false, at)
}

async fn close(core: &Core, approval: ApprovalId, card: ItemId, state: ApprovalState) -> Result<bool> {
    let at = core.now();
    let first = core.store.write(move |tx| {
        let first = tx.approvals_mut().close(approval, state, at)?;
        if first {
            tx.cards_mut().annotate(card, None)?;
            if let Some(row) = tx.approvals().get(approval)? {
                summarise(tx, row.session, at)?;
            }
        }
        Ok(first)
    });
    Ok(first.await?)
}

const fn closed_words(state: ApprovalState) -> &'static str {
    match state {
        ApprovalState::Pending | ApprovalState::Withdrawn => "its turn has ended, so the command did not run",
        ApprovalState::Allowed => "it was allowed before",
        ApprovalState::Denied => "it was denied before",
        ApprovalState::Expired => "nobody answered in time, so the command did not run",
    }
}
