//! What a restart makes of what it finds, before any actor starts.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use gatehouse_domain::{
    ApprovalState, Author, FailureCode, ItemId, ItemKind, ProcessId, ProcessState, SessionId, StoppedBy, TurnProgress,
    TurnState,
};
use gatehouse_process::{EndReport, Recovered, RecoveredState, StopMode};
use gatehouse_store::{ItemRow, NewItem, ProcessRow, TurnRow, Tx};

use crate::approvals::withdraw_open;
use crate::core::Core;
use crate::error::Result;
use crate::process::{self, StopOrder};
use crate::session::{Message, close_open_cards};

/// Processes first, so that every report is due before a turn looks; then turns and questions; then the queues.
pub(crate) async fn run(core: &Arc<Core>) -> Result<()> {
    processes(core).await?;
    questions(core).await?;
    settle_turns(core, None).await?;
    let sessions: BTreeSet<SessionId> = core.store.read(|s| {
        let mut found: BTreeSet<_> = s.turns().all_running()?.into_iter().map(|t| t.session).collect();
        found.extend(s.admissions().queued_sessions()?);
        found.extend(s.units().sessions_due()?);
        Ok(found)
    })?;
    for session in sessions {
        core.actors.send(core, session, Message::Resume).await?;
    }
    Ok(())
}

async fn processes(core: &Arc<Core>) -> Result<()> {
    let rows = core.store.read(|s| s.processes().unsettled())?;
    for row in &rows {
        core.followers.expect(row.id);
    }
    let mut found: HashMap<ProcessId, RecoveredState> =
        core.supervisor.recover().await?.into_iter().map(|Recovered { id, state }| (id, state)).collect();
    for row in &rows {
        match found.remove(&row.id) {
            Some(RecoveredState::Adopted { pid, start_ticks, boot_id }) => {
                adopt(core, row, pid, start_ticks, boot_id).await?;
            }
            Some(RecoveredState::Ended(report)) => settle(core, row, &report).await?,
            Some(RecoveredState::NeverRan { reason }) => never_ran(core, row, reason).await?,
            // Its run directory was not even made.
            None => never_ran(core, row, None).await?,
            Some(RecoveredState::Unreachable) => {
                tracing::error!(process = %row.id, "A living helper does not answer; the next start asks again.");
            }
        }
    }
    Ok(())
}

/// It lives: its row says so, its events are recorded, and a stop that was begun goes on.
async fn adopt(core: &Arc<Core>, row: &ProcessRow, pid: u32, start_ticks: u64, boot_id: String) -> Result<()> {
    let id = row.id;
    if row.state == ProcessState::Starting {
        let cwd = row.cwd.clone();
        core.store.write(move |tx| tx.processes_mut().launched(id, pid, start_ticks, &boot_id, &cwd)).await?;
    }
    core.followers.follow(core, id);
    if row.state == ProcessState::Stopping {
        let task_core = Arc::clone(core);
        let by = row.stopped_by.unwrap_or(StoppedBy::User);
        core.actors.tasks.spawn(async move {
            let order = StopOrder { process: id, by, mode: StopMode::Graceful, consume: None };
            if let Err(error) = process::stop(&task_core, order).await {
                tracing::warn!(process = %id, "A stop could not be resumed: {error:#}");
            }
        });
    }
    Ok(())
}

async fn settle(core: &Arc<Core>, row: &ProcessRow, report: &EndReport) -> Result<()> {
    if row.state.is_final() {
        let (id, descendants) = (row.id, report.descendants);
        core.store.write(move |tx| tx.processes_mut().set_descendants(id, descendants)).await?;
    } else {
        process::record_end(core, row.id, report).await?;
    }
    if report.survivors.is_empty() {
        core.followers.forget(row.id);
    } else {
        core.followers.follow(core, row.id);
    }
    Ok(())
}

/// Nobody was told that it did not start, so its report is due.
async fn never_ran(core: &Arc<Core>, row: &ProcessRow, reason: Option<String>) -> Result<()> {
    let reason = reason.unwrap_or_else(|| "The gateway ended before the command began. It never ran.".into());
    process::record_failed_start(core, row, reason).await?;
    core.followers.forget(row.id);
    Ok(())
}

async fn questions(core: &Core) -> Result<()> {
    let at = core.now();
    core.store
        .write(move |tx| {
            for approval in tx.approvals().all_pending()? {
                tx.approvals_mut().close(approval.id, ApprovalState::Withdrawn, at)?;
            }
            Ok(())
        })
        .await?;
    Ok(())
}

/// What a turn's progress allows: again, once more, or an end that offers a retry.
pub(crate) async fn settle_turns(core: &Core, of: Option<SessionId>) -> Result<()> {
    let running = core.store.read(|s| s.turns().all_running())?;
    for turn in running.into_iter().filter(|turn| of.is_none_or(|session| turn.session == session)) {
        let notice = entry(core, &turn, ItemKind::Notice, "Asked again after a restart.");
        let failed = NewItem {
            failure: Some(FailureCode::Interrupted),
            retryable: true,
            ..entry(core, &turn, ItemKind::FailedTurn, INTERRUPTED)
        };
        let at = core.now();
        core.store
            .write(move |tx| {
                let streaming = streaming_of(tx, &turn)?;
                match turn.progress {
                    TurnProgress::Created => {}
                    TurnProgress::Requested if turn.attempt == 1 => {
                        for item in streaming {
                            tx.items_mut().remove(item.id)?;
                        }
                        tx.turns_mut().again(turn.id)?;
                        tx.items_mut().insert(&notice)?;
                    }
                    TurnProgress::Requested | TurnProgress::Effected => {
                        for item in streaming {
                            tx.items_mut().set_text(item.id, &item.text, false)?;
                        }
                        tx.items_mut().insert(&failed)?;
                        withdraw_open(tx, turn.session, turn.id, at)?;
                        close_open_cards(tx, turn.id, at)?;
                        tx.turns_mut().finish(turn.id, TurnState::Interrupted, at)?;
                        if let Some(admission) = turn.admission {
                            tx.admissions_mut().done(admission)?;
                        }
                    }
                }
                Ok(())
            })
            .await?;
    }
    Ok(())
}

const INTERRUPTED: &str = "No answer: the gateway ended in the middle of this turn, after something had been run. \
                           What was done stays done. Retry if you want to go on.";

fn streaming_of(tx: &Tx<'_>, turn: &TurnRow) -> gatehouse_store::Result<Vec<ItemRow>> {
    let all = tx.items().streaming()?;
    Ok(all.into_iter().filter(|item| item.turn == Some(turn.id)).collect())
}

fn entry(core: &Core, turn: &TurnRow, kind: ItemKind, text: &str) -> NewItem {
    NewItem {
        id: ItemId::from_uuid(core.ids.fresh()),
        session: turn.session,
        turn: Some(turn.id),
        author: Author::System,
        kind,
        text: text.to_owned(),
        streaming: false,
        failure: None,
        retryable: false,
        admission: None,
        at: core.now(),
    }
}
