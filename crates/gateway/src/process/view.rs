//! What the tools of one turn may see and do: processes of their own session, and no other.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use gatehouse_agent::{
    OutputWindow, ProcessBrief, Processes, StartRefusal, StartRefused, StartRequest, Started, StopRefused, StopReport,
    Then, WriteRefused, Written,
};
use gatehouse_domain::{EpochMs, ProcessId, ProcessState, SessionId, StoppedBy, TurnId, UnitId};
use gatehouse_process::StopMode;
use gatehouse_store::ProcessRow;
use gatehouse_text::output::ScreenSize;
use gatehouse_turn::{Scope, ScopeState};

use super::input::{USUAL_SIZE, write_input};
use super::launch::{Manner, Start, StartCard, StartOrder, start};
use super::left::{Left, leave};
use super::stop::{StopOrder, stop};
use crate::core::Core;
use crate::error::Error;
use crate::watchdog::Activity;

/// A prefix of an id must have so many characters to name a process.
const MIN_PREFIX: usize = 4;

pub(crate) struct TurnProcesses {
    core: Arc<Core>,
    session: SessionId,
    turn: TurnId,
    scope: Arc<Scope>,
    activity: Arc<Activity>,
    /// Commands whose call waits for their end. Held for a push or a look.
    foreground: Mutex<Vec<ProcessId>>,
}

impl TurnProcesses {
    pub const fn new(
        core: Arc<Core>,
        session: SessionId,
        turn: TurnId,
        scope: Arc<Scope>,
        activity: Arc<Activity>,
    ) -> Self {
        Self { core, session, turn, scope, activity, foreground: Mutex::new(Vec::new()) }
    }
}

impl Processes for TurnProcesses {
    fn start(&self, request: StartRequest) -> BoxFuture<'_, std::result::Result<Started, StartRefused>> {
        async move {
            // A start is work of the house itself, however long a busy machine takes for it.
            let _wait = self.activity.wait();
            if let Some(cwd) = request.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
                // What was allowed was allowed there, and nowhere else.
                let reason = format!("there is no folder {}, or no way into it. It has not run.", cwd.display());
                return Err(StartRefused { code: StartRefusal::Directory, reason });
            }
            let order = StartOrder {
                session: self.session,
                turn: Some((self.turn, Arc::clone(&self.scope))),
                card: StartCard::Of { card: request.card, background: !request.foreground },
                command: request.command,
                cwd: request.cwd,
                notify: request.notify && !request.foreground,
                persist: request.manner.persist,
                manner: manner(&request.manner),
                asked: None,
            };
            match start(&self.core, order).await {
                Ok(Start::Runs(row, launched)) => {
                    if request.foreground {
                        self.foreground.lock().unwrap_or_else(PoisonError::into_inner).push(row.id);
                    }
                    Ok(Started {
                        process: row.id,
                        pid: launched.pid,
                        cwd: launched.cwd,
                        cwd_note: launched.cwd_note,
                        pty_note: launched.pty_note,
                    })
                }
                Ok(Start::Known(id)) => Err(StartRefused {
                    code: StartRefusal::Failed,
                    reason: format!("process {id} was started by this before"),
                }),
                Err(error) => Err(refusal(&self.scope, &error)),
            }
        }
        .boxed()
    }

    fn list(&self) -> Vec<ProcessBrief> {
        let rows = self.core.store.read(|s| s.processes().list(Some(self.session), true));
        let mut rows = rows.unwrap_or_else(|error| {
            tracing::error!("Processes cannot be listed: {error:#}");
            Vec::new()
        });
        rows.sort_by_key(|row| row.state.is_final());
        rows.iter().map(|row| self.brief(row)).collect()
    }

    fn poll(&self, id: &str) -> Option<ProcessBrief> {
        self.find(id).map(|row| self.brief(&row))
    }

    fn output(&self, id: ProcessId, head: usize, tail: usize) -> Option<OutputWindow> {
        let read = |from: Option<u64>, max: usize| match self.core.supervisor.read_output(id, from, max) {
            Ok(slice) => Some(slice),
            Err(error) => {
                tracing::warn!(process = %id, "The output cannot be read: {error:#}");
                None
            }
        };
        let end = read(None, tail)?;
        let before = usize::try_from(end.from).unwrap_or(usize::MAX).min(head);
        if before == 0 {
            return Some(OutputWindow { head: Vec::new(), tail: end.bytes, total: end.total, omitted: end.from });
        }
        let begin = read(Some(0), before)?;
        let omitted = end.from.saturating_sub(begin.next);
        Some(OutputWindow { head: begin.bytes, tail: end.bytes, total: end.total, omitted })
    }

    fn wait(&self, id: ProcessId) -> BoxFuture<'_, ProcessBrief> {
        async move {
            if let Some(mut ended) = self.core.followers.ended(id) {
                // Who asked to wait does not stand still; a command in the foreground may, as long as it writes nothing.
                let waits_itself = self.foreground.lock().unwrap_or_else(PoisonError::into_inner).contains(&id);
                let _wait = (!waits_itself).then(|| self.activity.wait());
                let _writes = waits_itself.then(|| self.core.watchdog.hear(id, &self.activity));
                // An error means that nobody follows the process any more, because its end is recorded.
                let _recorded = ended.wait_for(|done| *done).await;
            }
            self.find(&id.to_string()).map_or_else(|| gone(id), |row| self.brief(&row))
        }
        .boxed()
    }

    fn leave(&self, id: ProcessId) -> BoxFuture<'_, bool> {
        let unit = UnitId::from_uuid(self.core.ids.fresh());
        let at = self.core.now();
        async move {
            let left = self.core.store.write(move |tx| leave(tx, id, unit, Left::Spoken, at)).await;
            let left = left.unwrap_or_else(|error| {
                tracing::error!(process = %id, "It cannot be left in the background: {error:#}");
                None
            });
            let left = left.is_some();
            if left {
                self.foreground.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| *other != id);
            }
            left
        }
        .boxed()
    }

    fn stop(&self, id: ProcessId, by: StoppedBy) -> BoxFuture<'_, std::result::Result<StopReport, StopRefused>> {
        async move {
            // The answer to the call tells it, once that is a row.
            let order = StopOrder { process: id, by, mode: StopMode::Graceful, consume: None };
            match stop(&self.core, order).await {
                Ok(stopped) => Ok(StopReport { state: stopped.state, survivors: stopped.survivors }),
                Err(error) => Err(StopRefused { reason: error.to_string() }),
            }
        }
        .boxed()
    }

    fn write(
        &self,
        id: ProcessId,
        bytes: Vec<u8>,
        then: Then,
    ) -> BoxFuture<'_, std::result::Result<Written, WriteRefused>> {
        async move {
            let then = match then {
                Then::Nothing => gatehouse_process::Then::Nothing,
                Then::Enter => gatehouse_process::Then::Enter,
                Then::End => gatehouse_process::Then::End,
            };
            match write_input(&self.core, id, bytes, then).await {
                Ok(wrote) => Ok(Written { bytes: wrote.bytes, waiting: wrote.waiting }),
                Err(error) => Err(WriteRefused { reason: error.to_string() }),
            }
        }
        .boxed()
    }
}

/// What a model asked for, as it is recorded.
fn manner(asked: &gatehouse_agent::Manner) -> Manner {
    Manner {
        pty: asked.pty.then_some(USUAL_SIZE),
        stdin: asked.stdin,
        watch: asked.watch.clone(),
        heartbeat: asked.heartbeat,
        max_runtime: asked.max_runtime,
        restart_of: None,
    }
}

/// The terminal that a process writes to.
pub(super) fn screen(row: &ProcessRow) -> ScreenSize {
    let size = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
    match row.pty_rows.zip(row.pty_cols) {
        Some((rows, columns)) => ScreenSize { rows: size(rows), columns: Some(size(columns)) },
        None => ScreenSize::default(),
    }
}

impl TurnProcesses {
    fn find(&self, id: &str) -> Option<ProcessRow> {
        let rows = self.core.store.read(|s| match id.parse::<ProcessId>() {
            Ok(id) => Ok(s.processes().get(id)?.into_iter().collect()),
            Err(_) => s.processes().list(Some(self.session), true),
        });
        let rows: Vec<ProcessRow> = rows.unwrap_or_else(|error| {
            tracing::error!("A process cannot be looked up: {error:#}");
            Vec::new()
        });
        let matches = |row: &ProcessRow| row.session == self.session && row.id.to_string().starts_with(id);
        let mut found = rows.into_iter().filter(matches);
        let first = found.next().filter(|_| id.len() >= MIN_PREFIX)?;
        found.next().is_none().then_some(first)
    }

    fn brief(&self, row: &ProcessRow) -> ProcessBrief {
        let live = self.core.live.output(row.id);
        ProcessBrief {
            id: row.id,
            command: row.command.clone(),
            cwd: row.cwd.clone().into(),
            state: row.state,
            exit: row.exit,
            stopped_by: row.stopped_by,
            pid: row.pid,
            started_at: row.started_at,
            ended_at: row.ended_at,
            output_bytes: live.map_or(row.output_bytes, |l| l.total.max(row.output_bytes)),
            descendants: row.descendants,
            left_behind: self.core.live.left_behind(row.id),
            reason: row.reason.clone(),
            notify: row.notify,
            persist: row.persist,
            screen: screen(row),
        }
    }
}

fn refusal(scope: &Scope, error: &Error) -> StartRefused {
    let code = match error {
        _ if matches!(scope.state(), ScopeState::Abandoned(_)) => StartRefusal::Abandoned,
        Error::LimitReached { .. } => StartRefusal::TooMany,
        _ => StartRefusal::Failed,
    };
    StartRefused { code, reason: error.to_string() }
}

/// A row that was removed while somebody waited for its end.
fn gone(id: ProcessId) -> ProcessBrief {
    ProcessBrief {
        id,
        command: String::new(),
        cwd: std::path::PathBuf::new(),
        state: ProcessState::Lost,
        exit: None,
        stopped_by: None,
        pid: None,
        started_at: EpochMs::default(),
        ended_at: None,
        output_bytes: 0,
        descendants: 0,
        left_behind: Vec::new(),
        reason: Some("its record is gone".into()),
        notify: false,
        persist: false,
        screen: ScreenSize::default(),
    }
}
