//! What waits for a session's next turn, and whether it may go on.
//!
//! A stop by a person pauses what people put into the queue: whoever stops wants to look first. What a machine owes, and
//! a retry that a person asks for, goes on. A new message of a person ends the pause, and so does an emptied queue.

use gatehouse_domain::{AdmissionId, SessionId, TurnCause};
use gatehouse_store::{AdmissionRow, Snapshot, Tx};

/// What begins next, in the order of the queue; nothing that a pause holds back.
pub(super) fn next(rows: &Snapshot<'_>, session: SessionId) -> gatehouse_store::Result<Option<AdmissionRow>> {
    let paused = is_paused(rows, session)?;
    Ok(rows.admissions().queued(session)?.into_iter().find(|input| may_begin(input, paused)))
}

/// Whether nothing that may begin waits, but for this one.
pub(super) fn is_free_for(
    rows: &Snapshot<'_>,
    session: SessionId,
    input: AdmissionId,
) -> gatehouse_store::Result<bool> {
    let paused = is_paused(rows, session)?;
    Ok(rows.admissions().queued(session)?.iter().filter(|other| may_begin(other, paused)).all(|o| o.id == input))
}

/// Words of people that may wait for one session.
const MOST_WAITING: usize = 32;

/// Whether nobody else's words can wait. A report takes no person's place.
pub(super) fn is_full(rows: &Snapshot<'_>, session: SessionId) -> gatehouse_store::Result<bool> {
    Ok(waiting_people(rows, session)? >= MOST_WAITING)
}

/// Holds back what people put into the queue, if there is any.
pub(super) fn pause(tx: &Tx<'_>, session: SessionId) -> gatehouse_store::Result<()> {
    if is_paused(tx, session)? || waiting_people(tx, session)? == 0 {
        return Ok(());
    }
    tx.sessions_mut().pause_queue(session, true)
}

/// Lets the queue go on; whether it was paused.
pub(super) fn go_on(tx: &Tx<'_>, session: SessionId) -> gatehouse_store::Result<bool> {
    let paused = is_paused(tx, session)?;
    if paused {
        tx.sessions_mut().pause_queue(session, false)?;
    }
    Ok(paused)
}

/// A queue in which nobody's words wait is not paused.
pub(crate) fn unpause_empty(tx: &Tx<'_>, session: SessionId) -> gatehouse_store::Result<()> {
    if waiting_people(tx, session)? == 0 {
        go_on(tx, session)?;
    }
    Ok(())
}

fn may_begin(input: &AdmissionRow, paused: bool) -> bool {
    !paused || input.cause != TurnCause::Human
}

/// Whether what people put into the queue is held back.
pub(super) fn is_paused(rows: &Snapshot<'_>, session: SessionId) -> gatehouse_store::Result<bool> {
    Ok(rows.sessions().get(session)?.is_some_and(|row| row.queue_paused))
}

fn waiting_people(rows: &Snapshot<'_>, session: SessionId) -> gatehouse_store::Result<usize> {
    Ok(rows.admissions().queued(session)?.iter().filter(|input| input.cause == TurnCause::Human).count())
}
