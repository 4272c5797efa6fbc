//! Questions that wait for a person. The row decides who was first; the desk only wakes the asker.

mod rule; // answers that last

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gatehouse_agent::{Question, Verdict};
use gatehouse_domain::{
    AnsweredBy, ApprovalChoice, ApprovalId, ApprovalState, Author, CardAnnotation, EpochMs, ItemId, ItemKind, RuleId,
    SessionId, TurnId,
};
use gatehouse_store::{Answer, ApprovalRow, NewApproval, NewItem, NewNotice, Tx};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::core::Core;
use crate::error::{Error, Result};
use crate::notice;
use crate::session::AT_WORK;

/// A session's row shows so much of the command.
const SUMMARY_CHARS: usize = 100;

/// As much of a reason as a model is told.
const REASON_CHARS: usize = 2000;

/// Who waits for which answer.
type Askers = HashMap<ApprovalId, oneshot::Sender<()>>;

/// The lock guards the map only.
#[derive(Debug, Default)]
pub(crate) struct ApprovalDesk {
    waiting: Arc<Mutex<Askers>>,
}

/// Who asks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asker {
    pub session: SessionId,
    pub turn: TurnId,
}

/// What a person answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The choice.
    pub choice: ApprovalChoice,
    /// For a pattern: which.
    pub pattern: Option<String>,
    /// For a refusal: why, for the model.
    pub reason: Option<String>,
}

impl Reply {
    /// A choice that needs no more words.
    pub const fn plain(choice: ApprovalChoice) -> Self {
        Self { choice, pattern: None, reason: None }
    }
}

/// What became of a question when it was to be asked.
enum Opened {
    /// A rule covers it, so nobody is asked.
    Covered(RuleId),
    Asked,
}

impl ApprovalDesk {
    /// Looks for a rule; without one asks, and waits for an answer, the deadline or the turn's end. Silence is not
    /// consent.
    pub async fn ask(
        &self,
        core: &Core,
        asker: Asker,
        question: Question<'_>,
        cancel: &CancellationToken,
    ) -> Result<Verdict> {
        let approval = ApprovalId::from_uuid(core.ids.fresh());
        let answered = self.wait_for(approval);
        // Whoever asks may be dropped with its turn; the turn's last transaction then withdraws the question.
        let _waiting = Waiting { desk: self, approval };
        let wait = question.wait;
        match self.open(core, approval, asker, question).await? {
            Opened::Covered(rule) => return Ok(Verdict::Allowed { rule: Some(rule) }),
            Opened::Asked => {}
        }
        // An answer that came first stands, also when it came between a deadline and what ends the question then.
        tokio::select! {
            _ = answered => {}
            () = tokio::time::sleep(wait) => close(core, approval, ApprovalState::Expired).await?,
            () = cancel.cancelled() => close(core, approval, ApprovalState::Withdrawn).await?,
        }
        let row = core.store.read(|s| s.approvals().get(approval))?.ok_or(Error::NotFound("approval"))?;
        Ok(match row.state {
            ApprovalState::Allowed => Verdict::Allowed { rule: row.rule },
            ApprovalState::Denied => Verdict::Denied { reason: row.reason },
            ApprovalState::Expired => Verdict::Expired,
            ApprovalState::Pending | ApprovalState::Withdrawn => Verdict::Withdrawn,
        })
    }

    /// A person answers; only the first answer counts. An answer that lasts also answers what else it covers.
    pub async fn answer(&self, core: &Core, approval: ApprovalId, reply: Reply) -> Result<()> {
        let row = core.store.read(|s| s.approvals().get(approval))?.ok_or(Error::NotFound("approval"))?;
        // Without an asker its turn is ending, and a late yes must not look as if it had run something.
        if row.state != ApprovalState::Pending || !is_asked(&self.waiting, approval) {
            return Err(closed(row.state));
        }
        let at = core.now();
        let rule = rule::made_by(RuleId::from_uuid(core.ids.fresh()), &reply, &row, at)?;
        let answer = Answer {
            choice: reply.choice,
            by: AnsweredBy::Person,
            pattern: rule.as_ref().filter(|_| reply.choice == ApprovalChoice::Pattern).map(|rule| rule.text.clone()),
            reason: reply.reason.filter(|_| reply.choice == ApprovalChoice::Deny).as_deref().and_then(told),
            rule: None,
        };
        let waiting = Arc::clone(&self.waiting);
        let answered = core.store.write(move |tx| {
            if !is_asked(&waiting, approval) || !tx.approvals_mut().answer(approval, &answer, at)? {
                return Ok(None);
            }
            settle(tx, &row, at)?;
            let Some(rule) = rule else { return Ok(Some(Vec::new())) };
            tx.rules_mut().insert(&rule)?;
            rule::answer_covered(tx, answer.choice, |id| is_asked(&waiting, id), at).map(Some)
        });
        let Some(covered) = answered.await? else {
            let now = core.store.read(|s| s.approvals().get(approval))?;
            return Err(closed(now.map_or(ApprovalState::Withdrawn, |row| row.state)));
        };
        for id in std::iter::once(approval).chain(covered) {
            if let Some(asker) = self.forget(id) {
                // The asker may just have gone with its turn; the row says what was answered.
                let _gone = asker.send(());
            }
        }
        Ok(())
    }

    async fn open(&self, core: &Core, approval: ApprovalId, asker: Asker, question: Question<'_>) -> Result<Opened> {
        let (item, at) = (ItemId::from_uuid(core.ids.fresh()), core.now());
        let new = NewApproval {
            id: approval,
            item,
            session: asker.session,
            turn: asker.turn,
            card: question.card,
            command: question.shown,
            exact: question.command.to_owned(),
            cwd: question.cwd.display().to_string(),
            purpose: question.purpose,
            dangers: question.dangers.join("\n"),
            suggested: question.suggested,
            takes_pattern: question.takes_pattern,
            created_at: at,
            expires_at: at.after(question.wait),
        };
        let entry = NewItem {
            id: item,
            session: asker.session,
            turn: Some(asker.turn),
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
        let opened = core.store.write(move |tx| {
            // In the transaction that asks, so that a rule made meanwhile is not missed.
            if let Some(rule) = rule::covering(tx, new.session, &new.exact, &new.cwd)? {
                return Ok(Opened::Covered(rule));
            }
            let seq = Some(tx.items_mut().insert(&entry)?);
            tx.approvals_mut().insert(&new)?;
            tx.notices_mut().insert(&NewNotice { seq, ..notice })?;
            summarise(tx, new.session, at)?;
            tx.cards_mut().annotate(new.card, Some(CardAnnotation::NeedsInput))?;
            Ok(Opened::Asked)
        });
        Ok(opened.await?)
    }

    fn wait_for(&self, approval: ApprovalId) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(approval, sender);
        receiver
    }

    fn forget(&self, approval: ApprovalId) -> Option<oneshot::Sender<()>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&approval)
    }
}

fn is_asked(waiting: &Mutex<Askers>, approval: ApprovalId) -> bool {
    waiting.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&approval)
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

/// What else a closed question changes: its card waits no more, and its session's row goes on.
fn settle(tx: &Tx<'_>, row: &ApprovalRow, at: EpochMs) -> gatehouse_store::Result<()> {
    tx.cards_mut().annotate(row.card, None)?;
    summarise(tx, row.session, at)
}

/// Ends a question that nobody answered; an answer that came first stands.
async fn close(core: &Core, approval: ApprovalId, state: ApprovalState) -> Result<()> {
    let at = core.now();
    let closed = core.store.write(move |tx| {
        if tx.approvals_mut().close(approval, state, at)?
            && let Some(row) = tx.approvals().get(approval)?
        {
            settle(tx, &row, at)?;
        }
        Ok(())
    });
    Ok(closed.await?)
}

/// The call begins because of a rule: that is counted, and its card says so.
pub(crate) fn count_rule(tx: &Tx<'_>, card: ItemId, rule: RuleId, at: EpochMs) -> gatehouse_store::Result<()> {
    if tx.rules_mut().used(rule, at)?
        && let Some(row) = tx.rules().get(rule)?
    {
        tx.cards_mut().note(card, &rule::note(row.kind, &row.text))?;
    }
    Ok(())
}

/// A reason as the model is told it.
fn told(reason: &str) -> Option<String> {
    let plain: String = reason.trim().chars().filter(|c| *c == '\n' || !c.is_control()).take(REASON_CHARS).collect();
    (!plain.is_empty()).then_some(plain)
}

fn closed(state: ApprovalState) -> Error {
    Error::ApprovalClosed(closed_words(state).to_owned())
}

const fn closed_words(state: ApprovalState) -> &'static str {
    match state {
        ApprovalState::Pending | ApprovalState::Withdrawn => "its turn has ended, so the command did not run",
        ApprovalState::Allowed => "it was allowed before",
        ApprovalState::Denied => "it was denied before",
        ApprovalState::Expired => "nobody answered in time, so the command did not run",
    }
}

#[cfg(test)]
mod tests;
