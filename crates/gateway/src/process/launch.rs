//! Starts a process: its row is committed before anything runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gatehouse_agent::untangled;
use gatehouse_domain::{
    AbandonCause, ConsumedBy, ItemId, ProcessId, ProcessState, Producer, SessionId, StoppedBy, TurnId, TurnProgress,
    UnitId, Wants,
};
use gatehouse_fault::{Point, point};
use gatehouse_process::{LaunchSpec, Launched, PtySize, Stdin, StopMode};
use gatehouse_store::{NewCard, NewItem, NewProcess, NewUnit, ProcessRow, Snapshot, Tx, WatchRow};
use gatehouse_trigger::WatchPatterns;
use gatehouse_turn::{Scope, ScopeState};

use super::known::{Known, known};
use super::record::{Told, record_failed_start};
use super::stop::{StopOrder, lives_on, stop, stopped_by};
use super::voice::{fresh, patterns_of};
use crate::config::Config;
use crate::core::Core;
use crate::error::{Error, Result};
use crate::notice::command_name;
use crate::session::{Asked, has_ended, name_session};

/// What came of a start and cannot be recorded is tried again so often.
const RECORD_AGAIN: Duration = Duration::from_secs(1);

/// What shall run, and for whom.
pub(crate) struct StartOrder {
    pub session: SessionId,
    pub turn: Option<(TurnId, Arc<Scope>)>,
    pub card: StartCard,
    pub command: String,
    pub cwd: Option<PathBuf>,
    pub notify: bool,
    pub persist: bool,
    pub manner: Manner,
    /// A person's request under a name: the same again is the same process, which has its id.
    pub asked: Option<Asked>,
}

/// In which way a process runs.
#[derive(Debug, Clone, Default)]
pub struct Manner {
    /// Under a terminal of so many rows and columns.
    pub pty: Option<(u32, u32)>,
    /// Its input can be written to without a terminal.
    pub stdin: bool,
    /// Lines that are waited for. They are not when its end is reported anyway.
    pub watch: WatchPatterns,
    /// A sign of life so often; its end is reported then.
    pub heartbeat: Option<Duration>,
    /// It is stopped after so long.
    pub max_runtime: Option<Duration>,
    /// The process that it takes the place of.
    pub restart_of: Option<ProcessId>,
}

/// In which way a process was started.
pub(crate) fn manner_of(row: &ProcessRow, watch: Option<&WatchRow>) -> Manner {
    Manner {
        pty: row.pty_rows.zip(row.pty_cols),
        stdin: row.stdin,
        watch: watch.map(patterns_of).unwrap_or_default(),
        heartbeat: watch.and_then(|watch| watch.heartbeat_ms).map(Duration::from_millis),
        max_runtime: row.max_runtime_ms.map(Duration::from_millis),
        restart_of: Some(row.id),
    }
}

/// Where the start is seen in the transcript.
pub(crate) enum StartCard {
    /// Nowhere.
    None,
    /// On the card of an agent's call; with `background` it stays open until the process ends.
    Of { card: ItemId, background: bool },
    /// On a card that is made with the process: a person's own command.
    New(Box<(NewItem, NewCard)>),
}

/// What a start came to.
pub(crate) enum Start {
    /// The shim has taken the job over.
    Runs(Box<ProcessRow>, Launched),
    /// It was asked for before, and this process began.
    Known(ProcessId),
}

/// Answered once the shim has taken the job over, or with the reason why not.
pub(crate) async fn start(core: &Arc<Core>, mut order: StartOrder) -> Result<Start> {
    if order.notify {
        // Two watchers of one end would tell it twice.
        order.manner.watch = WatchPatterns::default();
    }
    order.notify |= order.manner.heartbeat.is_some();
    if let Some(known) = known(core, order.asked.as_ref())? {
        return Ok(Start::Known(known));
    }
    let id =
        ProcessId::from_uuid(order.asked.as_ref().map_or_else(|| core.ids.fresh(), |asked| asked.admission.uuid()));
    let spec = launch_spec(core, id, &order).await;
    if let Some((_, scope)) = &order.turn {
        scope.register(id).map_err(|_| Error::StartFailed(GIVEN_UP.into()))?;
    }
    let scope = order.turn.as_ref().map(|(_, scope)| Arc::clone(scope));
    point(Point::StartRecordBefore);
    match record(core, id, order, &spec.cwd).await? {
        Recorded::Begins => {}
        Recorded::Known(known) => return known.answer().map(Start::Known),
        Recorded::Ended => return Err(Error::SessionEnded),
        Recorded::Closing => return Err(Error::ShuttingDown),
        Recorded::Full(full) => return Err(full.told()),
    }
    point(Point::StartRecordAfter);
    if given_up(scope.as_deref()).is_some() {
        return Err(failed(core, id, GIVEN_UP.into()).await);
    }
    core.followers.expect(id);
    match core.supervisor.launch(spec).await {
        Ok(launched) => {
            let row = took_over(core, id, &launched).await?;
            core.followers.follow(core, id);
            still_wanted(core, &row, scope.as_deref()).await?;
            Ok(Start::Runs(Box::new(row), launched))
        }
        Err(error) => {
            core.followers.forget(id);
            Err(failed(core, id, error.to_string()).await)
        }
    }
}

const GIVEN_UP: &str = "the turn was stopped before the command began.";

fn given_up(scope: Option<&Scope>) -> Option<AbandonCause> {
    match scope?.state() {
        ScopeState::Abandoned(cause) => Some(cause),
        ScopeState::Active | ScopeState::Finished => None,
    }
}

/// A stop that came while the job began could not reach it; now it can.
async fn still_wanted(core: &Arc<Core>, row: &ProcessRow, scope: Option<&Scope>) -> Result<()> {
    let (by, consume) = match (row.state, given_up(scope)) {
        (_, Some(cause)) if !lives_on(row, cause) => (stopped_by(cause), Some(ConsumedBy::Abandon)),
        (ProcessState::Stopping, _) => (row.stopped_by.unwrap_or(StoppedBy::User), None),
        (_, _) => return Ok(()),
    };
    stop(core, StopOrder { process: row.id, by, mode: StopMode::Graceful, consume }).await?;
    Err(Error::StartFailed("it was stopped while it began.".into()))
}

/// As many processes live as may.
struct Full {
    running: u32,
    live: Vec<ProcessRow>,
}

impl Full {
    /// Counted where the row is written: starts that come side by side count each other.
    fn of(rows: &Snapshot<'_>, config: &Config, session: SessionId) -> gatehouse_store::Result<Option<Self>> {
        let processes = rows.processes();
        let (here, all) = (processes.count_live(Some(session))?, processes.count_live(None)?);
        if here < config.processes_per_session && all < config.processes {
            return Ok(None);
        }
        let (mut live, full) = (processes.live()?, all >= config.processes);
        live.retain(|row| full || row.session == session);
        Ok(Some(Self { running: if full { all } else { here }, live }))
    }

    fn told(self) -> Error {
        let ids = self.live.iter().map(|row| format!("{} ({})", row.id, command_name(&row.command)));
        Error::LimitReached { running: self.running, ids: ids.collect::<Vec<_>>().join(", ") }
    }
}

async fn launch_spec(core: &Core, id: ProcessId, order: &StartOrder) -> LaunchSpec {
    let login = core.login().await;
    let cwd = match &order.cwd {
        Some(cwd) if cwd.is_absolute() => cwd.clone(),
        Some(cwd) => core.work_dir.join(cwd),
        None => core.work_dir.clone(),
    };
    LaunchSpec {
        id,
        // The row keeps what was asked for.
        command: untangled(&order.command).into_owned(),
        cwd,
        shell: login.shell.clone(),
        env: login.env(&core.secret_variables()),
        pty: order.manner.pty.map(size),
        // Whoever was to be typed to on a terminal that is not to be had is typed to through a pipe.
        stdin: if order.manner.stdin || order.manner.pty.is_some() { Stdin::Pipe } else { Stdin::Null },
        max_runtime: order.manner.max_runtime,
        owner: order.session.to_string(),
    }
}

/// A terminal's size; one that no terminal can have is as large as one can be.
pub(crate) fn size((rows, cols): (u32, u32)) -> PtySize {
    let one = |count: u32| u16::try_from(count.max(1)).unwrap_or(u16::MAX);
    PtySize { rows: one(rows), cols: one(cols) }
}

/// What came of the attempt to record a start.
enum Recorded {
    Begins,
    /// It was asked for before. Nothing was written.
    Known(Known),
    /// A person has ended the session. Nothing was written.
    Ended,
    /// Nothing begins any more. Nothing was written.
    Closing,
    /// No more may live. Nothing was written.
    Full(Full),
}

/// One transaction: the request, the process, the report that it owes, its card, and the turn's effect.
async fn record(core: &Core, id: ProcessId, order: StartOrder, cwd: &Path) -> Result<Recorded> {
    let at = core.now();
    let turn = order.turn.as_ref().map(|(turn, _)| *turn);
    let card = match &order.card {
        StartCard::None => None,
        StartCard::Of { card, .. } => Some(*card),
        StartCard::New(new) => Some(new.0.id),
    };
    let new = NewProcess {
        id,
        session: order.session,
        turn,
        card,
        command: order.command.clone(),
        cwd: cwd.display().to_string(),
        notify: order.notify,
        persist: order.persist,
        pty: order.manner.pty,
        stdin: order.manner.stdin,
        max_runtime_ms: order.manner.max_runtime.map(|most| u64::try_from(most.as_millis()).unwrap_or(u64::MAX)),
        restart_of: order.manner.restart_of,
        at,
    };
    let watch = fresh(id, &order.manner.watch, order.manner.heartbeat);
    // Who waits for a call is told by it.
    let foreground = matches!(order.card, StartCard::Of { background: false, .. });
    let wants = if order.notify { Wants::Turn } else { Wants::Notice };
    let unit = (order.notify || !foreground).then(|| NewUnit {
        id: UnitId::from_uuid(core.ids.fresh()),
        producer: Producer::Process,
        identity: format!("process:{id}"),
        session: order.session,
        process: Some(id),
        turn,
        command: order.command,
        wants,
        at,
    });
    let (start_card, asked) = (order.card, order.asked);
    // What runs again does so where it ran.
    let enters = turn.is_none() && new.restart_of.is_none();
    let (config, draining) = (core.config(), core.draining.clone());
    let recorded = core.store.write(move |tx| {
        if let Some(known) = asked.as_ref().map(|asked| Known::of(tx, asked)).transpose()?.flatten() {
            return Ok(Recorded::Known(known));
        }
        if enters && has_ended(tx, new.session)? {
            return Ok(Recorded::Ended);
        }
        if draining.is_cancelled() {
            return Ok(Recorded::Closing);
        }
        if let Some(full) = Full::of(tx, &config, new.session)? {
            return Ok(Recorded::Full(full));
        }
        if let Some(asked) = &asked {
            asked.accept(tx)?;
        }
        tx.processes_mut().insert(&new)?;
        if let Some(unit) = &unit {
            tx.units_mut().owe(unit)?;
        }
        if let Some(watch) = &watch {
            tx.watches_mut().put(watch)?;
        }
        put_on_card(tx, &new, &start_card)?;
        if let Some(turn) = turn {
            tx.turns_mut().advance(turn, TurnProgress::Effected)?;
        }
        Ok(Recorded::Begins)
    });
    Ok(recorded.await?)
}

fn put_on_card(tx: &Tx<'_>, process: &NewProcess, card: &StartCard) -> gatehouse_store::Result<()> {
    let (card, background) = match card {
        StartCard::None => return Ok(()),
        StartCard::Of { card, background } => (*card, *background),
        StartCard::New(new) => {
            name_session(tx, process.session, &process.command)?;
            tx.items_mut().insert(&new.0)?;
            tx.cards_mut().insert(&new.1)?;
            (new.0.id, true)
        }
    };
    tx.cards_mut().begin(card, process.at)?;
    tx.cards_mut().attach(card, process.id, background)
}

/// Nothing runs, and the answer tells it; until the store says so too, its row counts among those that live.
async fn failed(core: &Arc<Core>, id: ProcessId, reason: String) -> Error {
    while let Err(error) = record_failed_start(core, id, reason.clone(), Told::Already).await {
        tracing::error!(process = %id, "A failed start cannot be recorded yet: {error:#}");
        tokio::select! {
            () = core.closing.cancelled() => return Error::ShuttingDown,
            () = tokio::time::sleep(RECORD_AGAIN) => {}
        }
    }
    Error::StartFailed(reason)
}

/// The job runs, whatever the store says; until it says so too, nothing of it can be recorded.
async fn took_over(core: &Core, id: ProcessId, launched: &Launched) -> Result<ProcessRow> {
    loop {
        let (pid, ticks, boot) = (launched.pid, launched.start_ticks, launched.boot_id.clone());
        let cwd = launched.cwd.display().to_string();
        let no_terminal = launched.pty_note.is_some();
        let row = core.store.write(move |tx| {
            tx.processes_mut().launched(id, pid, ticks, &boot, &cwd)?;
            if no_terminal {
                tx.processes_mut().without_terminal(id)?;
            }
            tx.processes().get(id)
        });
        match row.await {
            Ok(Some(row)) => return Ok(row),
            Ok(None) => return Err(Error::NotFound("process")),
            Err(error) => tracing::error!(process = %id, "A running process cannot be recorded yet: {error:#}"),
        }
        tokio::select! {
            () = core.closing.cancelled() => return Err(Error::ShuttingDown),
            () = tokio::time::sleep(RECORD_AGAIN) => {}
        }
    }
}
