//! Background processes from a request to a recorded end.

#[cfg(test)]
mod ends; // what is told of an end
mod follow; // one task per process records what happens to it
mod input; // typing to a process
mod known; // a start that was asked for before
mod launch; // row first, then the shim
mod left; // commands that go on without their calls
mod login; // the shell and variables that jobs get
pub(crate) mod plain; // what a person reads about an end
mod record; // ends become rows
mod retention; // what ended a while ago is forgotten
mod stop; // ask, verify, record
mod typed; // a command that a person typed
mod view; // what a turn's tools may see and do
mod voice; // what a process says while it runs

pub(crate) use follow::{Followers, dispatch, watch_orphans, without_shim};
pub use input::USUAL_SIZE;
pub(crate) use input::{resize, write_input};
pub(crate) use known::known;
pub use launch::Manner;
pub(crate) use launch::{Start, StartCard, StartOrder, manner_of, start};
pub(crate) use left::leave_cut_off;
pub(crate) use login::Login;
pub(crate) use record::{Told, left_behind, record_end, record_failed_start, wake};
pub(crate) use retention::keep_short;
pub(crate) use stop::{StopOrder, doom, is_spared, reap, stop};
pub(crate) use typed::typed_card;
pub(crate) use view::TurnProcesses;
pub(crate) use voice::{SharedBreaker, last_words};

use gatehouse_domain::{ConsumedBy, ProcessId, Producer};
use gatehouse_store::{Snapshot, Tx, UnitRow};

/// The report that is owed for a process's end.
fn end_unit(snap: &Snapshot<'_>, process: ProcessId) -> gatehouse_store::Result<Option<UnitRow>> {
    Ok(snap.units().by_process(process)?.into_iter().find(|unit| unit.producer == Producer::Process))
}

/// Everything owed about a process is told by other means.
pub(crate) fn consume_units(tx: &Tx<'_>, process: ProcessId, by: ConsumedBy) -> gatehouse_store::Result<()> {
    for unit in tx.units().by_process(process)? {
        tx.units_mut().consume(unit.id, by)?;
    }
    Ok(())
}
