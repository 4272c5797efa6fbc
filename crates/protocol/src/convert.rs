//! Rows as the wire shows them.

mod block; // the typed tree of Markdown
mod engine; // what the embedded engine does
mod feed; // a batch
mod incident; // what was dropped or failed
mod item; // transcript entries
mod notice; // what happened while nobody looked
mod output; // bytes as text
mod question; // questions, answers and rules
mod settings; // what a person sets

pub(crate) use engine::engine;
pub(crate) use feed::{feed, trouble};
pub(crate) use incident::{held, held_letter, incident};
pub(crate) use item::item;
pub(crate) use notice::{muted, notice};
pub(crate) use output::output_text;
pub(crate) use question::rule;
pub(crate) use settings::{key_place, local_server, models, settings, tested};

use gatehouse_domain::{EpochMs, Exit, SessionGroup};
use gatehouse_gateway::row::{ProcessRow, SessionOverview, TurnRow};
use gatehouse_text::note::signal_name;

use crate::wire;

/// A day: what ended longer ago is "earlier".
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

pub(crate) fn session(overview: &SessionOverview, reaping: u32, now: EpochMs) -> wire::Session {
    let row = &overview.row;
    let queued = overview.queued.iter().map(|a| wire::Queued {
        admission_id: a.id.to_string(),
        text: a.text.clone(),
        at_ms: a.at.into(),
    });
    wire::Session {
        session_id: row.id.to_string(),
        rev: row.rev.0.into(),
        title: row.title.clone(),
        group: group(overview, now).as_str().into(),
        unread: overview.unread.into(),
        summary: row.summary.clone(),
        last_at_ms: row.last_at.into(),
        running_turn_id: overview.running_turn.map(|t| t.to_string()),
        reaping,
        pending_approvals: overview.pending_approvals,
        running_processes: overview.running_processes,
        failed: row.failed,
        queued: queued.collect(),
        queue_paused: row.queue_paused,
        muted: overview.muted,
        ended: row.end_reason.map(|reason| reason.as_str().into()),
        next_session_id: overview.next.map(|next| next.to_string()),
        last_seq: row.last_seq.into(),
        delegated_from: row.delegated_from.map(|owner| owner.to_string()),
        running_tasks: Some(overview.running_tasks).filter(|tasks| *tasks > 0),
    }
}

/// Who must act. A program that waits for somebody to type counts also while a turn is at work: the agent may not know
/// the answer, and waits itself.
fn group(overview: &SessionOverview, now: EpochMs) -> SessionGroup {
    if overview.pending_approvals > 0 || overview.waiting_processes > 0 {
        SessionGroup::NeedsYou
    } else if overview.running_turn.is_some() || overview.running_processes > 0 || overview.running_tasks > 0 {
        SessionGroup::Running
    } else if now.since(overview.row.last_at) < DAY_MS && !put_away(overview) {
        SessionGroup::DoneToday
    } else {
        SessionGroup::Earlier
    }
}

/// A person put it under "Earlier", and nothing has happened in it since.
fn put_away(overview: &SessionOverview) -> bool {
    overview.row.earlier_seq == Some(overview.row.last_seq)
}

pub(crate) fn group_order(word: &str) -> usize {
    SessionGroup::ALL.iter().position(|g| g.as_str() == word).unwrap_or(usize::MAX)
}

pub(crate) fn turn(row: &TurnRow) -> wire::Turn {
    wire::Turn {
        turn_id: row.id.to_string(),
        session_id: row.session.to_string(),
        rev: row.rev.0.into(),
        number: row.number.into(),
        cause: row.cause.as_str().into(),
        state: row.state.as_str().into(),
        started_at_ms: row.started_at.into(),
        ended_at_ms: row.ended_at.map(Into::into),
    }
}

/// A row, and the ports on which it was last seen to serve, which is no row.
pub(crate) fn process(row: &ProcessRow, ports: Option<Vec<u16>>) -> wire::Process {
    let (exit_code, signal) = exit_words(row.exit);
    wire::Process {
        process_id: row.id.to_string(),
        session_id: row.session.to_string(),
        rev: row.rev.0.into(),
        turn_id: row.turn.map(|t| t.to_string()),
        turn_number: row.turn_number.map(Into::into),
        command: row.command.clone(),
        cwd: row.cwd.clone(),
        state: row.state.as_str().into(),
        attention: row.attention.map(|a| a.as_str().into()),
        pid: row.pid,
        exit_code,
        signal,
        stopped_by: row.stopped_by.map(|by| by.as_str().into()),
        reason: row.reason.clone(),
        started_at_ms: row.started_at.into(),
        ended_at_ms: row.ended_at.map(Into::into),
        output_bytes: row.output_bytes.into(),
        last_output_at_ms: row.last_output_at.map(Into::into),
        descendants: row.descendants,
        notify: row.notify,
        muted: row.muted,
        pty: row.pty_rows.is_some(),
        stdin: row.stdin,
        persist: row.persist.then_some(true),
        hidden_input: row.hidden_input.then_some(true),
        restart_of: row.restart_of.map(|process| process.to_string()),
        ports,
        matches: (row.matches > 0).then(|| row.matches.into()),
        escape_possible: row.escape_possible.then_some(true),
    }
}

/// A code or a signal's name, never both.
pub(crate) fn exit_words(exit: Option<Exit>) -> (Option<i32>, Option<String>) {
    match exit {
        Some(Exit::Code(code)) => (Some(code), None),
        Some(Exit::Signal(number)) => {
            (None, Some(signal_name(number).map_or_else(|| format!("signal {number}"), str::to_owned)))
        }
        Some(Exit::Unknown) | None => (None, None),
    }
}
