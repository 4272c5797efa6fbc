//! Transcript entries.

use gatehouse_domain::{Author, ItemKind, ProcessState, TaskState};
use gatehouse_gateway::row::{CardRow, ItemFull, TaskRow, UnitRow};
use gatehouse_gateway::{AnswerFile, AnswerFiles, RefusedFile};
use gatehouse_text::markdown;

use super::{block, exit_words, question};
use crate::wire;

/// A larger text is sent as one plain block; its Markdown would cost more than anybody reads.
const BLOCKS_LIMIT: usize = 512 * 1024;

pub(crate) fn item(full: &ItemFull, with_blocks: bool) -> wire::Item {
    let row = &full.row;
    let approval = full.approval.as_ref();
    let is_note = row.kind == ItemKind::MachineNote;
    let named = AnswerFiles::read(row);
    let text = named.as_ref().map_or_else(|| row.text.clone(), |named| named.words(&row.text));
    wire::Item {
        item_id: row.id.to_string(),
        session_id: row.session.to_string(),
        seq: row.seq.into(),
        rev: row.rev.0.into(),
        turn_id: row.turn.map(|t| t.to_string()),
        author: row.author.as_str().into(),
        kind: row.kind.as_str().into(),
        blocks: blocks(full, &text, with_blocks),
        text: (!is_note).then_some(text),
        files: named.map(|named| files(&named)),
        at_ms: row.at.into(),
        streaming: row.streaming,
        card: full.card.as_ref().map(card),
        units: is_note.then(|| full.units.iter().map(unit).collect()),
        tasks: (row.kind == ItemKind::Delegation && !full.tasks.is_empty())
            .then(|| full.tasks.iter().map(task).collect()),
        approval_id: approval.map(|a| a.id.to_string()),
        state: approval.map(|a| a.state.as_str().into()),
        choices: approval.map(question::choices),
        expires_at_ms: approval.map(|a| a.expires_at.into()),
        command: approval.map(question::command),
        cwd: approval.map(|a| a.cwd.clone()),
        card_id: approval.map(|a| a.card.to_string()),
        purpose: approval.and_then(|a| a.purpose.clone()),
        dangers: approval.and_then(question::dangers),
        suggested_pattern: approval.and_then(|a| a.suggested.clone()),
        answer: approval.and_then(question::answer),
        failure: row.failure.map(|f| wire::Failure { code: f.as_str().into(), retryable: row.retryable }),
    }
}

fn files(named: &AnswerFiles) -> Vec<wire::AnswerFile> {
    let file = |file: &AnswerFile| wire::AnswerFile {
        name: file.name.clone(),
        path: file.path.clone(),
        bytes: file.bytes.into(),
        kind: file.kind.clone(),
        refused: None,
    };
    let refused = |file: &RefusedFile| wire::AnswerFile {
        name: file.path.rsplit('/').next().unwrap_or_default().to_owned(),
        path: file.path.clone(),
        bytes: 0_u64.into(),
        kind: "document".to_owned(),
        refused: Some(file.why.clone()),
    };
    named.files.iter().map(file).chain(named.refused.iter().map(refused)).collect()
}

fn blocks(full: &ItemFull, text: &str, wanted: bool) -> Option<Vec<wire::Block>> {
    let row = &full.row;
    let shown = wanted && !row.streaming && row.author == Author::Model && row.kind == ItemKind::Message;
    if !shown {
        return None;
    }
    if text.len() > BLOCKS_LIMIT {
        return Some(vec![wire::Block::Plain { text: text.to_owned() }]);
    }
    Some(block::blocks(&markdown::blocks(text)))
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

fn task(task: &TaskRow) -> wire::Task {
    wire::Task {
        session_id: task.session.to_string(),
        title: task.title.clone(),
        state: task.state.as_str().into(),
        said: task.said.clone(),
        started_at_ms: task.started_at.into(),
        ended_at_ms: task.ended_at.map(Into::into),
    }
}

pub(super) fn unit(unit: &UnitRow) -> wire::NoteUnit {
    let (exit_code, signal) = exit_words(unit.exit);
    wire::NoteUnit {
        producer: unit.producer.as_str().into(),
        process_id: unit.process.map(|p| p.to_string()),
        delegation_id: unit.delegation.map(|delegation| delegation.to_string()),
        state: unit.outcome.map(TaskState::as_str).or(unit.state.map(ProcessState::as_str)).unwrap_or_default().into(),
        exit_code,
        signal,
        stopped_by: unit.stopped_by.map(|by| by.as_str().into()),
        duration_ms: unit.duration_ms.into(),
        output_tail: unit.output_tail.clone(),
        output_bytes: unit.output_bytes.into(),
        command: unit.command.clone(),
        turn_id: unit.turn.map(|t| t.to_string()),
        turn_number: unit.turn_number.map(Into::into),
        news: unit.news.map(|news| news.as_str().into()),
        pattern: Some(unit.pattern.clone()).filter(|pattern| !pattern.is_empty()),
        number: Some(unit.number).filter(|number| *number > 0),
        matched: Some(unit.matched).filter(|matched| *matched > 0),
        suppressed: Some(unit.suppressed).filter(|count| *count > 0).map(Into::into),
    }
}

#[cfg(test)]
mod tests {
    use gatehouse_domain::{CallId, CardStatus, EpochMs, Exit, FailureCode, ItemId, Rev, SessionId};
    use gatehouse_gateway::row::ItemRow;
    use serde_json::{Value, json};
    use std::str::FromStr;

    use super::*;

    const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

    fn full(author: Author, kind: ItemKind, text: &str) -> ItemFull {
        let row = ItemRow {
            id: ItemId::from_str(ID).unwrap(),
            session: SessionId::from_str(ID).unwrap(),
            seq: 7,
            turn: None,
            author,
            kind,
            text: text.into(),
            streaming: false,
            failure: None,
            retryable: false,
            admission: None,
            at: EpochMs(1),
            rev: Rev(9),
            files: String::new(),
        };
        ItemFull { row, card: None, approval: None, units: Vec::new(), tasks: Vec::new() }
    }

    fn wire(full: &ItemFull) -> Value {
        serde_json::to_value(item(full, true)).unwrap()
    }

    #[test]
    fn a_persons_message_has_no_field_that_does_not_apply() {
        let expected = json!({
            "itemId": ID, "sessionId": ID, "seq": 7, "rev": 9, "author": "human", "kind": "message",
            "text": "**hi**", "atMs": 1, "streaming": false,
        });
        assert_eq!(wire(&full(Author::Human, ItemKind::Message, "**hi**")), expected);
    }

    #[test]
    fn a_models_message_carries_its_tree_once_it_is_whole() {
        let mut said = full(Author::Model, ItemKind::Message, "**hi**");
        let tree = json!([{ "type": "paragraph", "inlines": [
            { "type": "strong", "inlines": [{ "type": "text", "text": "hi" }] },
        ]}]);
        assert_eq!(wire(&said)["blocks"], tree);
        said.row.streaming = true;
        assert_eq!(wire(&said).get("blocks"), None);
    }

    #[test]
    fn a_file_stands_beside_the_words_and_a_refused_one_in_them_too() {
        let mut said = full(Author::Model, ItemKind::Message, "Here:\nMEDIA:/w/plan.pdf\nMEDIA:/etc/passwd");
        said.row.files = json!({
            "files": [{ "path": "/w/plan.pdf", "name": "plan.pdf", "kind": "document", "bytes": 3 }],
            "refused": [{ "path": "/etc/passwd", "why": "it is part of the system" }],
        })
        .to_string();
        let shown = wire(&said);
        assert_eq!(shown["text"], "Here:\nMEDIA:/etc/passwd");
        let files = json!([
            { "name": "plan.pdf", "path": "/w/plan.pdf", "bytes": 3, "kind": "document" },
            { "name": "passwd", "path": "/etc/passwd", "bytes": 0, "kind": "document", "refused": "it is part of the system" },
        ]);
        assert_eq!(shown["files"], files);
    }

    #[test]
    fn a_card_has_a_code_or_a_signal_never_both() {
        let mut call = full(Author::Tool, ItemKind::ToolCall, "");
        let ended = |exit| CardRow {
            item: call.row.id,
            session: call.row.session,
            turn: None,
            call_id: CallId("call_1".into()),
            tool: "terminal".into(),
            arguments: "{}".into(),
            title: "make".into(),
            details: String::new(),
            status: CardStatus::Error,
            annotation: None,
            output: "x".into(),
            output_bytes: 1,
            result: None,
            process: None,
            exit: Some(exit),
            background: false,
            started_at: EpochMs(1),
            ended_at: Some(EpochMs(2)),
        };
        let (code, signal) = (ended(Exit::Code(2)), ended(Exit::Signal(11)));
        call.card = Some(code);
        let shown = wire(&call);
        assert_eq!((&shown["card"]["exitCode"], shown["card"].get("signal")), (&json!(2), None));
        call.card = Some(signal);
        let shown = wire(&call);
        assert_eq!((shown["card"].get("exitCode"), &shown["card"]["signal"]), (None, &json!("SIGSEGV")));
        assert_eq!(shown["card"].get("arguments"), None, "what the model wrote stays inside");
    }

    #[test]
    fn a_failure_is_a_code_and_an_offer() {
        let mut failed = full(Author::System, ItemKind::FailedTurn, "No answer.");
        (failed.row.failure, failed.row.retryable) = (Some(FailureCode::CutOff), true);
        assert_eq!(wire(&failed)["failure"], json!({ "code": "cut_off", "retryable": true }));
    }
}
