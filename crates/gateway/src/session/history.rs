//! A transcript's rows as the entries that the agent builds its prompt from.

use gatehouse_agent::Entry;
use gatehouse_domain::{Author, Exit, ItemKind, ProcessState, Producer, SessionId};
use gatehouse_store::{ItemFull, ItemRow, TaskRow, UnitRow};
use gatehouse_text::note::{self, Ending, UnitWords};

use super::news;
use crate::attachment::AnswerFiles;
use crate::core::Core;
use crate::delegation;
use crate::error::Result;

/// As many of the newest items are read for a prompt.
const NEWEST_ITEMS: u32 = 1000;
/// And as many characters of them are kept, counted from the newest.
const NEWEST_CHARS: usize = 400_000;

/// The newest stretch of a transcript, beginning with a person's message, a task or a note. What began the last turn is
/// always in it: of a turn that is longer than the stretch, the steps in its middle are left out.
pub(crate) fn entries(core: &Core, session: SessionId) -> Result<Vec<Entry>> {
    let items = core.store.read(|s| s.items().page(session, None, None, NEWEST_ITEMS))?;
    let mut size = 0;
    let keep = items.iter().rev().take_while(|item| {
        size += weight(item);
        size <= NEWEST_CHARS
    });
    let (older, newest) = items.split_at(items.len() - keep.count());
    if let Some(start) = newest.iter().position(opens) {
        return Ok(newest[start..].iter().filter_map(entry).collect());
    }
    let beginning = match older.iter().rfind(|item| opens(item)) {
        Some(item) => entry(item),
        None => match items.first() {
            Some(first) => beginning_before(core, session, first.row.seq)?,
            None => None,
        },
    };
    Ok(beginning.into_iter().chain(newest.iter().filter_map(entry)).collect())
}

/// What began the turn that this item belongs to, further up than one page.
fn beginning_before(core: &Core, session: SessionId, mut before: u64) -> Result<Option<Entry>> {
    loop {
        let items = core.store.read(|s| s.items().page(session, None, Some(before), NEWEST_ITEMS))?;
        let Some(first) = items.first() else { return Ok(None) };
        if let Some(item) = items.iter().rfind(|item| opens(item)) {
            return Ok(entry(item));
        }
        before = first.row.seq;
    }
}

fn opens(item: &ItemFull) -> bool {
    matches!(
        (item.row.kind, item.row.author),
        (ItemKind::Message, Author::Human) | (ItemKind::Delegation, Author::Model) | (ItemKind::MachineNote, _)
    )
}

fn weight(item: &ItemFull) -> usize {
    let card = item.card.as_ref();
    item.row.text.len() + card.map_or(0, |c| c.arguments.len() + c.result.as_ref().map_or(0, String::len))
}

fn entry(item: &ItemFull) -> Option<Entry> {
    match (item.row.kind, item.row.author) {
        (ItemKind::Message | ItemKind::Steer, Author::Human) => Some(Entry::Human(item.row.text.clone())),
        (ItemKind::Message, Author::Model) if !item.row.text.is_empty() => {
            Some(Entry::Model { text: with_refusals(&item.row) })
        }
        (ItemKind::ToolCall, Author::Model | Author::Tool) => item.card.as_ref().map(|card| Entry::Call {
            call_id: card.call_id.clone(),
            tool: card.tool.clone(),
            arguments: card.arguments.clone(),
            result: card.result.clone(),
        }),
        // In the transcript of whom it was handed to; the other one's model knows it from its call.
        (ItemKind::Delegation, Author::Model) => Some(Entry::Task { text: item.row.text.clone() }),
        (ItemKind::MachineNote, _) => Some(Entry::Note { text: note_text(&item.units, &item.tasks) }),
        (ItemKind::AutoContinue, _) => Some(Entry::Note { text: item.row.text.clone() }),
        (ItemKind::FailedTurn, _) => Some(Entry::Failed { text: item.row.text.clone() }),
        // Said to the person only, or not written yet.
        (
            ItemKind::Message
            | ItemKind::Steer
            | ItemKind::ToolCall
            | ItemKind::Reasoning
            | ItemKind::Plan
            | ItemKind::Delegation
            | ItemKind::Approval
            | ItemKind::Question
            | ItemKind::Notice
            | ItemKind::ModelSwitch
            | ItemKind::Compaction
            | ItemKind::Hidden,
            _,
        ) => None,
    }
}

/// The model's words, and which of the files in them nobody got.
fn with_refusals(row: &ItemRow) -> String {
    match AnswerFiles::read(row).and_then(|files| files.for_model()) {
        Some(refused) => format!("{}\n\n{refused}", row.text),
        None => row.text.clone(),
    }
}

/// What the model reads about the reports of one note.
fn note_text(units: &[UnitRow], tasks: &[TaskRow]) -> String {
    if units.iter().any(|unit| matches!(unit.producer, Producer::Watch | Producer::Heartbeat)) {
        return news::text(units);
    }
    if let Some(text) = delegation::failure_note(units, tasks) {
        return text;
    }
    let (handed, commands): (Vec<&UnitRow>, Vec<&UnitRow>) = units.iter().partition(|unit| unit.delegation.is_some());
    let ids: Vec<String> = commands.iter().map(|u| u.process.map(|p| p.to_string()).unwrap_or_default()).collect();
    let commands: Vec<_> = commands.iter().zip(&ids).map(|(unit, id)| words(unit, id)).collect();
    let ids: Vec<String> = handed.iter().map(|unit| delegation::id(unit)).collect();
    let handed: Vec<_> = handed.iter().zip(&ids).map(|(unit, id)| delegation::work(unit, id, tasks)).collect();
    note::completion_text(&commands, &handed)
}

fn words<'a>(unit: &'a UnitRow, id: &'a str) -> UnitWords<'a> {
    UnitWords {
        id,
        command: &unit.command,
        ending: ending(unit),
        duration_ms: Some(unit.duration_ms),
        output: &unit.output_tail,
        wrote: unit.output_bytes,
    }
}

fn ending(unit: &UnitRow) -> Ending<'_> {
    match (unit.state, unit.exit) {
        (Some(ProcessState::FailedStart), _) => Ending::NeverStarted,
        (Some(ProcessState::Killed), _) => {
            Ending::Stopped { by: unit.stopped_by.map_or("the gateway", gatehouse_domain::StoppedBy::as_str) }
        }
        (_, Some(Exit::Code(code))) => Ending::Exited(code),
        (_, Some(Exit::Signal(signal))) => Ending::Signalled(signal),
        (_, Some(Exit::Unknown) | None) => Ending::Lost,
    }
}
