//! Starts a process: its row is committed before anything runs.

use std::path::PathBuf;
use std::sync::Arc;

use gatehouse_domain::{
    ConsumedBy, ItemId, ProcessId, ProcessState, Producer, SessionId, StoppedBy, TurnId, TurnProgress, UnitId,
};
use gatehouse_process::{LaunchSpec, Launched, StopMode};
use gatehouse_store::{NewProcess, NewUnit, ProcessEnd, ProcessRow};
use gatehouse_turn::{Scope, ScopeState};

use crate::core::Core;
use crate::error::{Error, Result};

/// What shall run, and for whom.
pub(crate) struct StartOrder {
    pub session: SessionId,
    pub turn: Option<(TurnId, Arc<Scope>)>,
    pub card: Option<ItemId>,
    /// The card stays open until the process ends.
    pub background: bool,
    pub command: String,
    pub cwd: Option<PathBuf>,
    pub notify: bool,
    pub persist: bool,
    pub client_key: Option<String>,
}

/// Answered once the shim has taken the job over, or with the reason why not.
pub(crate) async fn start(core: &Arc<Core>, order: StartOrder) -> Result<(ProcessRow, Launched)> {
    if core.draining.is_cancelled() {
        return Err(Error::ShuttingDown);
    }
    check_limits(core, order.session)?;
    let id = ProcessId::from_uuid(core.ids.fresh());
    let scope = order.turn.as_ref().map(|(_, scope)| Arc::clone(scope));
    if let Some(scope) = &scope {
        scope.register(id).map_err(|_| Error::StartFailed("the turn was stopped before the command began.".into()))?;
    }
    let spec = launch_spec(core, id, &order).await;
    record(core, id, &order, &spec.cwd).await?;
    core.followers.expect(id);
    match core.supervisor.launch(spec).await {
        Ok(launched) => {
            let stale = scope.is_some_and(|s| matches!(s.state(), ScopeState::Abandoned(_)));
            let row = took_over(core, id, &launched).await?;
            core.followers.follow(core, id);
            if stale {
                core.supervisor.stop(id, StopMode::Graceful).await?;
                return Err(Error::StartFailed("the turn was stopped while the command began; it was ended.".into()));
            }
            Ok((row, launched))
        }
        Err(error) => {
            core.followers.forget(id);
            let reason = error.to_string();
            never_ran(core, id, reason.clone()).await?;
            Err(Error::StartFailed(reason))
        }
    }
}

fn check_limits(core: &Core, session: SessionId) -> Result<()> {
    let (here, all, live) = core.store.read(|s| {
        let processes = s.processes();
        Ok((processes.count_live(Some(session))?, processes.count_live(None)?, processes.live()?))
    })?;
    if here < core.config.processes_per_session && all < core.config.processes {
        return Ok(());
    }
    let ids: Vec<_> = live.iter().filter(|p| all >= core.config.processes || p.session == session).collect();
    let words = ids.iter().take(8).map(|p| p.id.to_string()).collect::<Vec<_>>().join(", ");
    Err(Error::LimitReached { running: if all >= core.config.processes { all } else { here }, ids: words })
}

async fn launch_spec(core: &Core, id: ProcessId, order: &StartOrder) -> LaunchSpec {
    let login = core.login().await;
    let cwd = match &order.cwd {
        Some(cwd) if cwd.is_absolute() => cwd.clone(),
        Some(cwd) => core.work_dir.join(cwd),
        None => core.work_dir.clone(),
    };
    LaunchSpec { id, command: order.command.clone(), cwd, shell: login.shell.clone(), env: login.env.clone() }
}

async fn record(core: &Core, id: ProcessId, order: &StartOrder, cwd: &std::path::Path) -> Result<()> {
    let at = core.now();
    let turn = order.turn.as_ref().map(|(turn, _)| *turn);
    let new = NewProcess {
        id,
        session: order.session,
        turn,
        card: order.card,
        command: order.command.clone(),
        cwd: cwd.display().to_string(),
        notify: order.notify,
        persist: order.persist,
        client_key: order.client_key.clone(),
        at,
    };
    let unit = order.notify.then(|| NewUnit {
        id: UnitId::from_uuid(core.ids.fresh()),
        producer: Producer::Process,
        identity: format!("process:{id}"),
        session: order.session,
        root: order.session,
        route: format!("desktop:{}", order.session),
        process: Some(id),
        turn,
        command: order.command.clone(),
        at,
    });
    let (card, background) = (order.card, order.background);
    core.store
        .write(move |tx| {
            tx.processes_mut().insert(&new)?;
            if let Some(unit) = &unit {
                tx.units_mut().owe(unit)?;
            }
            if let Some(card) = card {
                tx.cards_mut().begin(card, at)?;
                tx.cards_mut().attach(card, id, background)?;
            }
            if let Some(turn) = turn {
                tx.turns_mut().advance(turn, TurnProgress::Effected)?;
            }
            Ok(())
        })
        .await?;
    Ok(())
}

async fn took_over(core: &Core, id: ProcessId, launched: &Launched) -> Result<ProcessRow> {
    let (pid, ticks, boot) = (launched.pid, launched.start_ticks, launched.boot_id.clone());
    let cwd = launched.cwd.display().to_string();
    let row = core.store.write(move |tx| {
        tx.processes_mut().launched(id, pid, ticks, &boot, &cwd)?;
        tx.processes().get(id)
    });
    row.await?.ok_or(Error::NotFound("process"))
}

/// Records that a process never ran. Whoever asked for it is told, so nothing is owed to the conversation.
async fn never_ran(core: &Core, id: ProcessId, reason: String) -> Result<()> {
    let at = core.now();
    core.store
        .write(move |tx| {
            let end = ProcessEnd {
                state: ProcessState::FailedStart,
                exit: None,
                reason: Some(reason),
                ended_at: at,
                output_bytes: 0,
                descendants: 0,
                escape_possible: false,
            };
            tx.processes_mut().ended(id, &end)?;
            super::consume_units(tx, id, ConsumedBy::Wait)
        })
        .await?;
    Ok(())
}

/// Whose stop a turn's sweep is.
pub(crate) const fn stopped_by(cause: gatehouse_domain::AbandonCause) -> StoppedBy {
    use gatehouse_domain::AbandonCause;
    match cause {
        AbandonCause::Stop => StoppedBy::TurnStop,
        AbandonCause::NewSession => StoppedBy::NewSession,
        AbandonCause::Timeout => StoppedBy::TurnTimeout,
        AbandonCause::Disconnect => StoppedBy::Disconnect,
    }
}
