//! The actor of one session. The mailbox is the order; one turn at a time is structural.

mod running; // the turn at work
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use gatehouse_delivery::Window;
use gatehouse_domain::{
    AbandonCause, AdmissionId, AdmissionStatus, Category, Principal, ProcessId, SessionId, TurnCause, TurnId, TurnState,
};
use gatehouse_fault::{Point, point};
use gatehouse_store::AdmissionRow;
use tokio::sync::{mpsc, oneshot};

use self::running::{Running, Stopped, TurnEnd};
use super::fresh_start;
use super::input::{Fresh, Input, handed_in, name_session};
use super::message::{Accepted, Message, SendMode};
use super::queue;
use super::turn;
use crate::core::Core;
use crate::error::{Error, Result};
use crate::gateway::KEY_TAKEN;
use crate::process::reap;
use crate::recovery;

/// A store that cannot be written is tried again so often.
pub(super) const SETTLE_AGAIN: Duration = Duration::from_secs(1);
/// What a message is called that is not there any more, or has begun.
pub(crate) const WAITING: &str = "waiting message";

/// How an actor begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Begin {
    /// Nothing of this session was at work in this run of the gateway.
    Fresh,
    /// An earlier actor of this session ended badly.
    FromRows,
}

pub(crate) async fn run(core: Arc<Core>, session: SessionId, mailbox: mpsc::Receiver<Message>, begin: Begin) {
    if core.closing.is_cancelled() {
        // What was cut off belongs to the next start.
        return;
    }
    let mut actor = Actor { core, session, mailbox, running: None, window: None };
    if begin == Begin::FromRows {
        actor.take_up().await;
    }
    actor.run().await;
}

pub(super) struct Actor {
    pub(super) core: Arc<Core>,
    pub(super) session: SessionId,
    mailbox: mpsc::Receiver<Message>,
    pub(super) running: Option<Running>,
    pub(super) window: Option<Window>,
}

/// Every cause that moves the actor.
enum Event {
    Message(Message),
    TurnEnded(TurnEnd),
    WindowCloses,
    Closing,
}

impl Actor {
    async fn run(mut self) {
        loop {
            match self.next_event().await {
                Event::Message(message) => {
                    self.catch_up().await;
                    self.handle(message).await;
                }
                Event::TurnEnded(end) => self.turn_ended(end).await,
                Event::WindowCloses => self.advance().await,
                Event::Closing => break,
            }
        }
    }

    async fn next_event(&mut self) -> Event {
        let closes_in = self.window.map(|w| w.closes_at().0.saturating_sub(self.core.clock.mono().0));
        let window = async {
            match closes_in {
                Some(span) => tokio::time::sleep(span).await,
                None => std::future::pending().await,
            }
        };
        let turn = async {
            match &mut self.running {
                Some(running) => running.end(&self.core).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.core.closing.cancelled() => Event::Closing,
            end = turn => Event::TurnEnded(end),
            message = self.mailbox.recv() => message.map_or(Event::Closing, Event::Message),
            () = window => Event::WindowCloses,
        }
    }

    async fn handle(&mut self, message: Message) {
        match message {
            Message::Say { text, client_key, mode, reply } => {
                let accepted = self.say(text, client_key, mode).await;
                answer(reply, accepted);
            }
            Message::Retry { turn, reply } => {
                let accepted = self.retry(turn).await;
                answer(reply, accepted);
            }
            Message::Stop { turn, cause, reply } => {
                let stopped = if self.is_another(turn) { None } else { self.stop(cause) };
                if stopped.is_some() && cause == AbandonCause::Stop {
                    self.pause().await;
                }
                answer(reply, stopped);
            }
            Message::GivenUp { turn, processes } => self.given_up(turn, processes),
            Message::BeginAnew { asked, reply } => {
                let begun = self.begin_anew(asked).await;
                answer(reply, begun);
            }
            Message::Close { reply } => {
                let closed = self.close().await;
                answer(reply, closed);
            }
            Message::SendNow { admission, reply } => {
                let sent = self.send_now(admission).await;
                answer(reply, sent);
            }
            Message::GoOn { reply } => {
                let resumed = self.go_on().await;
                answer(reply, resumed);
            }
            Message::ReportDue => {
                let now = self.core.clock.mono();
                match &mut self.window {
                    Some(window) => window.extend(now),
                    None => self.window = Some(Window::open(now)),
                }
                self.deliver_due().await;
            }
            Message::Resume => self.resume().await,
        }
    }

    async fn say(&mut self, text: String, client_key: String, mode: SendMode) -> Result<Accepted> {
        let interrupts = mode == SendMode::Interrupt && !self.is_known(&client_key)?;
        let input =
            Input { cause: TurnCause::Human, key: client_key, text, retry_of: None, category: Category::Result };
        let accepted = self.admit(Principal::Person, input).await?;
        if let (Some(running), None) = (&self.running, accepted.turn) {
            match mode {
                SendMode::Queue => running.turn.ear.wait_behind(accepted.admission),
                SendMode::Steer => running.turn.ear.join(accepted.admission),
                // What is refused cuts nothing short, and neither does what is heard after the next start.
                SendMode::Interrupt if interrupts && !self.core.draining.is_cancelled() => self.interrupt(),
                SendMode::Interrupt => {}
            }
        }
        Ok(accepted)
    }

    /// Hands a message that waits to the running turn, if one runs.
    fn steer(&self, admission: AdmissionId) {
        if let Some(running) = &self.running {
            running.turn.ear.join(admission);
        }
    }

    /// A message that waits is heard now. It is first in the queue as well, should the turn end before it hears it.
    async fn send_now(&mut self, admission: AdmissionId) -> Result<()> {
        let session = self.session;
        let first = self.core.store.write(move |tx| {
            let ours = tx.admissions().get(admission)?.is_some_and(|row| row.session == session);
            Ok(ours && tx.admissions_mut().put_first(admission)?)
        });
        if !first.await? {
            return Err(Error::NotFound(WAITING));
        }
        if self.running.is_some() {
            self.steer(admission);
        } else {
            self.start_queued(Some(admission)).await?;
        }
        Ok(())
    }

    async fn go_on(&mut self) -> Result<()> {
        let session = self.session;
        self.core.store.write(move |tx| queue::go_on(tx, session)).await?;
        self.advance().await;
        Ok(())
    }

    /// A stop that cannot be written down has stopped the turn all the same.
    async fn pause(&self) {
        let session = self.session;
        if let Err(error) = self.core.store.write(move |tx| queue::pause(tx, session)).await {
            tracing::error!(%session, "The queue could not be paused: {error:#}");
        }
    }

    async fn retry(&mut self, turn: TurnId) -> Result<Accepted> {
        let row = self.core.store.read(|s| s.turns().get(turn))?.filter(|t| t.session == self.session);
        let row = row.ok_or(Error::NotFound("turn"))?;
        match row.state {
            TurnState::Failed | TurnState::Stopped | TurnState::Interrupted => {}
            TurnState::Running => return Err(Error::NotRetryable("it is still running".into())),
            TurnState::Done => return Err(Error::NotRetryable("it was answered".into())),
        }
        let input = Input {
            cause: TurnCause::Retry,
            key: format!("retry:{turn}"),
            text: String::new(),
            retry_of: Some(turn),
            category: Category::Result,
        };
        self.admit(Principal::Person, input).await
    }

    /// Accepts an input: at once when the session is idle, into the queue when it is not. The same key is the same input.
    async fn admit(&mut self, principal: Principal, input: Input) -> Result<Accepted> {
        let session = self.session;
        let idle = self.running.is_none();
        let fresh = Fresh::ids(&self.core, session);
        let text = input.text.clone();
        let draining = self.core.draining.clone();
        point(Point::AdmissionBefore);
        let admitted = self.core.store.write(move |tx| {
            if let Some(known) = tx.admissions().by_key(session, principal, &input.key)? {
                return Ok(Admitted::Known(Box::new(known)));
            }
            if fresh_start::has_ended(tx, session)? {
                return Ok(Admitted::Ended);
            }
            if queue::is_full(tx, session)? {
                return Ok(Admitted::Full);
            }
            let new = fresh.admission(principal, &input);
            tx.admissions_mut().insert(&new)?;
            name_session(tx, session, &input.text)?;
            if input.cause == TurnCause::Human {
                // Who says something new wants to go on; it is heard behind what waited already.
                queue::go_on(tx, session)?;
            }
            if idle && !draining.is_cancelled() && queue::is_free_for(tx, session, new.id)? {
                fresh.start(tx, new.id, &input)?;
                return Ok(Admitted::Started(new.id, fresh.turn));
            }
            tx.touch_session(session)?;
            Ok(Admitted::Queued(new.id))
        });
        let admitted = admitted.await?;
        point(Point::AdmissionAfter);
        match admitted {
            Admitted::Known(known) if handed_in(&known) != text => Err(Error::Invalid(KEY_TAKEN.into())),
            Admitted::Known(known) => Ok(Accepted { admission: known.id, turn: known.turn }),
            Admitted::Ended => Err(Error::SessionEnded),
            Admitted::Full => Err(Error::QueueFull),
            Admitted::Queued(admission) => {
                if idle {
                    // It ended a pause.
                    self.advance().await;
                }
                Ok(Accepted { admission, turn: None })
            }
            Admitted::Started(admission, turn) => {
                self.begin(turn, false).await;
                Ok(Accepted { admission, turn: Some(turn) })
            }
        }
    }

    pub(super) fn stop(&mut self, cause: AbandonCause) -> Option<u32> {
        let now = self.core.clock.mono();
        let running = self.running.as_mut()?;
        let Some(processes) = running.turn.scope.abandon(cause) else {
            // Other words have cut it short already: they wait for its end, and for whoever stops now.
            return running.is_interrupted().then_some(0);
        };
        // What was sent into it waits with everything else now.
        running.turn.ear.take_joining();
        running.turn.cancel.cancel();
        running.must_end(now);
        let count = u32::try_from(processes.len()).unwrap_or(u32::MAX);
        reap(&self.core, self.session, running.turn.id, processes, cause);
        Some(count)
    }

    /// Whether the turn that somebody means has made room for another one.
    fn is_another(&self, meant: Option<TurnId>) -> bool {
        let runs = self.running.as_ref().map(|running| running.turn.id);
        meant.is_some_and(|meant| runs.is_some_and(|runs| runs != meant))
    }

    /// The watchdog has given the turn up and asked its jobs to end; what needs a runtime is done here.
    fn given_up(&mut self, turn: TurnId, processes: Vec<ProcessId>) {
        reap(&self.core, self.session, turn, processes, AbandonCause::Timeout);
        let now = self.core.clock.mono();
        if let Some(running) = self.running.as_mut().filter(|running| running.turn.id == turn) {
            running.turn.ear.take_joining();
            running.must_end(now);
        }
    }

    fn is_known(&self, client_key: &str) -> Result<bool> {
        let known = self.core.store.read(|s| s.admissions().by_key(self.session, Principal::Person, client_key))?;
        Ok(known.is_some())
    }

    /// Ends the turn, but not what it started: its person has only changed their mind about the words.
    fn interrupt(&mut self) {
        let now = self.core.clock.mono();
        if let Some(running) = &mut self.running {
            running.turn.scope.finish();
            running.turn.cancel.cancel();
            running.must_end(now);
        }
    }

    pub(super) async fn begin(&mut self, turn: TurnId, internal: bool) {
        point(Point::TurnBeginBefore);
        match turn::set_up(&self.core, self.session, turn) {
            Ok(prepared) => {
                let running = prepared.handle();
                let task = tokio::spawn(prepared.run());
                self.running = Some(Running { turn: running, internal, task, ends_by: None });
                point(Point::TurnBeginAfter);
            }
            Err(error) => {
                tracing::error!(%turn, "A turn could not begin: {error:#}");
                turn::fail_to_begin(&self.core, self.session, turn, &error).await;
            }
        }
    }

    /// Goes on with what waits: the queue in its order, then reports that are due.
    async fn advance(&mut self) {
        while self.running.is_none() && !self.core.draining.is_cancelled() {
            match self.start_queued(None).await {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    tracing::error!(session = %self.session, "What waits cannot begin yet: {error:#}");
                    self.look_later();
                    return;
                }
            }
        }
        self.deliver_due().await;
    }

    /// Begins what is next in the queue, or this input whatever is before it; whether there was one.
    async fn start_queued(&mut self, chosen: Option<AdmissionId>) -> Result<bool> {
        let session = self.session;
        if chosen.is_none() && self.core.store.read(|s| queue::next(s, session))?.is_none() {
            return Ok(false);
        }
        let fresh = Fresh::ids(&self.core, session);
        let draining = self.core.draining.clone();
        point(Point::QueueStartBefore);
        // Chosen where it begins: until then it can be changed, sorted and taken back.
        let started = self.core.store.write(move |tx| {
            if draining.is_cancelled() {
                return Ok(None);
            }
            let next = match chosen {
                Some(id) => tx.admissions().get(id)?.filter(|row| row.status == AdmissionStatus::Queued),
                None => queue::next(tx, session)?,
            };
            let Some(next) = next else { return Ok(None) };
            fresh.start(tx, next.id, &Input::of(&next))?;
            Ok(Some(next.cause.is_internal()))
        });
        let Some(internal) = started.await? else { return Ok(false) };
        point(Point::QueueStartAfter);
        self.begin(fresh.turn, internal).await;
        Ok(true)
    }

    /// The turn that ran here has ended; `stopped` when somebody had ended it.
    async fn after_turn(&mut self, stopped: Option<Stopped>, unheard: Vec<AdmissionId>) {
        if self.is_unsettled() {
            match stopped {
                // Nobody asks again what was stopped.
                Some(Stopped { turn, state }) => turn::stopped(&self.core, self.session, turn, state).await,
                None => {
                    // What ended badly once may do so again at once.
                    tokio::select! {
                        () = self.core.closing.cancelled() => return,
                        () = tokio::time::sleep(SETTLE_AGAIN) => {}
                    }
                    return self.take_up().await;
                }
            }
        }
        if let Err(error) = self.hear_out(unheard).await {
            tracing::error!(session = %self.session, "What the turn did not hear stays in the queue: {error:#}");
        }
        self.advance().await;
    }

    /// Whether a turn runs in the rows that does not run here; also when nobody can tell.
    fn is_unsettled(&self) -> bool {
        self.core.store.read(|s| s.turns().running(self.session)).map_or(true, |turn| turn.is_some())
    }

    /// What a person sent into a turn that ended without it is not held back by a pause: they meant now.
    async fn hear_out(&mut self, unheard: Vec<AdmissionId>) -> Result<()> {
        let session = self.session;
        let Some((first, others)) = unheard.split_first() else { return Ok(()) };
        if self.core.store.read(|s| queue::is_paused(s, session))? && self.start_queued(Some(*first)).await? {
            others.iter().for_each(|admission| self.steer(*admission));
        }
        Ok(())
    }

    /// Goes on from the rows. A turn that runs there but not here was cut off: by a task that ended badly, or by a
    /// store that could not be written at its end. Until that is settled nothing else of this session can go on.
    async fn take_up(&mut self) {
        loop {
            match recovery::settle_turns(&self.core, self.session).await {
                Ok(()) => break,
                Err(error) => tracing::error!(session = %self.session, "A turn cannot be settled yet: {error:#}"),
            }
            tokio::select! {
                () = self.core.closing.cancelled() => return,
                () = tokio::time::sleep(SETTLE_AGAIN) => {}
            }
        }
        self.resume().await;
    }

    async fn resume(&mut self) {
        let session = self.session;
        match self.core.store.read(|s| s.turns().running(session)) {
            Ok(Some(row)) if self.running.is_none() => self.begin(row.id, row.cause.is_internal()).await,
            Ok(_) => {}
            Err(error) => tracing::error!(%session, "The running turn cannot be read: {error:#}"),
        }
        self.advance().await;
    }
}

enum Admitted {
    Known(Box<AdmissionRow>),
    Ended,
    Full,
    Queued(AdmissionId),
    Started(AdmissionId, TurnId),
}

fn answer<T>(reply: oneshot::Sender<T>, value: T) {
    if reply.send(value).is_err() {
        tracing::debug!("Nobody waits for this answer any more.");
    }
}
