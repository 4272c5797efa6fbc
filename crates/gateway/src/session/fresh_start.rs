//! A person draws a line under a conversation: a new one on the same lane, or none for now.

use gatehouse_domain::{AbandonCause, DeliveryState, DropReason, EndReason, ItemId, SessionId, TurnCause};
use gatehouse_store::{NewItem, NewSession, Tx, UnitRow};

use super::actor::Actor;
use super::asked::{Asked, Before};
use crate::core::Core;
use crate::delegation;
use crate::error::{Error, Result};

/// Whether a session takes no more words and commands. One that its person has closed is opened by them.
pub(crate) fn has_ended(tx: &Tx<'_>, session: SessionId) -> gatehouse_store::Result<bool> {
    if tx.sessions_mut().reopen(session)? {
        return Ok(false);
    }
    Ok(tx.sessions().get(session)?.is_some_and(|row| row.end_reason.is_some()))
}

impl Actor {
    /// One transaction: this session ends, another one begins on its lane, and nobody is told behind the line what
    /// belongs before it. What people had put into the queue goes along, and waits until they say so.
    pub(super) async fn begin_anew(&mut self, asked: Option<Asked>) -> Result<SessionId> {
        let session = self.session;
        let anew = Anew::of(&self.core, session)?;
        let began = self.core.store.write(move |tx| {
            if !anew.begin(tx)? {
                return match asked.map(|asked| asked.before(tx)).transpose()?.flatten() {
                    Some(Before::Same(_)) => tx.routes().current(&anew.next.route),
                    Some(Before::Other) | None => Ok(None),
                };
            }
            asked.map_or(Ok(()), |asked| asked.accept(tx))?;
            Ok(Some(anew.next.id))
        });
        let next = began.await?.ok_or(Error::SessionEnded)?;
        self.stop(AbandonCause::NewSession);
        delegation::cancel(&self.core, session);
        self.window = None;
        Ok(next)
    }

    /// Nothing begins here any more until its person writes again.
    pub(super) async fn close(&mut self) -> Result<()> {
        let (session, at) = (self.session, self.core.now());
        if self.running.is_some() {
            return Err(Error::Invalid("A turn is running here. Stop it, then close the session.".into()));
        }
        self.core.store.write(move |tx| tx.sessions_mut().end(session, EndReason::Closed, at)).await?;
        Ok(())
    }
}

/// What a new beginning writes.
pub(super) struct Anew {
    pub old: SessionId,
    pub next: NewSession,
    pub farewell: NewItem,
}

impl Anew {
    fn of(core: &Core, old: SessionId) -> Result<Self> {
        let row = core.store.read(|s| s.sessions().get(old))?.ok_or(Error::NotFound("session"))?;
        let at = core.now();
        let next = NewSession {
            id: SessionId::from_uuid(core.ids.fresh()),
            title: String::new(),
            client_key: None,
            route: row.route,
            delegated_from: None,
            at,
        };
        let words = "This session ended here, and a new one began.".to_owned();
        let farewell = NewItem::notice(ItemId::from_uuid(core.ids.fresh()), old, words, at);
        Ok(Self { old, next, farewell })
    }

    pub fn begin(&self, tx: &Tx<'_>) -> gatehouse_store::Result<bool> {
        if !tx.sessions_mut().end(self.old, EndReason::NewSession, self.next.at)? {
            return Ok(false);
        }
        tx.sessions_mut().insert(&self.next)?;
        // Reports, and what is to be tried again, belong before the line.
        for admission in tx.admissions().queued(self.old)?.into_iter().filter(|a| a.cause != TurnCause::Human) {
            for unit in tx.units().by_admission(admission.id)? {
                tx.units_mut().recall(unit.id)?;
            }
            tx.admissions_mut().cancel(admission.id)?;
        }
        let root = tx.sessions().get(self.old)?.map_or(self.old, |row| row.root);
        for unit in tx.units().pending_of(root)?.iter().filter(|unit| is_over(unit)) {
            tx.units_mut().drop_(unit.id, DropReason::TargetGone)?;
        }
        if tx.admissions_mut().move_people(self.old, self.next.id)? > 0 {
            tx.sessions_mut().pause_queue(self.next.id, true)?;
        }
        tx.items_mut().insert(&self.farewell)?;
        Ok(true)
    }
}

/// What still runs is told when it ends, and then to nobody: until then it can still be looked at or waited for.
fn is_over(unit: &UnitRow) -> bool {
    unit.delivery == DeliveryState::Pending && unit.work == gatehouse_domain::WorkState::Finished
}
