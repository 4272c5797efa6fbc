//! Reports that are due to this session: when they go, and the one transaction in which they do.

use gatehouse_delivery::{Decision, Next, Refusal, Refused, Situation, Verdict, Window, alike, classify, refused};
use gatehouse_domain::{
    ConsumedBy, DropReason, EpochMs, ItemId, Mono, Principal, ProcessNotices, Producer, SessionId, TurnCause, TurnId,
    UnitId, Wants, WorkState,
};
use gatehouse_fault::{Point, point};
use gatehouse_store::{NewItem, Tx, UnitRow};

use super::actor::{Actor, SETTLE_AGAIN};
use super::input::{Fresh, Input};
use super::lineage::Rows;
use super::message::Message;
use super::queue;
use crate::error::Result;
use crate::outbox::owe_notice;
use crate::process::plain;

/// What came of a delivery.
enum Delivered {
    /// A turn answers it.
    Begun(TurnId),
    /// Another session is the one to tell.
    Moved(SessionId),
    /// It waits, is told, or cannot be told.
    Settled,
}

impl Actor {
    pub(super) async fn deliver_due(&mut self) {
        if let Err(error) = self.try_deliver().await {
            tracing::error!(session = %self.session, "Reports cannot be delivered yet: {error:#}");
            self.look_later();
        }
    }

    /// What cannot be done now is tried again in a while, whether anybody speaks until then or not.
    pub(super) fn look_later(&mut self) {
        self.window = Some(Window::open(Mono(self.core.clock.mono().0 + SETTLE_AGAIN)));
    }

    async fn try_deliver(&mut self) -> Result<()> {
        if self.core.draining.is_cancelled() {
            // They stay due; the next start tells them.
            self.window = None;
            return Ok(());
        }
        let (session, wall) = (self.session, self.core.now());
        let (due, owed_elsewhere, queued, next) = self.core.store.read(|s| {
            let units = s.units();
            let queued = s.admissions().queued(session)?;
            Ok((units.due(session, wall)?, units.owed_elsewhere(session)?, queued, units.next_due(session, wall)?))
        })?;
        let (lines, mut due): (Vec<_>, Vec<_>) = due.into_iter().partition(|unit| unit.wants == Wants::Notice);
        // The running turn may be about to look at them itself.
        if self.running.is_none() && !lines.is_empty() {
            self.deliver(lines).await?;
        }
        let internal_turn_ahead = self.running.as_ref().is_some_and(|r| r.internal)
            || queued.iter().any(|a| a.cause == TurnCause::Completion);
        due.truncate(alike(&due.iter().map(|unit| unit.producer).collect::<Vec<_>>()));
        let now = self.core.clock.mono();
        let situation = Situation { due: due.len(), owed_elsewhere, internal_turn_ahead, window: self.window, now };
        match situation.decide() {
            Decision::Rest => self.window = next.map(|at| put_off(now, wall, at)),
            Decision::Hold => self.window = None,
            // The open window wakes the actor then.
            Decision::Until(_) => {}
            Decision::Deliver => {
                self.window = None;
                self.deliver(due).await?;
            }
        }
        Ok(())
    }

    /// One transaction: who is to be told, and that they are.
    async fn deliver(&mut self, due: Vec<UnitRow>) -> Result<()> {
        let handover = Handover {
            session: self.session,
            fresh: Fresh::ids(&self.core, self.session),
            lines: due.iter().map(|_| ItemId::from_uuid(self.core.ids.fresh())).collect(),
            idle: self.running.is_none(),
            wanted: self.core.config().process_notices,
            draining: self.core.draining.clone(),
        };
        point(Point::HandoverBefore);
        let delivered = self.core.store.write(move |tx| handover.carry_out(tx, &due)).await?;
        point(Point::HandoverAfter);
        match delivered {
            Delivered::Begun(turn) => self.begin(turn, true).await,
            Delivered::Moved(to) => self.core.actors.send(&self.core, to, Message::ReportDue).await?,
            Delivered::Settled => self.look_again(),
        }
        Ok(())
    }

    /// What was put off is due at its time.
    fn look_again(&mut self) {
        let (wall, now) = (self.core.now(), self.core.clock.mono());
        match self.core.store.read(|s| s.units().next_due(self.session, wall)) {
            Ok(next) => self.window = self.window.or_else(|| next.map(|at| put_off(now, wall, at))),
            Err(error) => tracing::error!(session = %self.session, "Reports cannot be read: {error:#}"),
        }
    }
}

/// Gives what a session is owed to the one that is to be told, where nobody is woken to do so: a person writes to no
/// sub-agent. It is told there with what waits.
pub(crate) fn hand_up(tx: &Tx<'_>, session: SessionId) -> gatehouse_store::Result<()> {
    let to = match classify(&Rows(tx), session)? {
        Verdict::Deliver(to) | Verdict::Note(to) if to != session => to,
        Verdict::Deliver(_) | Verdict::Note(_) | Verdict::Nobody | Verdict::Later => return Ok(()),
    };
    let is_due = |unit: &UnitRow| {
        unit.session == session && unit.work == WorkState::Finished && !unit.held && unit.wants == Wants::Turn
    };
    let owed = tx.units().pending_of(session)?;
    let owed: Vec<UnitId> = owed.iter().filter(|unit| is_due(unit)).map(|unit| unit.id).collect();
    tx.units_mut().move_to(&owed, to)?;
    Ok(())
}

fn is_plain(due: &[UnitRow]) -> bool {
    due.iter().all(|unit| unit.wants == Wants::Notice)
}

/// A window that closes when something that was put off is due.
fn put_off(now: Mono, wall: EpochMs, at: EpochMs) -> Window {
    Window::open(Mono(now.0 + std::time::Duration::from_millis(at.since(wall))))
}

/// Reports on their way into a session.
struct Handover {
    session: SessionId,
    fresh: Fresh,
    lines: Vec<ItemId>,
    idle: bool,
    wanted: ProcessNotices,
    draining: tokio_util::sync::CancellationToken,
}

impl Handover {
    fn carry_out(&self, tx: &Tx<'_>, due: &[UnitRow]) -> gatehouse_store::Result<Delivered> {
        if self.draining.is_cancelled() {
            return Ok(Delivered::Settled);
        }
        match classify(&Rows(tx), self.session)? {
            // What only a person reads stays where the work was done.
            Verdict::Deliver(to) | Verdict::Note(to)
                if to != self.session && is_plain(due) && self.is_handed(tx)? =>
            {
                self.tell(tx, due)
            }
            Verdict::Deliver(to) | Verdict::Note(to) if to != self.session => {
                tx.units_mut().move_to(&due.iter().map(|unit| unit.id).collect::<Vec<_>>(), to)?;
                Ok(Delivered::Moved(to))
            }
            Verdict::Deliver(_) => self.tell(tx, due),
            Verdict::Note(_) => self.note(tx, due),
            Verdict::Nobody => {
                for (unit, item) in due.iter().zip(&self.lines) {
                    self.nobody(tx, unit, *item)?;
                }
                Ok(Delivered::Settled)
            }
            Verdict::Later => self.refuse(tx, due, Refusal::Passing),
        }
    }

    /// Whether it works on a task for another session's agent.
    fn is_handed(&self, tx: &Tx<'_>) -> gatehouse_store::Result<bool> {
        Ok(tx.tasks().get(self.session)?.is_some())
    }

    /// Reports that ask for a turn get one, or wait for it in the queue; the others become lines.
    fn tell(&self, tx: &Tx<'_>, due: &[UnitRow]) -> gatehouse_store::Result<Delivered> {
        let asking = self.asking(tx, due)?;
        if asking.is_empty() {
            return Ok(Delivered::Settled);
        }
        if queue::is_full(tx, self.session)? {
            return self.refuse(tx, due, Refusal::Passing);
        }
        let Some(input) = self.admit(tx, &asking)? else { return Ok(Delivered::Settled) };
        if self.idle && queue::is_free_for(tx, self.session, self.fresh.admission)? {
            self.fresh.start(tx, self.fresh.admission, &input)?;
            return Ok(Delivered::Begun(self.fresh.turn));
        }
        tx.touch_session(self.session)?;
        Ok(Delivered::Settled)
    }

    /// What asks for a turn. The others become lines, and what nobody wants to be told is put away.
    fn asking<'u>(&self, tx: &Tx<'_>, due: &'u [UnitRow]) -> gatehouse_store::Result<Vec<&'u UnitRow>> {
        for (unit, item) in due.iter().zip(&self.lines).filter(|(unit, _)| unit.wants == Wants::Notice) {
            self.tell_person(tx, unit, *item)?;
        }
        let mut asking: Vec<&UnitRow> = due.iter().filter(|unit| unit.wants == Wants::Turn).collect();
        if self.wanted == ProcessNotices::Off {
            for unit in asking.extract_if(.., |unit| matches!(unit.producer, Producer::Watch | Producer::Heartbeat)) {
                tx.units_mut().consume(unit.id, ConsumedBy::Off)?;
            }
        }
        Ok(asking)
    }

    /// Behind a person's line nobody waits for it. What only a person would have read stays where it was begun.
    fn nobody(&self, tx: &Tx<'_>, unit: &UnitRow, item: ItemId) -> gatehouse_store::Result<()> {
        match unit.wants {
            Wants::Turn => tx.units_mut().drop_(unit.id, DropReason::TargetGone).map(|_| ()),
            Wants::Notice => self.tell_person(tx, unit, item),
        }
    }

    fn tell_person(&self, tx: &Tx<'_>, unit: &UnitRow, item: ItemId) -> gatehouse_store::Result<()> {
        match plain::line(unit, self.wanted) {
            Some(words) => self.line(tx, unit, item, words),
            None => tx.units_mut().consume(unit.id, ConsumedBy::Off).map(|_| ()),
        }
    }

    /// A closed conversation keeps what asks for a turn as one note, and nothing begins.
    fn note(&self, tx: &Tx<'_>, due: &[UnitRow]) -> gatehouse_store::Result<Delivered> {
        let asking = self.asking(tx, due)?;
        if !asking.is_empty() && self.admit(tx, &asking)?.is_some() {
            self.fresh.note(tx)?;
        }
        Ok(Delivered::Settled)
    }

    /// The reports become part of one input; nothing if all of them were told another way since they were read.
    fn admit(&self, tx: &Tx<'_>, units: &[&UnitRow]) -> gatehouse_store::Result<Option<Input>> {
        let ids: Vec<_> = units.iter().map(|unit| unit.id).collect();
        let key = units.iter().map(|unit| unit.identity.as_str()).collect::<Vec<_>>().join(" ");
        let category = units.iter().map(|unit| unit.category).min().unwrap_or(gatehouse_domain::Category::Result);
        let input = Input { cause: TurnCause::Completion, key, text: String::new(), retry_of: None, category };
        let new = self.fresh.admission(Principal::Gateway, &input);
        tx.admissions_mut().insert(&new)?;
        if tx.units_mut().deliver(&ids, new.id)? == 0 {
            tx.admissions_mut().cancel(new.id)?;
            return Ok(None);
        }
        Ok(Some(input))
    }

    fn refuse(&self, tx: &Tx<'_>, due: &[UnitRow], refusal: Refusal) -> gatehouse_store::Result<Delivered> {
        for (unit, item) in due.iter().zip(&self.lines) {
            let before = Refused { times: unit.refusals, counted: unit.attempts };
            match refused(unit.producer, refusal, before) {
                Next::Again { after, counts } => {
                    tx.units_mut().refused(unit.id, self.fresh.at.after(after), counts)?;
                }
                Next::Notice => self.line(tx, unit, *item, plain::instead(unit, self.wanted))?,
                Next::Drop(reason) => tx.units_mut().drop_(unit.id, reason).map(|_| ())?,
            }
        }
        Ok(Delivered::Settled)
    }

    fn line(&self, tx: &Tx<'_>, unit: &UnitRow, item: ItemId, text: String) -> gatehouse_store::Result<()> {
        if tx.units_mut().told(unit.id)? {
            owe_notice(tx, self.session, &text, unit.category, self.fresh.at)?;
            tx.items_mut().insert(&NewItem::notice(item, self.session, text, self.fresh.at))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod promise; // whatever happens in between, each report ends once
#[cfg(test)]
mod window; // what is being collected at a shutdown
