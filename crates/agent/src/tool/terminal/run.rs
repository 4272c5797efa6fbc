//! From a call to its result.

use std::pin::pin;
use std::time::Duration;

use futures_util::FutureExt as _;
use gatehouse_domain::{CardAnnotation, CardStatus, ItemId, ProcessState, StoppedBy};
use gatehouse_text::output::{FOREGROUND_LIMIT, MARGIN, Purpose, Shown};
use gatehouse_turn::ScopeState;
use serde_json::{Map, Value, json};

use super::{MOST_TIMEOUT, Terminal, Way};
use crate::call::{self, Bench};
use crate::ports::{CallEnd, Manner, ProcessBrief, StartRefusal, StartRequest, Started};
use crate::tool::ending::{self, Ending};
use crate::tool::reading::{Reading, put_part};

/// Words of a person move a command to the background once it has run for so long: most are over before.
const SHORT: Duration = Duration::from_secs(2);
/// What `timeout(1)` says when the time is up.
const TIMEOUT_CODE: i32 = 124;
/// Bytes read for a result: four for each character that it can show of either end.
const READ_HEAD: usize = FOREGROUND_LIMIT * 4 * 2 / 5 + MARGIN;
const READ_TAIL: usize = FOREGROUND_LIMIT * 4 * 3 / 5 + MARGIN;

pub(crate) async fn run(bench: &Bench, card: ItemId, call: &Terminal) -> CallEnd {
    let (notify, foreground, manner) = match &call.way {
        Way::Foreground { .. } => (false, true, Manner::default()),
        Way::Background { notify, manner, .. } => (*notify, false, (**manner).clone()),
    };
    let cwd = call.cwd(&bench.default_cwd);
    let request = StartRequest { card, command: call.command.clone(), cwd, notify, foreground, manner };
    let started = match bench.processes.start(request).await {
        Ok(started) => started,
        Err(refused) if refused.code == StartRefusal::Abandoned => return call::cancelled(),
        Err(refused) => return call::failed(&format!("The command was not started: {}", refused.reason)),
    };
    match &call.way {
        Way::Background { notify, manner, remarks } => in_background(&started, *notify, manner, remarks),
        Way::Foreground { timeout, asked } => wait(bench, call, &started, *timeout, *asked).await,
    }
}

fn in_background(started: &Started, notify: bool, manner: &Manner, remarks: &[(&'static str, String)]) -> CallEnd {
    let mut result = json!({
        "status": "running",
        "process_id": started.process.to_string(),
        "pid": started.pid,
        "exit_code": null,
        "notify_on_complete": notify,
        "note": reports(notify, manner),
    });
    if !manner.watch.is_empty() {
        result["watch_patterns"] = json!(manner.watch.texts());
    }
    if let Some(every) = manner.heartbeat {
        result["heartbeat_seconds"] = json!(every.as_secs());
    }
    if let Some(most) = manner.max_runtime {
        result["max_runtime_seconds"] = json!(most.as_secs());
    }
    for (name, asked) in [("pty", manner.pty && started.pty_note.is_none()), ("persist", manner.persist)] {
        if asked {
            result[name] = json!(true);
        }
    }
    for (name, note) in [("cwd_note", &started.cwd_note), ("pty_note", &started.pty_note)] {
        if let Some(note) = note {
            result[name] = json!(note);
        }
    }
    for (name, remark) in remarks {
        result[*name] = json!(remark);
    }
    CallEnd {
        result: result.to_string(),
        status: CardStatus::InProgress,
        annotation: None,
        output: String::new(),
        output_bytes: 0,
        exit: None,
        keep_open: true,
        told: None,
    }
}

const REPORTED: &str = "Its end is reported to this conversation by itself; do not poll for it.";

/// What the conversation will hear of it by itself.
fn reports(notify: bool, manner: &Manner) -> &'static str {
    match (notify, manner.watch.is_empty()) {
        (true, _) => REPORTED,
        (false, false) => {
            "Lines that it was started to be watched for are reported to this conversation by themselves; do not poll \
             for them. Its end is not reported."
        }
        (false, true) => {
            "Nothing of it is reported, not even its end: look with the process tool when you need to know, or start such \
             commands with notify_on_complete."
        }
    }
}

/// Why the waiting is over.
enum Over {
    Ended(ProcessBrief),
    /// A person said something that the turn is to hear.
    Spoken,
    TimedOut,
    Halted,
}

async fn wait(bench: &Bench, call: &Terminal, started: &Started, timeout: Duration, asked: u64) -> CallEnd {
    let id = started.process;
    let mut limit = pin!(tokio::time::sleep(timeout));
    let mut spoken = pin!(async { tokio::join!(bench.journal.joined(), tokio::time::sleep(SHORT)) }.fuse());
    loop {
        let over = tokio::select! {
            biased;
            () = bench.halt.cancelled() => Over::Halted,
            brief = bench.processes.wait(id) => Over::Ended(brief),
            _ = &mut spoken => Over::Spoken,
            () = &mut limit => Over::TimedOut,
        };
        match over {
            Over::Ended(brief) => return ended(bench, call, started, &brief),
            Over::Halted => return halted(bench, call, started).await,
            Over::TimedOut => return timed_out(bench, call, started, timeout, asked).await,
            Over::Spoken if bench.processes.leave(id).await => {
                return left(
                    bench,
                    call,
                    started,
                    "A person said something while this command ran; their words follow.",
                );
            }
            // It ends in this very moment.
            Over::Spoken => {}
        }
    }
}

/// It goes on without its call.
fn left(bench: &Bench, call: &Terminal, started: &Started, why: &str) -> CallEnd {
    let shown = output_of(bench, call, started, None);
    let mut result = Map::new();
    result.insert("status".to_owned(), json!("yielded_to_background"));
    result.insert("process_id".to_owned(), json!(started.process.to_string()));
    result.insert("pid".to_owned(), json!(started.pid));
    result.insert("exit_code".to_owned(), Value::Null);
    result.insert("notify_on_complete".to_owned(), json!(true));
    put_part(&mut result, &shown);
    let note = format!("{why} It was not stopped and goes on in the background: do not run it again. {REPORTED}");
    result.insert("note".to_owned(), json!(note));
    CallEnd { status: CardStatus::InProgress, keep_open: true, ..close(result, &shown) }
}

fn ended(bench: &Bench, call: &Terminal, started: &Started, brief: &ProcessBrief) -> CallEnd {
    let ending = Ending::of(brief.state, brief.exit, brief.stopped_by);
    let shown = output_of(bench, call, started, Some(brief));
    let mut result = base(&ending, &shown, started);
    if let Some(meaning) = ending.code.and_then(|code| ending::meaning(&call.command, code)) {
        result.insert("exit_code_meaning".to_owned(), json!(meaning));
    }
    if let Some(reason) = &brief.reason {
        result.insert("error".to_owned(), json!(reason));
    }
    if !brief.left_behind.is_empty() {
        result.insert("left_behind".to_owned(), json!(brief.left_behind));
        let note = "The command ended, but processes that it started still run. They were left alone; stop them with \
                    the process tool if they are not wanted.";
        result.insert("note".to_owned(), json!(note));
    }
    let status = if ending.success { CardStatus::Complete } else { CardStatus::Error };
    let annotation = ending.asked_by.is_some().then_some(CardAnnotation::Cancelled);
    CallEnd { status, annotation, exit: brief.exit, ..close(result, &shown) }
}

async fn timed_out(bench: &Bench, call: &Terminal, started: &Started, timeout: Duration, asked: u64) -> CallEnd {
    let stopped = bench.processes.stop(started.process, StoppedBy::Limit).await;
    let brief = bench.processes.poll(&started.process.to_string());
    if let Some(brief) = brief.as_ref().filter(|brief| by_itself(brief)) {
        return ended(bench, call, started, brief);
    }
    let shown = output_of(bench, call, started, brief.as_ref());
    let mut note = format!("The command was stopped after {} s, the time it was given.", timeout.as_secs());
    if asked > MOST_TIMEOUT {
        note.push_str(&format!(" The most is {MOST_TIMEOUT} s."));
    }
    note.push_str(" Use background for what takes longer.");
    let survivors = match stopped {
        Ok(report) => report.survivors,
        Err(refused) => {
            note.push_str(&format!(" Stopping it did not work: {}", refused.reason));
            Vec::new()
        }
    };
    let mut result = Map::new();
    result.insert("status".to_owned(), json!("timeout"));
    result.insert("exit_code".to_owned(), json!(TIMEOUT_CODE));
    put_part(&mut result, &shown);
    if !survivors.is_empty() {
        note.push_str(" Some of its processes are still alive.");
        result.insert("survivors".to_owned(), json!(survivors));
    }
    result.insert("note".to_owned(), json!(note));
    CallEnd { exit: brief.and_then(|brief| brief.exit), ..close(result, &shown) }
}

/// The turn was stopped. Whoever gave it up reaps its processes. One that only makes room for other words leaves its
/// command alone; without either the command is ended here.
async fn halted(bench: &Bench, call: &Terminal, started: &Started) -> CallEnd {
    match bench.scope.state() {
        ScopeState::Abandoned(_) => {}
        ScopeState::Finished if bench.processes.leave(started.process).await => {
            return left(
                bench,
                call,
                started,
                "A person said something else while this command ran, and the turn ended.",
            );
        }
        ScopeState::Active | ScopeState::Finished => {
            if let Err(refused) = bench.processes.stop(started.process, StoppedBy::TurnStop).await {
                tracing::warn!(reason = %refused.reason, "a command of a stopped turn could not be ended");
            }
        }
    }
    let brief = bench.processes.poll(&started.process.to_string());
    if let Some(brief) = brief.as_ref().filter(|brief| by_itself(brief)) {
        return ended(bench, call, started, brief);
    }
    let shown = output_of(bench, call, started, None);
    let mut result = Map::new();
    result.insert("status".to_owned(), json!("cancelled"));
    result.insert("exit_code".to_owned(), Value::Null);
    put_part(&mut result, &shown);
    result.insert("note".to_owned(), json!("The turn was stopped while this command ran, and the command with it."));
    CallEnd { annotation: Some(CardAnnotation::Cancelled), ..close(result, &shown) }
}

/// What was to be stopped may have ended at the last moment without that; then that is the truth.
fn by_itself(brief: &ProcessBrief) -> bool {
    brief.state == ProcessState::Exited && brief.stopped_by.is_none()
}

fn base(ending: &Ending, shown: &Shown, started: &Started) -> Map<String, Value> {
    let mut result = Map::new();
    result.insert("status".to_owned(), json!(ending.status));
    result.insert("exit_code".to_owned(), json!(ending.code));
    put_part(&mut result, shown);
    if let Some(signal) = &ending.signal {
        result.insert("signal".to_owned(), json!(signal));
    }
    if let Some(by) = ending.asked_by {
        result.insert("stopped_by".to_owned(), json!(by.as_str()));
    }
    if let Some(cwd_note) = &started.cwd_note {
        result.insert("cwd_note".to_owned(), json!(cwd_note));
    }
    result
}

fn output_of(bench: &Bench, call: &Terminal, started: &Started, brief: Option<&ProcessBrief>) -> Shown {
    let window = bench.processes.output(started.process, READ_HEAD, READ_TAIL).unwrap_or_default();
    let reading = brief.map_or_else(|| Reading::of_command(&call.command), Reading::of);
    reading.shown(bench, &window, Purpose::Foreground)
}

/// A call that did not work out; whoever knows better says so.
fn close(result: Map<String, Value>, shown: &Shown) -> CallEnd {
    CallEnd {
        result: Value::Object(result).to_string(),
        status: CardStatus::Error,
        annotation: None,
        output: shown.for_person(),
        output_bytes: shown.total,
        exit: None,
        keep_open: false,
        told: None,
    }
}
