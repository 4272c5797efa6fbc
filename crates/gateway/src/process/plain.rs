//! What a person reads about processes that no turn answers for: their ends, and what they have written so far.

use gatehouse_domain::{Exit, ProcessNotices, ProcessState, Producer};
use gatehouse_store::UnitRow;
use gatehouse_text::note::{duration_words, signal_name};
use gatehouse_text::output;

use crate::notice::command_name;

/// Characters of the end of an output, where it is told whole.
const TAIL_CHARS: usize = 1_000;
/// And where it only helps to see why something failed.
const SHORT_CHARS: usize = 300;

/// And of one that still runs.
const SO_FAR_CHARS: usize = 500;

/// The line about one that still runs; nothing if nobody wants it.
pub(crate) fn running(
    command: &str,
    age_ms: u64,
    wanted: ProcessNotices,
    output: impl FnOnce() -> String,
) -> Option<String> {
    if wanted != ProcessNotices::All {
        return None;
    }
    let output = output();
    let shown = output::cut(output.trim_end(), SO_FAR_CHARS);
    Some(format!("{} still runs, after {}.\n{shown}", command_name(command), duration_words(age_ms)))
}

/// The line about an end; nothing if nobody wants it.
pub(crate) fn line(unit: &UnitRow, wanted: ProcessNotices) -> Option<String> {
    let well = matches!(unit.exit, Some(Exit::Code(0))) && unit.state == Some(ProcessState::Exited);
    let tail = match (wanted, well) {
        (ProcessNotices::Off, _) | (ProcessNotices::Error, true) => return None,
        (ProcessNotices::Concise, true) => 0,
        (ProcessNotices::Concise, false) => SHORT_CHARS,
        (ProcessNotices::Result | ProcessNotices::All, _) | (ProcessNotices::Error, false) => TAIL_CHARS,
    };
    let shown = output::cut(unit.output_tail.trim_end(), tail);
    Some(if shown.is_empty() { header(unit) } else { format!("{}\n{shown}", header(unit)) })
}

/// The line about an end that waits for its turn; nothing if nobody wants it.
pub(crate) fn receipt(unit: &UnitRow, wanted: ProcessNotices) -> Option<String> {
    let well = matches!(unit.exit, Some(Exit::Code(0)));
    let wants = match wanted {
        ProcessNotices::Off => false,
        ProcessNotices::Error => !well,
        ProcessNotices::Concise | ProcessNotices::Result | ProcessNotices::All => true,
    };
    wants.then(|| format!("{} The agent is told after this turn.", header(unit)))
}

/// The line about a report that its conversation could not take for too long.
pub(crate) fn instead(unit: &UnitRow, wanted: ProcessNotices) -> String {
    let told = if unit.producer == Producer::Process { line(unit, wanted) } else { None };
    let told = told.unwrap_or_else(|| header(unit));
    format!("{told}\nThe agent was not told: this session could not take the report.")
}

fn header(unit: &UnitRow) -> String {
    let name = command_name(&unit.command);
    let end = match (unit.state, unit.exit) {
        (Some(ProcessState::FailedStart), _) => "could not be started".to_owned(),
        (Some(ProcessState::Killed), _) => match unit.stopped_by {
            Some(by) => format!("was stopped ({by})"),
            None => "was stopped".to_owned(),
        },
        (_, Some(Exit::Code(code))) => format!("exited with code {code}"),
        (_, Some(Exit::Signal(signal))) => match signal_name(signal) {
            Some(name) => format!("was ended by {name}"),
            None => format!("was ended by signal {signal}"),
        },
        (_, Some(Exit::Unknown) | None) => "ended, and how is unknown".to_owned(),
    };
    format!("{name} {end} after {}.", duration_words(unit.duration_ms))
}
