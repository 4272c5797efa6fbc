//! The `process` tool: looks at the commands that run in the background, waits for one, stops one.
//!
//! Looking never counts as having been told. A report is only taken back when the model has really read the end: by a
//! wait that returned it, by the last page of the output of an ended command, or because it asked for the end itself.

use std::time::Duration;

use gatehouse_domain::{CardStatus, ConsumedBy, StoppedBy};
use gatehouse_provider::ToolSpec;
use gatehouse_text::redact::Scope;
use gatehouse_text::tail::{self, COMPLETION_LIMIT, FOREGROUND_LIMIT};
use serde_json::{Map, Value, json};

use crate::call::{self, Bench};
use crate::ports::{CallEnd, OutputWindow, ProcessBrief};
use crate::tool::arguments::{Arguments, Complaint};
use crate::tool::ending::Ending;
use crate::tool::registry::Face;

pub(crate) const NAME: &str = "process";

const MOST_WAIT: u64 = 180;
const LOG_LINES: u64 = 200;
const MOST_LOG_LINES: u64 = 2_000;
/// Bytes of either end of an output that the log can show.
const LOG_END: usize = 1024 * 1024;
const PREVIEW: usize = 1_000;
const LIST_PREVIEW: usize = 200;
/// Processes in one list; those at work come first.
const MOST_LISTED: usize = 50;
/// Looks without anything new before the model is told to stop looking.
const IDLE_LOOKS: u32 = 5;

/// A call of `process` as it was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    action: Action,
    id: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    List,
    Poll,
    Log { offset: Option<u64>, limit: u64 },
    Wait { seconds: u64, asked: Option<u64> },
    Kill,
}

pub(crate) fn spec() -> ToolSpec {
    ToolSpec {
        name: NAME.to_owned(),
        description:
            "Looks at background commands of this conversation. list: all of them. poll: how one stands. log: \
                      lines of its output. wait: until it ends or the timeout passes. kill: stops it and all it \
                      started. Do not poll in a loop: wait once, or end your turn and be told."
                .to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "action": { "type": "string", "enum": ["list", "poll", "log", "wait", "kill"] },
                "process_id": {
                    "type": "string",
                    "description": "The id that terminal returned, or a unique beginning of it of at least 4 characters. Needed by all actions but list."
                },
                "timeout": { "type": "integer", "minimum": 1, "description": "wait: seconds. Default and most: 180." },
                "offset": { "type": "integer", "minimum": 0, "description": "log: first line to show, from 0. Default: the last lines." },
                "limit": { "type": "integer", "minimum": 1, "description": "log: how many lines. Default 200." }
            },
            "required": ["action"]
        }),
    }
}

impl Process {
    pub(crate) fn read(arguments: &str) -> Result<Self, Complaint> {
        let mut arguments = Arguments::read(NAME, arguments)?;
        let action = arguments.text("action")?.unwrap_or_default();
        // Some models know this tool under other names of its arguments.
        let alias = arguments.id("session_id")?;
        let id = arguments.id("process_id")?.or(alias);
        let seconds = arguments.count("timeout", 1)?;
        let offset = arguments.count("offset", 0)?;
        let limit = arguments.count("limit", 1)?;
        if matches!(action.as_str(), "write" | "submit" | "close") {
            return Err(format!(
                "process cannot {action}: commands here have no input to write to. Start it again with its input in the \
                 command, for example through a pipe or a file."
            ));
        }
        arguments.done("action, process_id, timeout, offset, limit")?;
        let action = match action.as_str() {
            "list" => Action::List,
            "poll" => Action::Poll,
            "log" => Action::Log { offset, limit: limit.unwrap_or(LOG_LINES).min(MOST_LOG_LINES) },
            "wait" => Action::Wait { seconds: seconds.unwrap_or(MOST_WAIT).min(MOST_WAIT), asked: seconds },
            "kill" => Action::Kill,
            "" => return Err("process needs `action`: list, poll, log, wait or kill.".to_owned()),
            _ => return Err("process does not know that `action`. There are: list, poll, log, wait, kill.".to_owned()),
        };
        match (action, id.filter(|id| !id.is_empty())) {
            (Action::List, _) => Ok(Self { action, id: String::new() }),
            (_, Some(id)) => Ok(Self { action, id }),
            (_, None) => Err(format!("process needs `process_id` for {}.", action.name())),
        }
    }

    pub(crate) fn face(&self) -> Face {
        let title = format!("{} {}", self.action.name(), self.id).trim_end().to_owned();
        Face { title, details: String::new(), background: false }
    }
}

impl Action {
    const fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Poll => "poll",
            Self::Log { .. } => "log",
            Self::Wait { .. } => "wait",
            Self::Kill => "kill",
        }
    }
}

pub(crate) async fn run(bench: &Bench, call: &Process) -> CallEnd {
    if call.action == Action::List {
        let all = bench.processes.list();
        let entries: Vec<Value> = all.iter().take(MOST_LISTED).map(|brief| entry(bench, brief)).collect();
        return told(json!({ "not_shown": all.len() - entries.len(), "processes": entries }));
    }
    // Only processes of the conversation can be found, so another one's are simply unknown.
    let Some(brief) = bench.processes.poll(&call.id) else {
        let error = "This conversation has no process with that id. `list` shows those it has.";
        return CallEnd { status: CardStatus::Error, ..told(json!({ "status": "not_found", "error": error })) };
    };
    match call.action {
        Action::List | Action::Poll => told(poll(bench, &brief)),
        Action::Log { offset, limit } => told(log(bench, &brief, offset, limit).await),
        Action::Wait { seconds, asked } => wait(bench, &brief, seconds, asked).await,
        Action::Kill => kill(bench, &brief).await,
    }
}

fn told(result: Value) -> CallEnd {
    let output =
        result.get("output").or_else(|| result.get("error")).and_then(Value::as_str).unwrap_or_default().to_owned();
    CallEnd {
        output_bytes: output.len() as u64,
        output,
        result: result.to_string(),
        status: CardStatus::Complete,
        annotation: None,
        exit: None,
        keep_open: false,
    }
}

/// What every answer about one process says.
fn facts(bench: &Bench, brief: &ProcessBrief) -> Map<String, Value> {
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
        let short: String = command.chars().take(LIST_PREVIEW).collect();
        facts.insert("command".to_owned(), json!(short));
    }
    facts.insert("cwd".to_owned(), json!(brief.cwd.to_string_lossy()));
    facts.insert("notify_on_complete".to_owned(), json!(brief.notify));
    facts.insert("output_preview".to_owned(), json!(last_of(bench, brief, LIST_PREVIEW)));
    Value::Object(facts)
}

fn poll(bench: &Bench, brief: &ProcessBrief) -> Value {
    let mut facts = facts(bench, brief);
    facts.insert("output".to_owned(), json!(last_of(bench, brief, PREVIEW)));
    if !brief.state.is_final() && bench.polls.look(brief.id, brief.output_bytes) > IDLE_LOOKS {
        let advice = "Nothing new since you looked last. Use wait once, or end your turn.";
        facts.insert("advice".to_owned(), json!(advice));
    }
    Value::Object(facts)
}

/// The last `limit` characters of the output, cleaned and masked before the cut.
fn last_of(bench: &Bench, brief: &ProcessBrief, limit: usize) -> String {
    let window = bench.processes.output(brief.id, 0, limit * 4 + 4_096).unwrap_or_default();
    bench.veil.last(&window.tail, window.total, limit, &brief.command)
}

async fn log(bench: &Bench, brief: &ProcessBrief, offset: Option<u64>, limit: u64) -> Value {
    let OutputWindow { head, tail: end, omitted, .. } =
        bench.processes.output(brief.id, LOG_END, LOG_END).unwrap_or_default();
    let masked = if omitted == 0 {
        bench.veil.output(&head, &end, 0, usize::MAX, &brief.command)
    } else {
        // Two separate texts, so that no line is made of two halves.
        bench.veil.output(&head, &end, omitted, LOG_END * 4, &brief.command)
    };
    let lines: Vec<&str> = masked.lines().collect();
    let total = lines.len() as u64;
    let from = offset.unwrap_or_else(|| total.saturating_sub(limit)).min(total);
    let to = from.saturating_add(limit).min(total);
    let page = lines.iter().skip(index(from)).take(index(to - from)).copied().collect::<Vec<_>>().join("\n");
    if brief.state.is_final() && to == total {
        bench.processes.consume(brief.id, ConsumedBy::Log).await;
    }
    let mut facts = facts(bench, brief);
    // A page of very long lines keeps its end.
    let page = tail::cut(&page, FOREGROUND_LIMIT);
    if page.omitted > 0 {
        facts.insert("characters_left_out_before".to_owned(), json!(page.omitted));
    }
    facts.insert("output".to_owned(), json!(page.text));
    facts.insert("total_lines".to_owned(), json!(total));
    facts.insert(
        "showing".to_owned(),
        json!(if from == to { "no lines".to_owned() } else { format!("lines {from} to {}", to - 1) }),
    );
    Value::Object(facts)
}

fn index(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

async fn wait(bench: &Bench, brief: &ProcessBrief, seconds: u64, asked: Option<u64>) -> CallEnd {
    let over = tokio::select! {
        biased;
        () = bench.halt.cancelled() => return interrupted(bench, brief),
        brief = bench.processes.wait(brief.id) => Some(brief),
        () = tokio::time::sleep(Duration::from_secs(seconds)) => None,
    };
    let mut facts = match over {
        Some(brief) => {
            bench.processes.consume(brief.id, ConsumedBy::Wait).await;
            let mut facts = facts(bench, &brief);
            facts.insert("output".to_owned(), json!(last_of(bench, &brief, COMPLETION_LIMIT)));
            facts
        }
        None => still_running(bench, brief, seconds),
    };
    if asked.is_some_and(|asked| asked > MOST_WAIT) {
        facts.insert("timeout_note".to_owned(), json!(format!("One wait lasts at most {MOST_WAIT} s.")));
    }
    told(Value::Object(facts))
}

fn still_running(bench: &Bench, brief: &ProcessBrief, seconds: u64) -> Map<String, Value> {
    let mut facts = facts(bench, brief);
    let then = if brief.notify {
        "Its end will be reported to this conversation by itself, so you can end your turn."
    } else {
        "Its end will not be reported by itself."
    };
    facts.insert("status".to_owned(), json!("timeout"));
    facts.insert("process_running".to_owned(), json!(true));
    facts.insert("output".to_owned(), json!(last_of(bench, brief, PREVIEW)));
    facts.insert(
        "note".to_owned(),
        json!(format!("It still runs after {seconds} s of waiting; that is no failure. {then}")),
    );
    facts
}

fn interrupted(bench: &Bench, brief: &ProcessBrief) -> CallEnd {
    let mut facts = facts(bench, brief);
    facts.insert("status".to_owned(), json!("interrupted"));
    facts.insert("note".to_owned(), json!("The turn was stopped while you waited."));
    facts.insert("output".to_owned(), json!(last_of(bench, brief, PREVIEW)));
    CallEnd {
        status: CardStatus::Error,
        annotation: Some(gatehouse_domain::CardAnnotation::Cancelled),
        ..told(Value::Object(facts))
    }
}

async fn kill(bench: &Bench, brief: &ProcessBrief) -> CallEnd {
    let was_final = brief.state.is_final();
    if was_final && brief.left_behind.is_empty() {
        bench.processes.consume(brief.id, ConsumedBy::Kill).await;
        return told(killed(bench, brief, "already_exited"));
    }
    let report = match bench.processes.stop(brief.id, StoppedBy::Agent).await {
        Ok(report) => report,
        Err(refused) => return call::failed(&format!("It was not stopped: {}", refused.reason)),
    };
    let after = bench.processes.poll(&brief.id.to_string()).unwrap_or_else(|| brief.clone());
    if !report.survivors.is_empty() || !report.state.is_final() {
        let mut result = killed(bench, &after, "error");
        result["survivors"] = json!(report.survivors);
        result["process_running"] = json!(true);
        result["error"] = json!("Some of it still lives. You can try again.");
        return CallEnd { status: CardStatus::Error, ..told(result) };
    }
    bench.processes.consume(brief.id, ConsumedBy::Kill).await;
    let status =
        if was_final { "already_exited" } else { Ending::of(after.state, after.exit, after.stopped_by).status };
    told(killed(bench, &after, status))
}

fn killed(bench: &Bench, brief: &ProcessBrief, status: &str) -> Value {
    let mut facts = facts(bench, brief);
    facts.insert("status".to_owned(), json!(status));
    facts.insert("output".to_owned(), json!(last_of(bench, brief, COMPLETION_LIMIT)));
    Value::Object(facts)
}
