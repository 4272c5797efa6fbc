//! One task per process records, in order, what happens to it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gatehouse_domain::ProcessId;
use gatehouse_process::ProcessEvent;
use tokio::sync::{Notify, mpsc, watch};

use super::record::{left_behind, record_end};
use super::voice::Voice;
use crate::core::Core;
use crate::error::Result;

/// Events of one process that wait for its task: an end, and a few counts.
const EVENTS: usize = 64;
/// A fact that could not be recorded is tried again so often.
const RECORD_AGAIN: Duration = Duration::from_secs(1);
/// Without their shim nobody tells when the survivors of a tree end, so they are looked for.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// The lock guards the map only.
#[derive(Debug, Default)]
pub(crate) struct Followers {
    map: Mutex<HashMap<ProcessId, Follower>>,
}

#[derive(Debug)]
struct Follower {
    events: mpsc::Sender<ProcessEvent>,
    /// Taken when the task starts.
    queue: Option<mpsc::Receiver<ProcessEvent>>,
    ended: watch::Sender<bool>,
    nudge: Arc<Nudge>,
}

/// Wakes a process's task. Who nudges never waits, so nothing that grows fast is held up by who looks at it.
#[derive(Debug, Default)]
struct Nudge {
    wake: Notify,
    serves: AtomicBool,
}

impl Followers {
    /// Events of this process are kept from now on.
    pub fn expect(&self, id: ProcessId) {
        let (events, queue) = mpsc::channel(EVENTS);
        let ended = watch::Sender::new(false);
        let follower = Follower { events, queue: Some(queue), ended, nudge: Arc::default() };
        self.lock().insert(id, follower);
    }

    /// The process is recorded as running: its events may be recorded too.
    pub fn follow(&self, core: &Arc<Core>, id: ProcessId) {
        let taken = self.lock().get_mut(&id).and_then(|f| f.queue.take().map(|queue| (queue, Arc::clone(&f.nudge))));
        if let Some((queue, nudge)) = taken {
            core.actors.tasks.spawn(run(Arc::clone(core), id, queue, nudge));
        }
    }

    pub fn forget(&self, id: ProcessId) {
        self.lock().remove(&id);
    }

    /// Turns true when the process's end is recorded; absent when nobody follows it any more.
    pub fn ended(&self, id: ProcessId) -> Option<watch::Receiver<bool>> {
        self.lock().get(&id).map(|f| f.ended.subscribe())
    }

    /// Whether somebody waits for its end and is told by that.
    pub fn is_awaited(&self, id: ProcessId) -> bool {
        self.lock().get(&id).is_some_and(|f| f.ended.receiver_count() > 0)
    }

    pub fn mark_ended(&self, id: ProcessId) {
        if let Some(follower) = self.lock().get(&id) {
            follower.ended.send_replace(true);
        }
    }

    /// Its output has grown.
    fn grew(&self, id: ProcessId) {
        if let Some(follower) = self.lock().get(&id) {
            follower.nudge.wake.notify_one();
        }
    }

    /// It was seen to serve on a port.
    pub fn serves(&self, id: ProcessId) {
        if let Some(follower) = self.lock().get(&id)
            && !follower.nudge.serves.swap(true, Ordering::Relaxed)
        {
            follower.nudge.wake.notify_one();
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
                core.followers.grew(*id);
                core.watchdog.wrote(*id);
                continue;
            }
            ProcessEvent::Ended { id, .. }
            | ProcessEvent::Descendants { id, .. }
            | ProcessEvent::Attention { id, .. }
            | ProcessEvent::TreeEmpty { id, .. }
            | ProcessEvent::Orphaned { id, .. } => *id,
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

/// Until the tree is empty, or the house closes: the next start then finds out what this task would have been told.
async fn run(core: Arc<Core>, id: ProcessId, mut queue: mpsc::Receiver<ProcessEvent>, nudge: Arc<Nudge>) {
    let mut voice = Voice::open(&core, id).unwrap_or_else(|error| {
        tracing::error!(process = %id, "Nothing that it says can be told: {error:#}");
        None
    });
    loop {
        let event = tokio::select! {
            biased;
            () = core.closing.cancelled() => None,
            event = queue.recv() => event,
            () = speaks(&core, voice.as_ref(), &nudge) => {
                if let Some(voice) = &mut voice {
                    voice.speak(&core).await;
                    if nudge.serves.load(Ordering::Relaxed) {
                        voice.serves(&core).await;
                    }
                }
                continue;
            }
        };
        let Some(event) = event else { return };
        if let (ProcessEvent::Attention { needs_input, hidden, .. }, Some(voice)) = (&event, &mut voice) {
            voice.waits(&core, needs_input.then_some(*hidden)).await;
        }
        if let ProcessEvent::Ended { report, .. } = &event
            && let Some(mut voice) = voice.take()
        {
            voice.end(&core, report).await;
        }
        while let Err(error) = record(&core, id, &event).await {
            tracing::error!(process = %id, "An event cannot be recorded yet: {error:#}");
            tokio::select! {
                () = core.closing.cancelled() => return,
                () = tokio::time::sleep(RECORD_AGAIN) => {}
            }
        }
        match event {
            ProcessEvent::TreeEmpty { .. } => break,
            ProcessEvent::Orphaned { survivors, .. } => {
                watch_orphans(&core, id, survivors).await;
                break;
            }
            ProcessEvent::Output { .. }
            | ProcessEvent::Attention { .. }
            | ProcessEvent::Descendants { .. }
            | ProcessEvent::Ended { .. } => {}
        }
    }
    core.followers.forget(id);
}

/// Ready when the process may have something to say.
async fn speaks(core: &Core, voice: Option<&Voice>, nudge: &Nudge) {
    let Some(voice) = voice else { return std::future::pending().await };
    let due = voice.next_at().map(|at| at.0.saturating_sub(core.clock.mono().0));
    let time = async {
        match due {
            Some(span) => tokio::time::sleep(span).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = nudge.wake.notified() => {}
        () = time => {}
    }
}

async fn record(core: &Arc<Core>, id: ProcessId, event: &ProcessEvent) -> Result<()> {
    match event {
        ProcessEvent::Output { .. } | ProcessEvent::Attention { .. } => Ok(()),
        ProcessEvent::Ended { report, .. } => record_end(core, id, report).await,
        ProcessEvent::Descendants { count, .. } => descendants(core, id, *count).await,
        ProcessEvent::TreeEmpty { total, .. } => without_shim(core, id, &[], false, *total).await,
        ProcessEvent::Orphaned { survivors, escape_possible, total, .. } => {
            without_shim(core, id, survivors, *escape_possible, *total).await
        }
    }
}

/// Looks after those whose shim was killed, until nobody of them is left.
pub(crate) async fn watch_orphans(core: &Arc<Core>, id: ProcessId, survivors: Vec<u32>) {
    let mut known = survivors;
    while !known.is_empty() {
        tokio::select! {
            () = core.closing.cancelled() => return,
            () = tokio::time::sleep(LOOK_AGAIN) => {}
        }
        let looked = match core.supervisor.survivors(id) {
            Ok(now) if now == known => continue,
            Ok(now) => left_behind(core, id, &now).await.map(|()| now),
            Err(error) => Err(error.into()),
        };
        match looked {
            Ok(now) => known = now,
            Err(error) => tracing::warn!(process = %id, "Survivors cannot be looked for: {error:#}"),
        }
    }
}

async fn descendants(core: &Core, id: ProcessId, count: u32) -> Result<()> {
    // Most trees are empty at their end already; that costs no write.
    if core.store.read(|s| s.processes().get(id))?.is_none_or(|row| row.descendants == count) {
        return Ok(());
    }
    core.store.write(move |tx| tx.processes_mut().set_descendants(id, count)).await?;
    Ok(())
}

/// Its shim has told its last: who lives on, and that nothing more of what they write is kept.
pub(crate) async fn without_shim(
    core: &Core,
    id: ProcessId,
    survivors: &[u32],
    escape_possible: bool,
    total: u64,
) -> Result<()> {
    let count = u32::try_from(survivors.len()).unwrap_or(u32::MAX);
    let live = core.live.output(id);
    if let Some(row) = core.store.read(|s| s.processes().get(id))? {
        let (warn, grew) = (escape_possible && !row.escape_possible, row.output_bytes < total);
        if warn || grew || row.descendants != count {
            let at = live.map_or_else(|| core.now(), |live| live.at);
            core.store
                .write(move |tx| {
                    tx.processes_mut().set_descendants(id, count)?;
                    if warn {
                        tx.processes_mut().set_escape_possible(id)?;
                    }
                    if grew {
                        tx.processes_mut().set_output(id, total, at)?;
                    }
                    Ok(())
                })
                .await?;
        }
    }
    core.live.leave_behind(id, survivors.to_vec());
    core.live.end_output(id);
    Ok(())
}
