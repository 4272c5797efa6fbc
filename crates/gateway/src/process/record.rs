//! Ends become rows: the process, its card and its report in one transaction.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use gatehouse_domain::{
    CardAnnotation, CardStatus, ConsumedBy, DeliveryState, EpochMs, Exit, ItemId, ProcessId, ProcessNotices,
    ProcessState, Producer, SessionId, StoppedBy, UnitId, Wants,
};
use gatehouse_fault::{Point, point};
use gatehouse_process::{EndReport, OutputSlice};
use gatehouse_store::{CardClose, NewItem, NewNotice, ProcessEnd, ProcessRow, Report, Tx, UnitRow};
use gatehouse_text::output::{self, MARGIN, Purpose, Shown, Source, Window};

use super::plain;
use crate::core::Core;
use crate::error::Result;
use crate::notice;
use crate::outbox::owe_notice;
use crate::session::Message;

/// As much of the end of the output is read for a report.
const TAIL_BYTES: usize = 28 * 1024 + MARGIN;
/// And of one that a terminal was painted with: a picture is far smaller than what painted it.
const PAINT_BYTES: usize = 8 * TAIL_BYTES;

/// Records an end in one transaction: the process, its card, its report. Then wakes whoever waits for it.
pub(crate) async fn record_end(core: &Arc<Core>, id: ProcessId, report: &EndReport) -> Result<()> {
    let Some(row) = core.store.read(|s| s.processes().get(id))? else {
        tracing::warn!(process = %id, "A process ended that has no row.");
        return Ok(());
    };
    core.live.leave_behind(id, report.survivors.clone());
    let facts = End::of(core, &row, report);
    let session = row.session;
    let teller = Arc::clone(core);
    point(Point::EndRecordBefore);
    let reported = core.store.write(move |tx| {
        // Read again inside the transaction: a stop may have been recorded since.
        let Some(row) = tx.processes().get(id)? else { return Ok(false) };
        let row = facts.ended_by_limit(tx, row)?;
        let end = facts.process(&row);
        if !tx.processes_mut().ended(id, &end)? {
            return Ok(false);
        }
        if let Some(notice) = facts.notice(&teller, &row, end.state) {
            tx.notices_mut().insert(&notice)?;
        }
        if let Some(line) = row.line {
            tx.items_mut().remove(line)?;
        }
        if let Some(card) = tx.cards().by_process(id)?.filter(|c| c.background) {
            tx.cards_mut().close(card.item, &facts.card(end.state))?;
        }
        // A sign of life that nobody was told would say that it still runs.
        for beat in tx.units().by_process(id)?.iter().filter(|unit| unit.producer == Producer::Heartbeat) {
            tx.units_mut().consume(beat.id, ConsumedBy::End)?;
        }
        match super::end_unit(tx, id)? {
            Some(unit) => {
                let due = tx.units_mut().finish(unit.id, &facts.report(&row, end.state))?;
                facts.receipt(tx, unit.id)?;
                Ok(due)
            }
            None => Ok(false),
        }
    });
    let reported = reported.await?;
    point(Point::EndRecordAfter);
    core.supervisor.acknowledge_end(id);
    if report.survivors.is_empty() {
        core.live.end_output(id);
    }
    core.followers.mark_ended(id);
    if reported {
        wake(core, session).await;
    }
    Ok(())
}

pub(crate) async fn wake(core: &Arc<Core>, session: SessionId) {
    // While a start still finds out what there is, nothing may begin; it looks for due reports as its last step.
    if !core.open.load(Ordering::Acquire) {
        return;
    }
    if let Err(error) = core.actors.send(core, session, Message::ReportDue).await {
        // The report stays due in its row; the next start finds it there.
        tracing::debug!(%session, "A report waits for the next start: {error}");
    }
}

/// Notes who lives on after the direct child's end.
pub(crate) async fn left_behind(core: &Core, id: ProcessId, survivors: &[u32]) -> Result<()> {
    core.live.leave_behind(id, survivors.to_vec());
    let count = u32::try_from(survivors.len()).unwrap_or(u32::MAX);
    core.store.write(move |tx| tx.processes_mut().set_descendants(id, count)).await?;
    Ok(())
}

/// Whether somebody was told already that a process did not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// By the answer to the one who asked for it.
    Already,
    /// The gateway ended before it could answer: the report is due.
    Nobody,
}

/// Records that a process never ran.
pub(crate) async fn record_failed_start(core: &Arc<Core>, id: ProcessId, reason: String, told: Told) -> Result<()> {
    let at = core.now();
    let teller = Arc::clone(core);
    core.store
        .write(move |tx| {
            let Some(row) = tx.processes().get(id)? else { return Ok(()) };
            let end = ProcessEnd {
                state: ProcessState::FailedStart,
                exit: None,
                reason: Some(reason.clone()),
                ended_at: at,
                output_bytes: 0,
                descendants: 0,
                escape_possible: false,
            };
            let fresh = tx.processes_mut().ended(id, &end)?;
            if let Some(notice) =
                notice::failed_start(&teller, &row, &reason, at).filter(|_| fresh && told == Told::Nobody)
            {
                tx.notices_mut().insert(&notice)?;
            }
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
            if told == Told::Already {
                super::consume_units(tx, id, ConsumedBy::Wait)?;
            }
            let Some(unit) = super::end_unit(tx, id)? else { return Ok(()) };
            let report = Report {
                state: Some(ProcessState::FailedStart),
                exit: None,
                stopped_by: None,
                duration_ms: at.since(row.started_at),
                output_tail: reason,
                output_bytes: 0,
                at,
                known_at: at,
            };
            tx.units_mut().finish(unit.id, &report)?;
            Ok(())
        })
        .await?;
    core.followers.mark_ended(id);
    Ok(())
}

const LOST: &str = "Its helper was ended from outside, so how it ended is unknown. All output up to then is kept.";
const GONE: &str = "Nothing is left of it, so how it ended and what it wrote are unknown.";

/// A part of a process's output as somebody may read it.
pub(super) fn render(core: &Core, row: &ProcessRow, window: &Window<'_>, purpose: Purpose) -> Shown {
    let secrets = core.secrets();
    let exact: Vec<&str> = secrets.iter().map(|s| s.expose().as_str()).collect();
    let code = match row.exit {
        Some(Exit::Code(code)) => Some(code),
        Some(Exit::Signal(_) | Exit::Unknown) | None => None,
    };
    let screen = super::view::screen(row);
    let source = Source { command: &row.command, code, screen, secrets: &exact, transforms: &[] };
    output::render(window, purpose, &source)
}

/// The last bytes of an output, as they were read.
fn window(slice: &OutputSlice, open: bool) -> Window<'_> {
    Window { head: &[], tail: &slice.bytes, omitted: slice.from, total: slice.total, open }
}

/// The end of an output as a model may read it; nothing if it cannot be read.
pub(super) fn end_of_output(core: &Core, row: &ProcessRow) -> String {
    let bytes = if row.pty_rows.is_some() { PAINT_BYTES } else { TAIL_BYTES };
    match core.supervisor.read_output(row.id, None, bytes) {
        Ok(slice) => render(core, row, &window(&slice, !row.state.is_final()), Purpose::Completion).noted(),
        Err(error) => {
            tracing::warn!(process = %row.id, "The output cannot be read: {error:#}");
            String::new()
        }
    }
}

/// The facts of one end, gathered before the transaction.
struct End {
    report: EndReport,
    tail: String,
    known_at: EpochMs,
    /// A tool of the running turn waits for it, and is told by that.
    awaited: bool,
    /// Its run directory is not there any more.
    is_gone: bool,
    /// What a person wants to read about ends.
    wanted: ProcessNotices,
    line: ItemId,
}

impl End {
    fn of(core: &Core, row: &ProcessRow, report: &EndReport) -> Self {
        // The row says so in a moment; the output of a command that has ended is whole.
        let over = ProcessRow { state: ProcessState::Exited, exit: Some(report.exit), ..row.clone() };
        Self {
            report: report.clone(),
            tail: end_of_output(core, &over),
            known_at: core.now(),
            awaited: core.followers.is_awaited(row.id),
            is_gone: matches!(core.supervisor.last_output(row.id), Err(gatehouse_process::Error::UnknownProcess(_))),
            wanted: core.config().process_notices,
            line: ItemId::from_uuid(core.ids.fresh()),
        }
    }

    /// While the turn that started it still runs, the agent cannot be told yet; its person can. An end that the agent
    /// asked for, or that was told already, is not told after the turn.
    fn receipt(&self, tx: &Tx<'_>, unit: UnitId) -> gatehouse_store::Result<()> {
        let waits = |unit: &UnitRow| {
            let asked_for = unit.stopped_by == Some(StoppedBy::Agent);
            unit.wants == Wants::Turn && unit.delivery == DeliveryState::Pending && !asked_for && !self.awaited
        };
        let Some(unit) = tx.units().get(unit)?.filter(waits) else { return Ok(()) };
        let launching = tx.turns().running(unit.session)?.is_some_and(|turn| unit.turn == Some(turn.id));
        let Some(words) = plain::receipt(&unit, self.wanted).filter(|_| launching) else { return Ok(()) };
        owe_notice(tx, unit.session, &words, unit.category, self.known_at)?;
        let line = NewItem::notice(self.line, unit.session, words, self.known_at);
        tx.items_mut().insert(&NewItem { turn: unit.turn, ..line })?;
        Ok(())
    }

    /// An end that its own limit brought is known as such from here on.
    fn ended_by_limit(&self, tx: &Tx<'_>, row: ProcessRow) -> gatehouse_store::Result<ProcessRow> {
        if self.report.limit_reached {
            tx.processes_mut().stopping(row.id, StoppedBy::Limit)?;
        }
        Ok(tx.processes().get(row.id)?.unwrap_or(row))
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
            reason: report.lost.then(|| if self.is_gone { GONE } else { LOST }.to_owned()),
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
            (
                ProcessState::Starting
                | ProcessState::Running
                | ProcessState::Stopping
                | ProcessState::Exited
                | ProcessState::Lost
                | ProcessState::FailedStart,
                Exit::Code(_) | Exit::Signal(_) | Exit::Unknown,
            ) => (CardStatus::Error, None),
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

    fn notice(&self, core: &Core, row: &ProcessRow, state: ProcessState) -> Option<NewNotice> {
        notice::ended(core, row, state, self.report.exit, &self.tail, self.report.ended_at)
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
            known_at: self.known_at,
        }
    }
}
