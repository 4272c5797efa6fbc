//! Commands that go on without the calls that waited for them: their ends are owed from then on.

use gatehouse_domain::{EpochMs, IdSource, ProcessId, ProcessState, Producer, UnitId, Wants};
use gatehouse_store::{NewUnit, ProcessRow, Tx};
use serde_json::{Value, json};

/// Why a call does not wait for its command any more.
#[derive(Debug, Clone, Copy)]
pub(super) enum Left {
    /// A person's words were to be heard.
    Spoken,
    /// Its turn was cut off.
    CutOff,
}

impl Left {
    /// On the card of the command.
    const fn words(self) -> &'static str {
        match self {
            Self::Spoken => "Moved to the background when you wrote.",
            Self::CutOff => "Went on in the background when a restart or a fault cut its turn off.",
        }
    }
}

/// What its call would have told is owed from now on, and its card stays open. One that is over, or that somebody is
/// ending, is told by its call.
pub(super) fn leave(
    tx: &Tx<'_>,
    id: ProcessId,
    unit: UnitId,
    why: Left,
    at: EpochMs,
) -> gatehouse_store::Result<Option<ProcessRow>> {
    let lives = |row: &ProcessRow| matches!(row.state, ProcessState::Starting | ProcessState::Running);
    let Some(row) = tx.processes().get(id)?.filter(lives) else { return Ok(None) };
    tx.processes_mut().set_notify(id)?;
    tx.units_mut().owe(&NewUnit {
        id: unit,
        producer: Producer::Process,
        identity: format!("process:{id}"),
        session: row.session,
        process: Some(id),
        turn: row.turn,
        command: row.command.clone(),
        wants: Wants::Turn,
        at,
    })?;
    if let Some(card) = tx.cards().by_process(id)? {
        tx.cards_mut().attach(card.item, id, true)?;
        tx.cards_mut().note(card.item, why.words())?;
    }
    Ok(Some(row))
}

/// A command that its turn may have waited for when that was cut off. Nobody else can give the call its result any more,
/// so it gets one here. Nothing if its end is owed already.
pub(crate) fn leave_cut_off(
    tx: &Tx<'_>,
    id: ProcessId,
    ids: &dyn IdSource,
    at: EpochMs,
) -> gatehouse_store::Result<()> {
    if super::end_unit(tx, id)?.is_some() {
        return Ok(());
    }
    let left = leave(tx, id, UnitId::from_uuid(ids.fresh()), Left::CutOff, at)?;
    if let (Some(row), Some(card)) = (left, tx.cards().by_process(id)?) {
        tx.cards_mut().set_result(card.item, &result(&row).to_string())?;
    }
    Ok(())
}

fn result(row: &ProcessRow) -> Value {
    json!({
        "status": "yielded_to_background",
        "process_id": row.id.to_string(),
        "pid": row.pid,
        "exit_code": null,
        "notify_on_complete": true,
        "note": "The turn was cut off while this command ran. The command was not: it goes on in the background, so do \
                 not run it again. Its end is reported to this conversation by itself; do not poll for \
                 it. The process tool shows what it has written.",
    })
}
