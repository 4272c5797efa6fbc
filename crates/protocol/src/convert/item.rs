//! Transcript entries.

use gatehouse_domain::{ApprovalChoice, Author, ItemKind};
use gatehouse_gateway::row::{ApprovalRow, CardRow, ItemFull, UnitRow};
use gatehouse_text::ansi::escape_invisible;
use gatehouse_text::markdown;

use super::{block, exit_words};
use crate::wire;

/// A larger text is sent as one plain block; its Markdown would cost more than anybody reads.
const BLOCKS_LIMIT: usize = 512 * 1024;

pub(crate) fn item(full: &ItemFull, with_blocks: bool) -> wire::Item {
    let row = &full.row;
    let approval = full.approval.as_ref();
    let is_note = row.kind == ItemKind::MachineNote;
    wire::Item {
        item_id: row.id.to_string(),
        session_id: row.session.to_string(),
        seq: row.seq.into(),
        rev: row.rev.0.into(),
        turn_id: row.turn.map(|t| t.to_string()),
        author: row.author.as_str().into(),
        kind: row.kind.as_str().into(),
        text: (!is_note).then(|| row.text.clone()),
        blocks: blocks(full, with_blocks),
        at_ms: row.at.into(),
        streaming: row.streaming,
        card: full.card.as_ref().map(card),
        units: is_note.then(|| full.units.iter().map(unit).collect()),
        approval_id: approval.map(|a| a.id.to_string()),
        state: approval.map(|a| a.state.as_str().into()),
        choices: approval.map(|_| ApprovalChoice::ALL.iter().map(|c| c.as_str().into()).collect()),
        expires_at_ms: approval.map(|a| a.expires_at.into()),
        command: approval.map(shown_command),
        cwd: approval.map(|a| a.cwd.clone()),
        card_id: approval.map(|a| a.card.to_string()),
        failure: row.failure.map(|f| wire::Failure { code: f.as_str().into(), retryable: row.retryable }),
    }
}

fn blocks(full: &ItemFull, wanted: bool) -> Option<Vec<wire::Block>> {
    let row = &full.row;
    let shown = wanted && !row.streaming && row.author == Author::Model && row.kind == ItemKind::Message;
    if !shown {
        return None;
    }
    if row.text.len() > BLOCKS_LIMIT {
        return Some(vec![wire::Block::Plain { text: row.text.clone() }]);
    }
    Some(block::blocks(&markdown::blocks(&row.text)))
}

/// Exactly what would run, with nothing hidden in it.
fn shown_command(approval: &ApprovalRow) -> String {
    escape_invisible(&approval.command)
}

fn card(card: &CardRow) -> wire::Card {
    let (exit_code, signal) = exit_words(card.exit);
    wire::Card {
        id: card.call_id.to_string(),
        tool: card.tool.clone(),
        title: card.title.clone(),
        status: card.status.as_str().into(),
        annotation: card.annotation.map(|a| a.as_str().into()),
        details: card.details.clone(),
        output: card.output.clone(),
        output_bytes: card.output_bytes.into(),
        sources: Vec::new(),
        process_id: card.process.map(|p| p.to_string()),
        exit_code,
        signal,
        background: card.background,
        started_at_ms: card.started_at.into(),
        ended_at_ms: card.ended_at.map(Into::into),
    }
}

fn unit(unit: &UnitRow) -> wire::NoteUnit {
    let (exit_code, signal) = exit_words(unit.exit);
    wire::NoteUnit {
        producer: unit.producer.as_str().into(),
        process_id: unit.process.map(|p| p.to_string()),
        delegation_id: None,
        state: unit.state.map(|s| s.as_str().into()).unwrap_or_default(),
        exit_code,
        signal,
        stopped_by: unit.stopped_by.map(|by| by.as_str().into()),
        duration_ms: unit.duration_ms.into(),
        output_tail: unit.output_tail.clone(),
        output_bytes: unit.output_bytes.into(),
        command: unit.command.clone(),
        turn_id: unit.turn.map(|t| t.to_string()),
        turn_number: unit.turn_number.map(Into::into),
    }
}
