//! One task per process records, in order, what happens to it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gatehouse_domain::{CardAnnotation, CardStatus, Exit, ProcessId, ProcessState, SessionId};
use gatehouse_process::{EndReport, OutputSlice, ProcessEvent};
use gatehouse_store::{CardClose, ProcessEnd, ProcessRow, Report};
use gatehouse_text::redact::{self, Scope};
use gatehouse_text::tail::{self, Masking};
use tokio::sync::{mpsc, watch};
use tokio_util::task::TaskTracker;

use crate::core::Core;
use crate::error::Result;
use crate::session::Message;

/// Events of one process that wait for its task: an end, and a few counts.
const EVENTS: usize = 64;
/// As much of the end of the output is read for a report.
const TAIL_BYTES: usize = 32 * 1024;
/// As many characters of it are kept in the report.
const TAIL_CHARS: usize = 2000;

/// The lock guards the map only.
#[derive(Debug, Default)]
pub(crate) struct Followers {
    map: Mutex<HashMap<ProcessId, Follower>>,
    tasks: TaskTracker,
}

#[derive(Debug)]
struct Follower {
    events: mpsc::Sender<ProcessEvent>,
    /// Taken when the task starts.
    queue: Option<mpsc::Receiver<ProcessEvent>>,
    ended: watch::Sender<bool>,
}

impl Followers {
    /// Events of this process are kept from now on.
    pub fn expect(&self, id: ProcessId) {
        let (events, queue) = mpsc::channel(EVENTS);
        let follower = Follower { events, queue: Some(queue), ended: watch::Sender::new(false) };
        self.lock().insert(id, follower);
    }

    /// The process is recorded as running: its events may be recorded too.
    pub fn follow(&self, core: &Arc<Core>, id: ProcessId) {
        let queue = self.lock().get_mut(&id).and_then(|f| f.queue.take());
        if let Some(queue) = queue {
            self.tasks.spawn(run(Arc::clone(core), id, queue));
        }
    }

    pub fn forget(&self, id: ProcessId) {
        self.lock().remove(&id);
    }

    /// Turns true when the process's end is recorded; absent when nobody follows it any more.
    pub fn ended(&self, id: ProcessId) -> Option<watch::Receiver<bool>> {
        self.lock().get(&id).map(|f| f.ended.subscribe())
    }

    fn mark_ended(&self, id: ProcessId) {
        if let Some(follower) = self.lock().get(&id) {
            follower.ended.send_replace(true);
        }
    }

    fn events(&self, id: ProcessId) -> Option<mpsc::Sender<ProcessEvent>> {
        self.lock().get(&id).map(|f| f.events.clone())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<ProcessId, Follower>> {
        self.map.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hands the supervisor's events to the tasks of their processes.
pub(crate) async fn dispatch(core: Arc<Core>, mut events: mpsc::Receiver<ProcessEvent>) {
    loop {
        // The supervisor lives as long as this task holds the core, so the queue alone never ends. What is in it when
        // the house closes is still handed on; the next start finds everything later in the run directories.
        let event = tokio::select! {
            biased;
            event = events.recv() => event,
            () = core.closing.cancelled() => None,
        };
        let Some(event) = event else { return };
        let id = match &event {
            ProcessEvent::Output { id, total, at } => {
                core.live.grew(*id, *total, *at);
                continue;
            }
            ProcessEvent::Ended { id, .. }
            | ProcessEvent::Descendants { id, .. }
            | ProcessEvent::TreeEmpty { id, .. } => *id,
        };
        let Some(follower) = core.followers.events(id) else {
            tracing::warn!(process = %id, "An event came for a process that nobody follows.");
            continue;
        };
        if follower.send(event).await.is_err() {
            tracing::debug!(process = %id, "An event came after the last one.");
        }
    }
}

async fn run(core: Arc<Core>, id: ProcessId, mut queue: mpsc::Receiver<ProcessEvent>) {
    while let Some(event) = queue.recv().await {
        let recorded = match event {
            ProcessEvent::Output { .. } => Ok(false),
            ProcessEvent::Ended { report, .. } => record_end(&core, id, &report).await.map(|()| false),
            ProcessEvent::Descendants { count, .. } => descendants(&core, id, count).await.map(|()| false),
            ProcessEvent::TreeEmpty { .. } => {
                core.live.leave_behind(id, Vec::new());
                descendants(&core, id, 0).await.map(|()| true)
            }
        };
        match recorded {
            Ok(false) => {}
            Ok(true) => break,
            // The shim keeps exit.json; a restart reads it again, so nothing is lost.
            Err(error) => tracing::error!(process = %id, "An event could not be recorded: {error:#}"),
        }
    }
    core.followers.forget(id);
}

async fn descendants(core: &Core, id: ProcessId, count: u32) -> Result<()> {
    // Most trees are empty at their end already; that costs no write.
    if core.store.read(|s| s.processes().get(id))?.is_none_or(|row| row.descendants == count) {
        return Ok(());
    }
    core.store.write(move |tx| tx.processes_mut().set_descendants(id, count)).await?;
    Ok(())
}

/// Records an end in one transaction: the process, its card, its report. Then wakes whoever waits for it.
pub(crate) async fn record_end(core: &Arc<Core>, id: ProcessId, report: &EndReport) -> Result<()> {
    let Some(row) = core.store.read(|s| s.processes().get(id))? else {
        tracing::warn!(process = %id, "A process ended that has no row.");
        return Ok(());
    };
    core.live.leave_behind(id, report.survivors.clone());
    let facts = End::of(core, &row, report);
    let session = row.session;
    let reported = core.store.write(move |tx| {
        // Read again inside the transaction: a stop may have been recorded since.
        let Some(row) = tx.processes().get(id)? else { return Ok(false) };
        let end = facts.process(&row);
        if !tx.processes_mut().ended(id, &end)? {
            return Ok(false);
        }
        if let Some(card) = tx.cards().by_process(id)?.filter(|c| c.background) {
            tx.cards_mut().close(card.item, &facts.card(end.state))?;
        }
        match super::end_unit(tx, id)? {
            Some(unit) => tx.units_mut().finish(unit.id, &facts.report(&row, end.state)),
            None => Ok(false),
        }
    });
    let reported = reported.await?;
    core.supervisor.acknowledge_end(id);
    core.live.end_output(id);
    core.followers.mark_ended(id);
    if reported {
        wake(core, session).await;
    }
    Ok(())
}

async fn wake(core: &Arc<Core>, session: SessionId) {
    if let Err(error) = core.actors.send(core, session, Message::ReportDue).await {
        // The report stays due in its row; the next start finds it there.
        tracing::debug!(%session, "A report waits for the next start: {error}");
    }
}

/// Records that a process never ran, where nobody was told so: its report is due.
pub(crate) async fn record_failed_start(core: &Arc<Core>, row: &ProcessRow, reason: String) -> Result<()> {
    let (id, at, started_at) = (row.id, core.now(), row.started_at);
    core.store
        .write(move |tx| {
            let end = ProcessEnd {
                state: ProcessState::FailedStart,
                exit: None,
                reason: Some(reason.clone()),
                ended_at: at,
                output_bytes: 0,
                descendants: 0,
                escape_possible: false,
            };
            tx.processes_mut().ended(id, &end)?;
            if let Some(card) = tx.cards().by_process(id)? {
                let close = CardClose {
                    status: CardStatus::Error,
                    annotation: None,
                    output: reason.clone(),
                    output_bytes: 0,
                    exit: None,
                    at,
                };
                tx.cards_mut().close(card.item, &close)?;
            }
            let Some(unit) = super::end_unit(tx, id)? else { return Ok(()) };
            let report = Report {
                state: Some(ProcessState::FailedStart),
                exit: None,
                stopped_by: None,
                duration_ms: at.since(started_at),
                output_tail: reason,
                output_bytes: 0,
                at,
            };
            tx.units_mut().finish(unit.id, &report)?;
            Ok(())
        })
        .await?;
    Ok(())
}

const LOST: &str = "Its helper was ended from outside, so how it ended is unknown. All output up to then is kept.";

/// The end of an output as a model may read it.
fn model_tail(core: &Core, row: &ProcessRow, slice: &OutputSlice) -> String {
    let secrets = core.secrets();
    let exact: Vec<&str> = secrets.iter().map(|s| s.expose().as_str()).collect();
    let scope = if redact::reveals_secrets(&row.command) { Scope::Revealing } else { Scope::Command };
    tail::completion(&slice.bytes, slice.total, TAIL_CHARS, Masking { scope, secrets: &exact }).text
}

/// The facts of one end, gathered before the transaction.
struct End {
    report: EndReport,
    tail: String,
}

impl End {
    fn of(core: &Core, row: &ProcessRow, report: &EndReport) -> Self {
        let tail = match core.supervisor.read_output(row.id, None, TAIL_BYTES) {
            Ok(slice) => model_tail(core, row, &slice),
            Err(error) => {
                tracing::warn!(process = %row.id, "The output cannot be read: {error:#}");
                String::new()
            }
        };
        Self { report: report.clone(), tail }
    }

    fn process(&self, row: &ProcessRow) -> ProcessEnd {
        let report = &self.report;
        let state = if report.lost {
            ProcessState::Lost
        } else if report.stop_requested && row.stopped_by.is_some() {
            ProcessState::Killed
        } else {
            ProcessState::Exited
        };
        ProcessEnd {
            state,
            exit: Some(report.exit),
            reason: report.lost.then(|| LOST.to_owned()),
            ended_at: report.ended_at,
            output_bytes: report.output_total,
            descendants: report.descendants,
            escape_possible: report.escape_possible,
        }
    }

    fn card(&self, state: ProcessState) -> CardClose {
        let (status, annotation) = match (state, self.report.exit) {
            (ProcessState::Killed, _) => (CardStatus::Error, Some(CardAnnotation::Cancelled)),
            (ProcessState::Exited, Exit::Code(0)) => (CardStatus::Complete, None),
            _ => (CardStatus::Error, None),
        };
        CardClose {
            status,
            annotation,
            output: self.tail.clone(),
            output_bytes: self.report.output_total,
            exit: Some(self.report.exit),
            at: self.report.ended_at,
        }
    }

    fn report(&self, row: &ProcessRow, state: ProcessState) -> Report {
        Report {
            state: Some(state),
            exit: Some(self.report.exit),
            stopped_by: row.stopped_by.filter(|_| state == ProcessState::Killed),
            duration_ms: self.report.ended_at.since(row.started_at),
            output_tail: self.tail.clone(),
            output_bytes: self.report.output_total,
            at: self.report.ended_at,
        }
    }
}
