//! What comes in over a channel: whose conversation it is, and what the house answers at once.

use std::sync::Arc;

use gatehouse_channel::{Letter, Parcel, write_origin};
use gatehouse_delivery::{LocalTime, Resets, reset};
use gatehouse_domain::{
    AdmissionId, Arrival, EndReason, EpochMs, Principal, RouteKey, SessionId, Sharing, Target, TurnId,
};
use gatehouse_store::{AdmissionRow, IncomingRow, NewSession, SessionRow, Snapshot, Tx};
use tokio::sync::oneshot;

use crate::core::Core;
use crate::delegation;
use crate::error::{Error, Result};
use crate::gateway::{Gateway, check_words};
use crate::ports::ahead_of_utc;
use crate::session::{Message, SendMode};
use crate::slash::{self, Slash};

mod acknowledgement; // what the house says while somebody waits
mod turned_away; // what is not taken in

pub(crate) use acknowledgement::Acknowledgements;
use turned_away::TurnedAway;

/// A message that came in is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Received {
    /// The conversation that it belongs to.
    pub session: SessionId,
    /// Its admission.
    pub admission: AdmissionId,
    /// Its turn, if it has begun.
    pub turn: Option<TurnId>,
    /// It came in before: nothing was done.
    pub again: bool,
}

impl Gateway {
    /// A message came in over one of the profile's channels, from somebody whom the channel lets speak. The same message
    /// handed in again is the same one, also after a restart and in whichever session its lane leads to now.
    pub async fn receive(&self, arrival: Arrival, text: String) -> Result<Received> {
        check_words(&text)?;
        if let Some(turned_away) = TurnedAway::of(self.core(), &arrival) {
            return Err(turned_away.refuse(self.core(), &arrival.origin).await);
        }
        let came = Came::of(self.core(), arrival, text)?;
        let _one_by_one = self.core().outbox.door.lock().await;
        self.core().outbox.came_through(&came.row.route, came.arrival.via_relay);
        let received = self.take_in(&came).await;
        if let Err(error @ Error::QueueFull) = &received {
            came.answer(self.core(), error.to_string());
        }
        received
    }

    async fn take_in(&self, came: &Came) -> Result<Received> {
        if let Some(known) = self.core().store.read(|s| came.known(s))? {
            return Ok(Received { session: known.session, admission: known.id, turn: known.turn, again: true });
        }
        match self.enter(came).await {
            // Somebody drew a line meanwhile; the lane leads elsewhere now.
            Err(Error::SessionEnded) => self.enter(came).await,
            other => other,
        }
    }

    async fn enter(&self, came: &Came) -> Result<Received> {
        let mut door = Door::of(self.core(), &came.row);
        let session = self.core().store.write(move |tx| door.open(tx)).await?;
        match slash::read(&came.text) {
            Some(slash) => self.carry_out(came, session, slash).await,
            None => self.hand_in(came, session).await,
        }
    }

    /// A command of the chat box. What there is to say about it is owed to nobody.
    async fn carry_out(&self, came: &Came, session: SessionId, slash: Slash) -> Result<Received> {
        let done = slash.when_done();
        let carried = self.slash(session, came.text.clone(), came.row.key.clone(), slash).await?;
        if let Some(words) = carried.said.or_else(|| done.map(str::to_owned)) {
            came.answer(self.core(), words);
        }
        let session = carried.next.unwrap_or(session);
        Ok(Received { session, admission: carried.admission, turn: None, again: false })
    }

    /// Words for the agent. A `!` means nothing here: who writes on a channel does not sit at this computer.
    async fn hand_in(&self, came: &Came, session: SessionId) -> Result<Received> {
        let mode = self.core().config().session.busy;
        let (reply, answer) = oneshot::channel();
        let (text, client_key) = (came.text.clone(), came.row.key.clone());
        self.core().actors.send(self.core(), session, Message::Say { text, client_key, mode, reply }).await?;
        let accepted = answer.await.map_err(|_| Error::ShuttingDown)??;
        if accepted.turn.is_none() {
            self.acknowledge(came, mode);
        }
        Ok(Received { session, admission: accepted.admission, turn: accepted.turn, again: false })
    }

    fn acknowledge(&self, came: &Came, mode: SendMode) {
        let core = self.core();
        if let Some(words) =
            core.acknowledgements.words(&came.row.route, mode, core.draining.is_cancelled(), core.clock.mono())
        {
            came.answer(core, words.to_owned());
        }
    }
}

/// A message on its way in.
struct Came {
    arrival: Arrival,
    target: Target,
    text: String,
    row: IncomingRow,
}

impl Came {
    fn of(core: &Core, arrival: Arrival, text: String) -> Result<Self> {
        let origin = &arrival.origin;
        let target = Target::of(origin).ok_or_else(|| TurnedAway::NoPlace.error())?;
        let stored = write_origin(origin).map_err(|error| Error::Invalid(error.to_string()))?;
        let inbound = arrival.inbound.as_ref().map(ToString::to_string);
        let row = IncomingRow {
            route: RouteKey::of(origin, Sharing::default()).to_string(),
            key: inbound.clone().unwrap_or_else(|| core.ids.fresh().to_string()),
            session: SessionId::from_uuid(core.ids.fresh()),
            origin: stored,
            inbound,
            anchor: arrival.anchor.as_ref().map(ToString::to_string),
            live: None,
            at: core.now(),
        };
        Ok(Self { arrival, target, text, row })
    }

    /// What was accepted when this message came in before: in the session of then, or where its lane leads now if its
    /// words were taken along.
    fn known(&self, rows: &Snapshot<'_>) -> gatehouse_store::Result<Option<AdmissionRow>> {
        let Some(before) = rows.incoming().get(&self.row.route, &self.row.key)? else { return Ok(None) };
        for session in [Some(before.session), rows.routes().current(&self.row.route)?].into_iter().flatten() {
            if let Some(known) = rows.admissions().by_key(session, Principal::Person, &self.row.key)? {
                return Ok(Some(known));
            }
        }
        Ok(None)
    }

    /// Words that are owed to nobody.
    fn answer(&self, core: &Arc<Core>, words: String) {
        let letter = Letter {
            target: self.target.clone(),
            anchor: self.arrival.anchor.clone(),
            notify: false,
            parcel: Parcel::Text(words),
        };
        core.outbox.say(core, &self.row.route, letter, &self.arrival.origin);
    }
}

/// Which session a message enters, and what is written for it.
struct Door {
    row: IncomingRow,
    resets: Resets,
    now: LocalTime,
}

impl Door {
    fn of(core: &Core, row: &IncomingRow) -> Self {
        let set = core.config().session;
        Self { row: row.clone(), resets: Resets { policy: set.reset, pause: set.reset_idle }, now: local(row.at) }
    }

    /// One transaction: the lane leads to a session that takes words, and where the message came from is written down.
    fn open(&mut self, tx: &Tx<'_>) -> gatehouse_store::Result<SessionId> {
        let current = tx.routes().current(&self.row.route)?.map(|id| tx.sessions().get(id)).transpose()?.flatten();
        let session = match current {
            Some(row) if self.leaves(tx, &row)? => self.begin(tx)?,
            Some(row) => row.id,
            None => self.begin(tx)?,
        };
        self.row.session = session;
        tx.incoming_mut().insert(&self.row)?;
        Ok(session)
    }

    /// Whether the lane goes on in another session than this one.
    fn leaves(&self, tx: &Tx<'_>, row: &SessionRow) -> gatehouse_store::Result<bool> {
        match row.end_reason {
            // Who writes opens again what was closed.
            Some(EndReason::Closed) => return Ok(false),
            Some(EndReason::NewSession | EndReason::Compaction | EndReason::Idle | EndReason::Daily) => {
                return Ok(true);
            }
            None => {}
        }
        match reset(self.resets, local(row.last_at), self.now, is_at_work(tx, row.id)?) {
            Some(reason) => tx.sessions_mut().end(row.id, reason, self.now.at),
            None => Ok(false),
        }
    }

    fn begin(&self, tx: &Tx<'_>) -> gatehouse_store::Result<SessionId> {
        tx.sessions_mut().insert(&NewSession {
            id: self.row.session,
            title: String::new(),
            client_key: None,
            route: self.row.route.clone(),
            delegated_from: None,
            at: self.now.at,
        })?;
        Ok(self.row.session)
    }
}

fn is_at_work(rows: &Snapshot<'_>, session: SessionId) -> gatehouse_store::Result<bool> {
    Ok(rows.turns().running(session)?.is_some()
        || rows.processes().count_live(Some(session))? > 0
        || delegation::at_work(rows, session)? > 0
        || !rows.admissions().queued(session)?.is_empty())
}

fn local(at: EpochMs) -> LocalTime {
    LocalTime { at, ahead: ahead_of_utc(at) }
}
