//! What a restart makes of what it finds. Until it knows, no end wakes a session, so no turn begins in between.

mod stray; // jobs that a restored backup does not know

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use gatehouse_domain::{
    AbandonCause, ApprovalState, Author, EndReason, FailureCode, ItemId, ItemKind, ProcessId, ProcessState, SessionId,
    StoppedBy, TurnId, TurnProgress, TurnState,
};
use gatehouse_fault::{Point, point};
use gatehouse_process::{EndReport, Recovered, RecoveredState, StopMode};
use gatehouse_store::{ItemRow, NewItem, ProcessRow, Snapshot, TurnRow, Tx};

use crate::approvals::withdraw_open;
use crate::core::Core;
use crate::delegation::TaskEnd;
use crate::error::Result;
use crate::notice;
use crate::outbox::{self, Ending, Owed};
use crate::process::{self, StopOrder, Told};
use crate::restart::{self, After};
use crate::session::{AT_WORK, Message, close_open_cards, hand_up, nobody_waits};

/// A helper that does not answer is asked again so often.
const ASK_AGAIN: Duration = Duration::from_secs(5);
/// A turn that planned restarts cut off again and again is begun so often.
const MOST_ATTEMPTS: u32 = 3;
/// What a person reads of a turn that asks the model again, because the gateway had ended in the middle of it.
const ASKED_AGAIN: &str = "Asked again after a restart.";
/// Because its own end was missing.
const ASKED_ONCE_MORE: &str = "Asked again: the turn did not end as it should.";
/// Of one that somebody has ended.
const STOPPED: &str = "Turn stopped.";
/// What the model reads in a turn that goes on. A footer says that a machine wrote it.
const GO_ON: &str = "The gateway was restarted in the middle of this turn. A command that still runs says so in its \
                     result: its end will be reported by itself. What else had begun and has no result was cut off. Go \
                     on from here, and do not repeat what was done already.";

/// Processes first, so that every report is due before a turn looks; then turns and questions; then the queues.
pub(crate) async fn run(core: &Arc<Core>) -> Result<()> {
    processes(core).await?;
    point(Point::RecoveryProcesses);
    questions(core).await?;
    // What was on its way comes before any turn that could say the same again.
    outbox::open(core).await?;
    let after = restart::begin(core).await?;
    let cut_off = core.store.read(|s| Ok(s.turns().all_running()?.into_iter().map(|turn| turn.session)))?.collect();
    settle_after(core, None, after).await?;
    restart::requesters(core).await?;
    point(Point::RecoveryTurns);
    // From here on an end wakes its session by itself; what came before is found in the rows.
    core.open.store(true, Ordering::Release);
    if after == After::Loop {
        core.store.write(|tx| tx.units().sessions_due()?.into_iter().try_for_each(|from| hand_up(tx, from))).await?;
    }
    let begun: BTreeSet<SessionId> = core.store.read(|s| {
        let mut found: BTreeSet<_> = s.turns().all_running()?.into_iter().map(|t| t.session).collect();
        found.extend(s.admissions().queued_sessions()?);
        Ok(found)
    })?;
    let due = core.store.read(|s| s.units().sessions_due())?.into_iter().collect();
    wake(core, begun, due, after, &cut_off).await?;
    point(Point::RecoveryOpen);
    Ok(())
}

/// What was begun goes on before anybody can say anything more. What is only due may wait until the house is open: there
/// can be a thousand sessions of it. In a circle of starts nothing is woken: whoever writes goes on, and with them what
/// waits.
async fn wake(
    core: &Arc<Core>,
    begun: BTreeSet<SessionId>,
    due: BTreeSet<SessionId>,
    after: After,
    told: &BTreeSet<SessionId>,
) -> Result<()> {
    match after {
        After::Loop => restart::tell_loop(core, (&(&begun | &due) - told).into_iter().collect()).await,
        After::End | After::Plan => {
            let rest = &due - &begun;
            for session in begun {
                core.actors.send(core, session, Message::Resume).await?;
            }
            let later = Arc::clone(core);
            core.actors.tasks.spawn(async move {
                for session in rest {
                    process::wake(&later, session).await;
                }
            });
            Ok(())
        }
    }
}

async fn processes(core: &Arc<Core>) -> Result<()> {
    stray::take_in(core).await?;
    let rows = core.store.read(|s| s.processes().unsettled())?;
    for row in &rows {
        core.followers.expect(row.id);
    }
    let ids: Vec<ProcessId> = rows.iter().map(|row| row.id).collect();
    for Recovered { id, state } in core.supervisor.recover(&ids).await? {
        if let Some(row) = rows.iter().find(|row| row.id == id) {
            if state == RecoveredState::Unreachable {
                tracing::error!(process = %row.id, "It is not known what became of a process; its helper is asked again.");
                core.actors.tasks.spawn(ask_again(Arc::clone(core), row.id));
            }
            take_up(core, row, state).await?;
        }
    }
    Ok(())
}

async fn take_up(core: &Arc<Core>, row: &ProcessRow, state: RecoveredState) -> Result<()> {
    match state {
        RecoveredState::Adopted { pid, start_ticks, boot_id } => adopt(core, row, pid, start_ticks, boot_id).await,
        RecoveredState::Ended(report) => {
            if !report.lost {
                untied(core, row).await?;
            }
            settle(core, row, report).await
        }
        RecoveredState::NeverRan { reason } => never_ran(core, row, reason).await,
        RecoveredState::Unreachable => Ok(()),
    }
}

/// A helper that lives but does not answer is asked until it does.
async fn ask_again(core: Arc<Core>, id: ProcessId) {
    loop {
        tokio::select! {
            () = core.closing.cancelled() => return,
            () = tokio::time::sleep(ASK_AGAIN) => {}
        }
        let settled = async {
            let found = core.supervisor.recover(&[id]).await?.pop();
            let Some(row) = core.store.read(|s| s.processes().get(id))? else { return Ok(true) };
            let Some(Recovered { state, .. }) = found else {
                // A stop has found it meanwhile: it is listened to, and nobody records yet what is heard. Its pid is
                // known, since a stop asks nobody whose pid is not.
                core.followers.follow(&core, id);
                return Ok(true);
            };
            if state == RecoveredState::Unreachable {
                return Ok(false);
            }
            take_up(&core, &row, state).await.map(|()| true)
        };
        match settled.await {
            Ok(true) => return,
            Ok(false) => {}
            Err::<bool, crate::error::Error>(error) => {
                tracing::warn!(process = %id, "A helper could not be asked: {error:#}");
            }
        }
    }
}

/// It lives: its row says so, its events are recorded, and a stop that was begun goes on.
async fn adopt(core: &Arc<Core>, row: &ProcessRow, pid: u32, start_ticks: u64, boot_id: String) -> Result<()> {
    let id = row.id;
    if row.pid.is_none() {
        let cwd = row.cwd.clone();
        core.store.write(move |tx| tx.processes_mut().launched(id, pid, start_ticks, &boot_id, &cwd)).await?;
    }
    untied(core, row).await?;
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

/// Nobody waits for what a turn that was cut off had run in the foreground. Its end, which may come before that turn is
/// settled, shall find that it is owed.
async fn untied(core: &Arc<Core>, row: &ProcessRow) -> Result<()> {
    let (Some(turn), id) = (row.turn, row.id) else { return Ok(()) };
    let running = core.store.read(|s| s.turns().get(turn))?.filter(|turn| turn.state == TurnState::Running);
    // What nobody waits for is stopped with its turn, and told to nobody.
    if let Some(turn) = running
        && !task(core, &turn)?.is_given_up()
    {
        let (ids, at) = (Arc::clone(&core.ids), core.now());
        core.store.write(move |tx| process::leave_cut_off(tx, id, &*ids, at)).await?;
    }
    Ok(())
}

async fn settle(core: &Arc<Core>, row: &ProcessRow, report: EndReport) -> Result<()> {
    if row.state.is_final() {
        let EndReport { survivors, escape_possible, output_total, .. } = &report;
        process::without_shim(core, row.id, survivors, *escape_possible, *output_total).await?;
    } else {
        process::last_words(core, row.id, &report).await;
        process::record_end(core, row.id, &report).await?;
    }
    if report.survivors.is_empty() {
        core.followers.forget(row.id);
    } else {
        let (task_core, id) = (Arc::clone(core), row.id);
        core.actors.tasks.spawn(async move {
            process::watch_orphans(&task_core, id, report.survivors).await;
            task_core.followers.forget(id);
        });
    }
    Ok(())
}

/// Nobody was told that it did not start, so its report is due.
async fn never_ran(core: &Arc<Core>, row: &ProcessRow, reason: Option<String>) -> Result<()> {
    if row.state.is_final() {
        // Its run directory is gone, and with it everybody that could be found through it.
        process::left_behind(core, row.id, &[]).await?;
    } else if row.pid.is_some() {
        // It did run. A restored backup may be older than the time for which run directories are kept.
        let heard_of = row.last_output_at.unwrap_or(row.started_at);
        process::record_end(core, row.id, &EndReport::gone(heard_of, row.output_bytes)).await?;
    } else {
        let reason = reason.unwrap_or_else(|| "The gateway ended before the command began. It never ran.".into());
        process::record_failed_start(core, row.id, reason, Told::Nobody).await?;
    }
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

/// What the progress of a turn allows that runs in its row and nowhere else, while the gateway goes on: again, once more,
/// or an end that offers a retry.
pub(crate) async fn settle_turns(core: &Arc<Core>, of: SessionId) -> Result<()> {
    settle_after(core, Some(of), After::End).await
}

/// What becomes of a turn that was cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// Nothing was asked yet: it runs.
    Runs,
    /// It asks once more.
    AsksAgain,
    /// It goes on from where it was, because its end was planned.
    GoesOn,
    /// It ends, and a person may retry it.
    Ends,
}

const fn fate(turn: &TurnRow, after: After, task: Task) -> Fate {
    match (after, turn.progress) {
        _ if task.is_given_up() => Fate::Ends,
        (After::Loop, _) => Fate::Ends,
        (After::End | After::Plan, TurnProgress::Created) => Fate::Runs,
        (After::End, TurnProgress::Requested) if turn.attempt == 1 => Fate::AsksAgain,
        (After::Plan, TurnProgress::Requested) if turn.attempt < MOST_ATTEMPTS => Fate::AsksAgain,
        (After::Plan, TurnProgress::Effected) if turn.attempt < MOST_ATTEMPTS => Fate::GoesOn,
        (After::End | After::Plan, TurnProgress::Requested | TurnProgress::Effected) => Fate::Ends,
    }
}

/// For whom a turn works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    /// For whoever spoke.
    None,
    /// For whoever spoke, and has ended the session since: the turn was stopped by that.
    Over,
    /// For another agent, which has handed a task on.
    Awaited,
    /// For another agent, and a person has drawn a line: nobody waits for it.
    Forsaken,
}

impl Task {
    /// A person has drawn a line since, and with it given up the turn and what that started.
    const fn is_given_up(self) -> bool {
        matches!(self, Self::Over | Self::Forsaken)
    }
}

fn task(core: &Core, turn: &TurnRow) -> Result<Task> {
    Ok(core.store.read(|s| {
        Ok(match s.tasks().get(turn.session)? {
            None if has_drawn_a_line(s, turn.session)? => Task::Over,
            None => Task::None,
            Some(_) if nobody_waits(s, turn.session)? => Task::Forsaken,
            Some(_) => Task::Awaited,
        })
    })?)
}

fn has_drawn_a_line(rows: &Snapshot<'_>, session: SessionId) -> gatehouse_store::Result<bool> {
    let end = rows.sessions().get(session)?.and_then(|row| row.end_reason);
    Ok(end.is_some_and(EndReason::is_boundary))
}

async fn settle_after(core: &Arc<Core>, of: Option<SessionId>, after: After) -> Result<()> {
    let running = core.store.read(|s| s.turns().all_running())?;
    for turn in running.into_iter().filter(|turn| of.is_none_or(|session| turn.session == session)) {
        let notice = entry(core, &turn, ItemKind::Notice, if of.is_none() { ASKED_AGAIN } else { ASKED_ONCE_MORE });
        let task = task(core, &turn)?;
        let failed = NewItem {
            failure: Some(if task == Task::Over { FailureCode::Stopped } else { FailureCode::Interrupted }),
            retryable: task == Task::None,
            ..entry(core, &turn, ItemKind::FailedTurn, words(turn.progress, after, task, of.is_none()))
        };
        let continuation = NewItem { author: Author::Machine, ..entry(core, &turn, ItemKind::AutoContinue, GO_ON) };
        let fate = fate(&turn, after, task);
        let at = core.now();
        let (session, over, given_up) = (turn.session, task == Task::Over, task.is_given_up());
        let state = if over { TurnState::Stopped } else { TurnState::Interrupted };
        let task = TaskEnd::of(core, session, state, failed.failure, &failed.text, at);
        let ended = notice::turn_ended(core, turn.id, failed.failure, &failed.text, at);
        // Who ended the session knows it.
        let ending = (!over).then_some(Ending::Failure(&failed.text));
        let owed = ending.and_then(|ending| Owed::by(core, turn.session, turn.id, ending, None));
        let summary = if over { STOPPED } else { "No answer: the gateway ended meanwhile." };
        let ids = Arc::clone(&core.ids);
        let id = turn.id;
        let told = core
            .store
            .write(move |tx| {
                let streaming = streaming_of(tx, turn.id)?;
                for process in tx.processes().unsettled_of_turn(turn.id)? {
                    if given_up {
                        process::doom(tx, &process, AbandonCause::NewSession)?;
                    } else {
                        process::leave_cut_off(tx, process.id, &*ids, at)?;
                    }
                }
                match fate {
                    Fate::Runs => {}
                    Fate::GoesOn => {
                        for item in streaming {
                            tx.items_mut().set_text(item.id, &item.text, false)?;
                        }
                        close_open_cards(tx, turn.id, at)?;
                        tx.turns_mut().again(turn.id)?;
                        tx.sessions_mut().set_summary(turn.session, AT_WORK, false, at)?;
                        tx.items_mut().insert(&continuation)?;
                    }
                    Fate::AsksAgain => {
                        for item in streaming {
                            tx.items_mut().remove(item.id)?;
                        }
                        close_open_cards(tx, turn.id, at)?;
                        tx.turns_mut().again(turn.id)?;
                        tx.sessions_mut().set_summary(turn.session, AT_WORK, false, at)?;
                        tx.items_mut().insert(&notice)?;
                    }
                    Fate::Ends => {
                        for item in streaming {
                            tx.items_mut().set_text(item.id, &item.text, false)?;
                        }
                        tx.items_mut().insert(&failed)?;
                        withdraw_open(tx, turn.session, turn.id, at)?;
                        close_open_cards(tx, turn.id, at)?;
                        tx.turns_mut().finish(turn.id, state, at)?;
                        ended.write(tx, Some(failed.id))?;
                        if let Some(owed) = &owed {
                            owed.write(tx)?;
                        }
                        tx.sessions_mut().set_summary(turn.session, summary, true, at)?;
                        if let Some(admission) = turn.admission {
                            tx.admissions_mut().done(admission)?;
                        }
                        return task.write(tx);
                    }
                }
                Ok(None)
            })
            .await?;
        if given_up {
            let started = core.store.read(|s| s.processes().unsettled_of_turn(id))?;
            let started = started.into_iter().map(|process| process.id).collect();
            process::reap(core, session, id, started, AbandonCause::NewSession);
        }
        if let Some(owner) = told {
            process::wake(core, owner).await;
        }
    }
    Ok(())
}

/// Why it has no answer; `restarted` if the gateway has begun anew since it ran.
const fn words(progress: TurnProgress, after: After, task: Task, restarted: bool) -> &'static str {
    match progress {
        _ if matches!(task, Task::Over) => STOPPED,
        _ if matches!(task, Task::Awaited | Task::Forsaken) => {
            "No answer: the gateway ended in the middle of this task. What was done stays done; what came of it is unknown."
        }
        _ if matches!(after, After::Loop) => {
            "No answer: the gateway started three times within a minute, and this turn is not begun again by itself. Your \
             message is kept. Retry if you want to go on."
        }
        TurnProgress::Effected if !restarted => {
            "No answer: this turn did not end as it should, after something had been run. What was done stays done. \
             Retry if you want to go on."
        }
        TurnProgress::Created | TurnProgress::Requested if !restarted => {
            "No answer: this turn did not end as it should, twice. Your message is kept. Retry if you want to go on."
        }
        TurnProgress::Created | TurnProgress::Requested => {
            "No answer: the gateway ended twice while the model was asked. Your message is kept. Retry if you want to go on."
        }
        TurnProgress::Effected => {
            "No answer: the gateway ended in the middle of this turn, after something had been run. What was done stays \
             done. Retry if you want to go on."
        }
    }
}

/// What a turn has begun to say.
pub(crate) fn streaming_of(tx: &Tx<'_>, turn: TurnId) -> gatehouse_store::Result<Vec<ItemRow>> {
    let all = tx.items().streaming()?;
    Ok(all.into_iter().filter(|item| item.turn == Some(turn)).collect())
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
