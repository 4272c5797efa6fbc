//! Looking at background commands.

use gatehouse_domain::{CardStatus, ConsumedBy};
use gatehouse_text::output::{COMPLETION_LIMIT, ENTRY_LIMIT, MARGIN, Purpose, Shown};
use gatehouse_text::redact::Scope;
use serde_json::{Map, Value, json};

use super::told;
use crate::call::Bench;
use crate::ports::{CallEnd, ProcessBrief};
use crate::tool::ending::Ending;
use crate::tool::reading::{Reading, put_part};

/// Bytes of either end of an output that the log can show.
const LOG_END: usize = 2 * 1024 * 1024;
/// Bytes read for the last words of one command: a screen is painted with more than it shows.
const LAST_BYTES: usize = 28 * 1024 * (COMPLETION_LIMIT / 1_000) + MARGIN;
/// And for those of each in a list.
const ENTRY_BYTES: usize = 12 * 1024 + MARGIN;
/// Processes in one list; those at work come first.
const MOST_LISTED: usize = 50;
/// Looks without anything new before the model is told to stop looking.
const IDLE_LOOKS: u32 = 5;

pub(super) fn list(bench: &Bench) -> Value {
    let all = bench.processes.list();
    let entries: Vec<Value> = all.iter().take(MOST_LISTED).map(|brief| entry(bench, brief)).collect();
    json!({ "not_shown": all.len() - entries.len(), "processes": entries })
}

/// What every answer about one process says.
pub(super) fn facts(bench: &Bench, brief: &ProcessBrief) -> Map<String, Value> {
    let ending = Ending::of(brief.state, brief.exit, brief.stopped_by);
    let until = brief.ended_at.unwrap_or_else(|| bench.clock.wall());
    let mut facts = Map::new();
    let mut put = |name: &str, value: Value| facts.insert(name.to_owned(), value);
    put("process_id", json!(brief.id.to_string()));
    put("command", json!(bench.veil.text(&brief.command, Scope::Command)));
    put("status", json!(ending.status));
    put("run_seconds", json!(until.since(brief.started_at) / 1_000));
    if brief.state.is_final() {
        put("exit_code", json!(ending.code));
    } else if let Some(pid) = brief.pid {
        put("pid", json!(pid));
    }
    if let Some(signal) = ending.signal {
        put("signal", json!(signal));
    }
    if let Some(by) = ending.asked_by {
        put("stopped_by", json!(by.as_str()));
    }
    if let Some(reason) = &brief.reason {
        put("reason", json!(bench.veil.text(reason, Scope::Command)));
    }
    if !brief.left_behind.is_empty() {
        put("left_behind", json!(brief.left_behind));
    }
    facts
}

fn entry(bench: &Bench, brief: &ProcessBrief) -> Value {
    let mut facts = facts(bench, brief);
    if let Some(command) = facts.get("command").and_then(Value::as_str) {
        let short: String = command.chars().take(ENTRY_LIMIT).collect();
        facts.insert("command".to_owned(), json!(short));
    }
    facts.insert("cwd".to_owned(), json!(brief.cwd.to_string_lossy()));
    facts.insert("notify_on_complete".to_owned(), json!(brief.notify));
    if brief.persist {
        facts.insert("persist".to_owned(), json!(true));
    }
    facts.insert("output_preview".to_owned(), json!(last_of(bench, brief, Purpose::Entry).text));
    Value::Object(facts)
}

pub(super) fn poll(bench: &Bench, brief: &ProcessBrief) -> Value {
    let mut facts = with_last(bench, brief, Purpose::Preview);
    if !brief.state.is_final() && bench.polls.look(brief.id, brief.output_bytes) > IDLE_LOOKS {
        let advice = "Nothing new since you looked last. Use wait once, or end your turn.";
        facts.insert("advice".to_owned(), json!(advice));
    }
    Value::Object(facts)
}

/// The facts, and the end of the output.
pub(super) fn with_last(bench: &Bench, brief: &ProcessBrief, purpose: Purpose) -> Map<String, Value> {
    let mut facts = facts(bench, brief);
    put_part(&mut facts, &last_of(bench, brief, purpose));
    facts
}

fn last_of(bench: &Bench, brief: &ProcessBrief, purpose: Purpose) -> Shown {
    let bytes = if purpose == Purpose::Entry { ENTRY_BYTES } else { LAST_BYTES };
    let window = bench.processes.output(brief.id, 0, bytes).unwrap_or_default();
    Reading::of(brief).shown(bench, &window, purpose)
}

pub(super) fn log(bench: &Bench, brief: &ProcessBrief, offset: Option<u64>, limit: u64) -> CallEnd {
    let mut facts = facts(bench, brief);
    let Some(window) = bench.processes.output(brief.id, LOG_END, LOG_END) else {
        facts.insert("error".to_owned(), json!("Its output cannot be read. You can try again."));
        return CallEnd { status: CardStatus::Error, ..told(Value::Object(facts)) };
    };
    let shown = Reading::of(brief).shown(bench, &window, Purpose::Log { offset, limit });
    let page = shown.page.unwrap_or_default();
    put_part(&mut facts, &shown);
    facts.insert("total_lines".to_owned(), json!(page.total));
    let lines = match page.end.checked_sub(page.first) {
        None | Some(0) => "no lines".to_owned(),
        Some(_) => format!("lines {} to {}", page.first, page.end - 1),
    };
    let showing = match shown.showing() {
        Some(part) => format!("{lines}, {part}"),
        None => lines,
    };
    facts.insert("showing".to_owned(), json!(showing));
    // Who asks for lines behind the last one has read nothing.
    let read_to_its_end = page.end == page.total && (page.first < page.end || page.total == 0);
    let read_to_its_end = read_to_its_end && brief.state.is_final();
    CallEnd { told: read_to_its_end.then_some((brief.id, ConsumedBy::Log)), ..told(Value::Object(facts)) }
}
