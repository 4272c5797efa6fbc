//! One task per living shim. It never waits for whoever reads its events while somebody wants a stop.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::time::Duration;

use gatehouse_domain::{EpochMs, ProcessId};
use gatehouse_fault::{Point, point};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::line::Line;
use super::settle::{Settled, settle};
use super::typing::Answer;
use super::{EndReport, GRACE, ProcessEvent, StopMode, StopOutcome, WriteOutcome};
use crate::input::{PtySize, Refusal, Then};
use crate::output::Progress;
use crate::rundir::{RunDir, wall_ms};
use crate::wire::{FromShim, ToShim};

/// Commands in flight at once for one process: more than there are people and agents to ask.
pub const COMMANDS: usize = 16;
/// Between the end of a shim's socket and that of its lock.
const LAST_BREATH: Duration = Duration::from_secs(2);
const PASS: Duration = Duration::from_millis(2);
/// What became of a shim that could not be found out is asked again so often.
const ASK_AGAIN: Duration = Duration::from_secs(5);

/// What callers want.
#[derive(Debug)]
pub enum Command {
    Stop { mode: StopMode, reply: oneshot::Sender<StopOutcome> },
    Input { bytes: Vec<u8>, then: Then, reply: oneshot::Sender<Answer<WriteOutcome>> },
    Resize { size: PtySize, reply: oneshot::Sender<Answer<()>> },
    AcknowledgeEnd,
}

/// Listens to one shim.
#[derive(Debug)]
pub struct Attendant {
    id: ProcessId,
    run: RunDir,
    line: Line,
    events: mpsc::Sender<ProcessEvent>,
    outbox: VecDeque<ProcessEvent>,
    waiting: HashMap<u64, Waiter>,
    next_request: u64,
    has_ended: bool,
    is_empty: bool,
    /// The line is dead, and nobody knows yet what became of the shim: it is asked again then.
    again_at: Option<Instant>,
}

/// Who waits for a shim's answer.
#[derive(Debug)]
enum Waiter {
    Stop(oneshot::Sender<StopOutcome>),
    Write(oneshot::Sender<Answer<WriteOutcome>>),
    Resize(oneshot::Sender<Answer<()>>),
}

enum Next {
    Word(io::Result<Option<FromShim>>),
    Command(Option<Command>),
    Sent,
    Again,
}

impl Attendant {
    pub fn new(id: ProcessId, run: RunDir, line: Line, events: mpsc::Sender<ProcessEvent>) -> Self {
        Self {
            id,
            run,
            line,
            events,
            outbox: VecDeque::new(),
            waiting: HashMap::new(),
            next_request: 0,
            has_ended: false,
            is_empty: false,
            again_at: None,
        }
    }

    pub const fn id(&self) -> ProcessId {
        self.id
    }

    /// Until the shim is gone, or nobody holds the other end of `commands`.
    pub async fn attend(mut self, mut commands: mpsc::Receiver<Command>) {
        loop {
            match self.next(&mut commands).await {
                Next::Sent => {}
                Next::Command(None) => return,
                Next::Command(Some(command)) => {
                    if self.again_at.is_some() && self.shim_is_gone(None).await {
                        break;
                    }
                    // A command that is let go of tells whoever asked that nobody hears it.
                    if self.again_at.is_none() {
                        self.obey(command).await;
                    }
                }
                Next::Word(Ok(Some(word))) => self.hear(word),
                Next::Word(Ok(None)) | Next::Again => {
                    if self.shim_is_gone(None).await {
                        break;
                    }
                }
                Next::Word(Err(error)) => {
                    if self.shim_is_gone(Some(error)).await {
                        break;
                    }
                }
            }
        }
        // From here on stops go by what lies on disk.
        drop(commands);
        for event in self.outbox.drain(..) {
            if self.events.send(event).await.is_err() {
                return;
            }
        }
    }

    async fn next(&mut self, commands: &mut mpsc::Receiver<Command>) -> Next {
        let again_at = self.again_at;
        tokio::select! {
            word = self.line.hear(), if again_at.is_none() => Next::Word(word),
            () = tokio::time::sleep_until(again_at.unwrap_or_else(Instant::now)), if again_at.is_some() => Next::Again,
            command = commands.recv() => Next::Command(command),
            permit = self.events.reserve(), if !self.outbox.is_empty() => {
                if let (Ok(permit), Some(event)) = (permit, self.outbox.pop_front()) {
                    permit.send(event);
                } else {
                    // Nobody listens any more.
                    self.outbox.clear();
                }
                Next::Sent
            }
        }
    }

    async fn obey(&mut self, command: Command) {
        let word = match (command, self.refusal()) {
            (Command::AcknowledgeEnd, _) => return self.acknowledge().await,
            (Command::Stop { reply, .. }, _) if self.is_empty => {
                answer(reply, StopOutcome { survivors: Vec::new(), already_ended: true });
                return;
            }
            (Command::Input { reply, .. }, Some(refusal)) => return answer(reply, Err(refusal)),
            (Command::Resize { reply, .. }, Some(refusal)) => return answer(reply, Err(refusal)),
            (Command::Input { bytes, then, reply }, None) => {
                let request = self.expect(Waiter::Write(reply));
                ToShim::Input { request, data: bytes.into(), then }
            }
            (Command::Resize { size, reply }, None) => {
                let request = self.expect(Waiter::Resize(reply));
                ToShim::Resize { request, size }
            }
            (Command::Stop { mode, reply }, _) => {
                let request = self.expect(Waiter::Stop(reply));
                let grace_ms = u64::try_from(GRACE.as_millis()).unwrap_or(u64::MAX);
                ToShim::Stop { request, force: mode == StopMode::Force, grace_ms }
            }
        };
        self.say(&word).await;
    }

    async fn acknowledge(&mut self) {
        point(Point::AcknowledgeBefore);
        self.say(&ToShim::AcknowledgeEnd).await;
        point(Point::AcknowledgeAfter);
    }

    async fn say(&mut self, word: &ToShim) {
        if let Err(error) = self.line.say(word).await {
            // The end of the line is about to be heard, and settles whatever was asked.
            tracing::debug!(id = %self.id, %error, "A shim does not listen");
        }
    }

    /// Why nothing can be typed, as far as that is known on this side.
    const fn refusal(&self) -> Option<Refusal> {
        match (self.has_ended, self.line.knows_input()) {
            (true, _) => Some(Refusal::Ended),
            (false, false) => Some(Refusal::OldShim),
            (false, true) => None,
        }
    }

    fn expect(&mut self, waiter: Waiter) -> u64 {
        let request = self.next_request;
        self.next_request += 1;
        self.waiting.insert(request, waiter);
        request
    }

    fn hear(&mut self, word: FromShim) {
        let id = self.id;
        match word {
            FromShim::Hello(_) | FromShim::Started(_) => {}
            FromShim::Output { total, at_ms } => {
                if matches!(self.outbox.back(), Some(ProcessEvent::Output { .. })) {
                    self.outbox.pop_back();
                }
                self.outbox.push_back(ProcessEvent::Output { id, total, at: EpochMs(at_ms) });
            }
            FromShim::Ended { exit, left_behind } => self.ended(EndReport::of(&exit, left_behind)),
            FromShim::Descendants { count } => self.outbox.push_back(ProcessEvent::Descendants { id, count }),
            FromShim::Stopped { request, survivors } => {
                if let Some(Waiter::Stop(reply)) = self.waiting.remove(&request) {
                    answer(reply, StopOutcome { survivors, already_ended: false });
                }
            }
            FromShim::Wrote { request, bytes, waiting } => {
                if let Some(Waiter::Write(reply)) = self.waiting.remove(&request) {
                    answer(reply, Ok(WriteOutcome { bytes, waiting }));
                }
            }
            FromShim::Resized { request } => {
                if let Some(Waiter::Resize(reply)) = self.waiting.remove(&request) {
                    answer(reply, Ok(()));
                }
            }
            FromShim::Refused { request, why } => match self.waiting.remove(&request) {
                Some(Waiter::Write(reply)) => answer(reply, Err(why)),
                Some(Waiter::Resize(reply)) => answer(reply, Err(why)),
                Some(Waiter::Stop(_)) | None => {}
            },
            FromShim::Attention { needs_input, hidden } => {
                self.outbox.push_back(ProcessEvent::Attention { id, needs_input, hidden });
            }
            FromShim::TreeEmpty { total } => self.emptied(total),
        }
    }

    fn ended(&mut self, report: EndReport) {
        if !std::mem::replace(&mut self.has_ended, true) {
            self.outbox.push_back(ProcessEvent::Ended { id: self.id, report });
        }
    }

    fn emptied(&mut self, total: u64) {
        if !std::mem::replace(&mut self.is_empty, true) {
            self.outbox.push_back(ProcessEvent::TreeEmpty { id: self.id, total });
        }
    }

    /// The shim is gone: what it did not tell any more, and the last that can be told.
    fn over(&mut self, report: EndReport) -> io::Result<()> {
        let (id, total) = (self.id, Progress::read(&self.run)?.total);
        let (survivors, escape_possible) = (report.survivors.clone(), report.escape_possible);
        self.ended(report);
        if survivors.is_empty() && !escape_possible {
            self.emptied(total);
        } else if !self.is_empty {
            self.outbox.push_back(ProcessEvent::Orphaned { id, survivors, escape_possible, total });
        }
        Ok(())
    }

    /// The line is dead. Gives back whether the shim is, too; if not, there is a new line.
    async fn shim_is_gone(&mut self, cause: Option<io::Error>) -> bool {
        if let Some(error) = cause {
            tracing::warn!(id = %self.id, %error, "A shim's line broke");
        }
        match self.find_out().await {
            Ok(is_gone) => {
                self.again_at = None;
                is_gone
            }
            Err(error) => {
                tracing::error!(id = %self.id, %error, "What became of a shim cannot be found out yet");
                // Nobody answers what was asked on the dead line; the callers ask again.
                self.waiting.clear();
                self.again_at = Some(Instant::now() + ASK_AGAIN);
                false
            }
        }
    }

    async fn find_out(&mut self) -> io::Result<bool> {
        let deadline = Instant::now() + LAST_BREATH;
        loop {
            let settled = match settle(&self.run) {
                // Somebody removed the whole directory.
                Err(error) if error.kind() == io::ErrorKind::NotFound => Settled::NeverRan(None),
                other => other?,
            };
            match settled {
                Settled::Alive if Instant::now() < deadline => tokio::time::sleep(PASS).await,
                Settled::Alive => {
                    let (line, _) = Line::connect(&self.run).await?;
                    self.line = line;
                    // The new line knows nothing of what was asked on the old one; the callers ask again.
                    self.waiting.clear();
                    return Ok(false);
                }
                Settled::Ended(exit) => {
                    let report = EndReport::left(&exit, self.id, &self.run)?;
                    self.over(report)?;
                    return Ok(true);
                }
                Settled::Lost(child) => {
                    let report = EndReport::lost(self.id, &self.run, &child)?;
                    self.over(report)?;
                    return Ok(true);
                }
                // It ran until now, whatever is left of its directory.
                Settled::NeverRan(_) => {
                    let total = Progress::read(&self.run)?.total;
                    self.over(EndReport::gone(EpochMs(wall_ms()), total))?;
                    return Ok(true);
                }
            }
        }
    }
}

fn answer<T>(reply: oneshot::Sender<T>, outcome: T) {
    if reply.send(outcome).is_err() {
        tracing::debug!("Nobody waits for an answer any more");
    }
}
