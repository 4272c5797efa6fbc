//! What came of tasks: as a text for people, and as a note for the model.

use gatehouse_domain::{Producer, TaskState};
use gatehouse_store::{TaskRow, UnitRow};
use gatehouse_text::note::{TaskWords, WorkWords, duration_words, failure_text};

/// Characters of a task's last words that are kept with it; the transcript has all of them.
const SAID_CHARS: usize = 4_000;

/// The beginning of last words, where an answer says what matters.
pub(super) fn bounded(said: &str) -> String {
    let said = said.trim();
    match said.char_indices().nth(SAID_CHARS) {
        Some((at, _)) => format!("{}\n… (cut; the transcript of the sub-agent has all of it)", said[..at].trim_end()),
        None => said.to_owned(),
    }
}

/// What came of all of them, one after the other.
pub(super) fn plain(tasks: &[TaskRow]) -> String {
    let one = |task: &TaskRow| {
        let took = duration_words(task.took(task.started_at));
        let head = format!("{}: {} after {took}.", task.title, outcome(task.state));
        if task.said.is_empty() { head } else { format!("{head}\n{}", task.said) }
    };
    tasks.iter().map(one).collect::<Vec<_>>().join("\n\n")
}

const fn outcome(state: TaskState) -> &'static str {
    match state {
        TaskState::Running => "still at work",
        TaskState::Completed => "done",
        TaskState::Interrupted => "stopped by the person",
        TaskState::Unknown => "cut off by an end of the gateway; what it did is unknown",
        TaskState::Error => "failed",
    }
}

/// What the model reads about a task's failure while others go on; `None` if these are other reports.
pub(crate) fn failure_note(units: &[UnitRow], tasks: &[TaskRow]) -> Option<String> {
    let failures = units.iter().filter(|unit| unit.producer == Producer::TaskFailure);
    let ids: Vec<String> = failures.clone().map(id).collect();
    let entries: Vec<WorkWords<'_>> = failures.zip(&ids).map(|(unit, id)| work(unit, id, tasks)).collect();
    (!entries.is_empty()).then(|| failure_text(&entries))
}

/// By what name the model knows it.
pub(crate) fn id(unit: &UnitRow) -> String {
    unit.delegation.map(|delegation| delegation.to_string()).unwrap_or_default()
}

/// A report about a delegation, with the tasks that it tells of.
pub(crate) fn work<'a>(unit: &UnitRow, id: &'a str, tasks: &'a [TaskRow]) -> WorkWords<'a> {
    let told = |task: &&TaskRow| {
        let this = unit.producer == Producer::Delegation || task.number == unit.number;
        Some(task.delegation) == unit.delegation && this
    };
    let tasks = tasks.iter().filter(told).map(|task| TaskWords {
        title: &task.title,
        outcome: outcome(task.state),
        duration_ms: task.took(task.started_at),
        said: &task.said,
    });
    WorkWords { id, tasks: tasks.collect() }
}
