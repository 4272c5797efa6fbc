//! Facts that are worth a notice. Each is put into words before the transaction that records it, and written in it.

use std::time::Duration;

use gatehouse_domain::{EpochMs, Exit, FailureCode, ItemId, NoticeKind, ProcessState, Tone, TurnId};
use gatehouse_store::{NewApproval, NewNotice, ProcessRow, Result, Tx};

use super::words;
use crate::core::Core;

/// Nobody has turned away from a turn that was shorter.
const WAITED: Duration = Duration::from_secs(10);

/// The end of a process that owes a report, unless somebody wanted it to end.
pub(crate) fn ended(
    core: &Core,
    row: &ProcessRow,
    state: ProcessState,
    exit: Exit,
    output: &str,
    at: EpochMs,
) -> Option<NewNotice> {
    if !row.notify || state == ProcessState::Killed && row.stopped_by.is_some_and(words::is_wanted) {
        return None;
    }
    let good = state == ProcessState::Exited && exit.is_success();
    Some(NewNotice {
        kind: NoticeKind::ProcessEnded,
        tone: if good { Tone::Done } else { Tone::Fail },
        title: words::ended(core, row, state, Some(exit)),
        body: words::last_line(output),
        session: row.session,
        seq: None,
        process: Some(row.id),
        approval: None,
        at,
    })
}

/// A process that never ran, and nobody was told so.
pub(crate) fn failed_start(core: &Core, row: &ProcessRow, reason: &str, at: EpochMs) -> Option<NewNotice> {
    row.notify.then(|| NewNotice {
        kind: NoticeKind::ProcessEnded,
        tone: Tone::Fail,
        title: words::ended(core, row, ProcessState::FailedStart, None),
        body: words::first_line(core, reason),
        session: row.session,
        seq: None,
        process: Some(row.id),
        approval: None,
        at,
    })
}

/// A question. Closing it, by whatever path, marks its notice as read.
pub(crate) fn asked(core: &Core, question: &NewApproval) -> NewNotice {
    NewNotice {
        kind: NoticeKind::Approval,
        tone: Tone::Need,
        title: "Allow a command?".to_owned(),
        body: words::first_line(core, &question.command),
        session: question.session,
        seq: None,
        process: None,
        approval: Some(question.id),
        at: question.created_at,
    }
}

/// How a turn ended, in words that are masked already.
pub(crate) struct TurnEnd {
    turn: TurnId,
    failure: Option<FailureCode>,
    body: String,
    at: EpochMs,
}

/// Gathers what a turn's notice would say.
pub(crate) fn turn_ended(
    core: &Core,
    turn: TurnId,
    failure: Option<FailureCode>,
    last_words: &str,
    at: EpochMs,
) -> TurnEnd {
    TurnEnd { turn, failure, body: words::first_line(core, last_words), at }
}

impl TurnEnd {
    /// Writes it, if a person waited for the turn. A turn that answers reports shares their notices, and a person who
    /// stopped a turn knows that it ended.
    pub fn write(&self, tx: &Tx<'_>, shown_by: Option<ItemId>) -> Result<()> {
        if self.failure == Some(FailureCode::Stopped) {
            return Ok(());
        }
        let Some(turn) = tx.turns().get(self.turn)? else { return Ok(()) };
        if turn.cause.is_internal() || u128::from(self.at.since(turn.started_at)) <= WAITED.as_millis() {
            return Ok(());
        }
        let seq = shown_by.map(|item| tx.items().get(item)).transpose()?.flatten().map(|item| item.seq);
        let title = tx.sessions().get(turn.session)?.map(|session| session.title).unwrap_or_default();
        tx.notices_mut().insert(&NewNotice {
            kind: NoticeKind::TurnEnded,
            tone: if self.failure.is_none() { Tone::Done } else { Tone::Fail },
            title: words::line(&title, 200),
            body: self.body.clone(),
            session: turn.session,
            seq,
            process: None,
            approval: None,
            at: self.at,
        })?;
        Ok(())
    }
}
