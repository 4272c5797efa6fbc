//! Reports that are due to this session: when they go, and the one transaction in which they do.

use gatehouse_delivery::{Decision, Situation, Window, alike};
use gatehouse_domain::{Mono, Principal, TurnCause};
use gatehouse_store::UnitRow;

use super::actor::{Actor, SETTLE_AGAIN};
use super::input::{Fresh, Input};
use super::queue;
use crate::error::Result;

impl Actor {
    pub(super) async fn deliver_due(&mut self) {
        if let Err(error) = self.try_deliver().await {
            tracing::error!(session = %self.session, "Reports cannot be delivered yet: {error:#}");
            let later = Mono(self.core.clock.mono().0 + SETTLE_AGAIN);
            self.window = Some(Window::open(later));
        }
    }

    async fn try_deliver(&mut self) -> Result<()> {
        if self.core.draining.is_cancelled() {
            // They stay due; the next start tells them.
            self.window = None;
            return Ok(());
        }
        let session = self.session;
        let (mut due, owed_elsewhere, queued) = self.core.store.read(|s| {
            Ok((s.units().due(session)?, s.units().owed_elsewhere(session)?, s.admissions().queued(session)?))
        })?;
        let internal_turn_ahead = self.running.as_ref().is_some_and(|r| r.internal)
            || queued.iter().any(|a| a.cause == TurnCause::Completion);
        due.truncate(alike(&due.iter().map(|unit| unit.producer).collect::<Vec<_>>()));
        let now = self.core.clock.mono();
        let situation = Situation { due: due.len(), owed_elsewhere, internal_turn_ahead, window: self.window, now };
        match situation.decide() {
            Decision::Rest | Decision::Hold => self.window = None,
            // The open window wakes the actor then.
            Decision::Until(_) => {}
            Decision::Deliver => {
                self.window = None;
                self.deliver(due).await?;
            }
        }
        Ok(())
    }

    /// One transaction: the reports are delivered, and either noted with a turn to answer them, or queued.
    async fn deliver(&mut self, due: Vec<UnitRow>) -> Result<()> {
        let session = self.session;
        let fresh = Fresh::ids(&self.core, session);
        let idle = self.running.is_none();
        let started = self.core.store.write(move |tx| {
            let ids: Vec<_> = due.iter().map(|u| u.id).collect();
            let key = due.iter().map(|u| u.identity.as_str()).collect::<Vec<_>>().join(" ");
            let input = Input { cause: TurnCause::Completion, key, text: String::new(), retry_of: None };
            let new = fresh.admission(Principal::Gateway, &input);
            tx.admissions_mut().insert(&new)?;
            if tx.units_mut().deliver(&ids, new.id)? == 0 {
                // All of them were told another way since they were read.
                tx.admissions_mut().cancel(new.id)?;
                return Ok(None);
            }
            if idle && queue::is_free_for(tx, session, new.id)? {
                fresh.start(tx, new.id, &input)?;
                return Ok(Some(fresh.turn));
            }
            tx.touch_session(session)?;
            Ok(None)
        });
        if let Some(turn) = started.await? {
            self.begin(turn, true).await;
        }
        Ok(())
    }
}
