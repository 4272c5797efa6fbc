//! The `terminal` tool: runs a command, and waits for it or leaves it in the background.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gatehouse_domain::{CardAnnotation, CardStatus, ItemId, ProcessState, StoppedBy};
use gatehouse_provider::ToolSpec;
use gatehouse_text::tail::FOREGROUND_LIMIT;
use gatehouse_turn::ScopeState;
use serde_json::{Map, Value, json};

use crate::call::{self, Bench};
use crate::ports::{CallEnd, OutputWindow, ProcessBrief, StartRefusal, StartRequest, Started};
use crate::tool::arguments::{Arguments, Complaint};
use crate::tool::ending::{self, Ending};
use crate::tool::foreground;
use crate::tool::registry::{Face, one_line};

pub(crate) const NAME: &str = "terminal";

const DEFAULT_TIMEOUT: u64 = 180;
const MOST_TIMEOUT: u64 = 600;
/// What `timeout(1)` says when the time is up.
const TIMEOUT_CODE: i32 = 124;
/// Bytes read for a result: four for each character that it can show of either end.
const READ_HEAD: usize = FOREGROUND_LIMIT * 4 * 2 / 5;
const READ_TAIL: usize = FOREGROUND_LIMIT * 4 * 3 / 5;

/// A call of `terminal` as it was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Terminal {
    pub command: String,
    /// Why it is wanted, in the model's words; shown to the person and to nobody else.
    pub purpose: Option<String>,
    workdir: Option<String>,
    manner: Manner,
}

/// Whether the call waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Foreground { timeout: Duration, asked: u64 },
    Background { notify: bool },
}

pub(crate) fn spec() -> ToolSpec {
    ToolSpec {
        name: NAME.to_owned(),
        description:
            "Runs a shell command on the person's computer. By default it waits for the end and returns output \
                      and exit code. With background it returns at once with a process_id: use that for servers, \
                      watchers and whatever takes longer than the timeout. There is no input and no terminal: programs \
                      that ask questions see an empty input."
                .to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "command": { "type": "string", "description": "The command for the shell." },
                "background": { "type": "boolean", "description": "Do not wait for the end. Default: false." },
                "timeout": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "Seconds to wait in the foreground before the command is stopped. Default 180, at most 600."
                },
                "workdir": { "type": "string", "description": "Directory to run in. Default: the conversation's directory." },
                "notify": {
                    "type": "boolean",
                    "description": "Only with background: report the end to this conversation. Default: true."
                },
                "purpose": {
                    "type": "string",
                    "description": "Why, in one short sentence. Shown to the person who may be asked to allow it."
                }
            },
            "required": ["command"]
        }),
    }
}

impl Terminal {
    pub(crate) fn read(arguments: &str) -> Result<Self, Complaint> {
        let mut arguments = Arguments::read(NAME, arguments)?;
        let command = arguments.text("command")?;
        let background = arguments.flag("background")?.unwrap_or(false);
        let timeout = arguments.count("timeout", 1)?;
        let workdir = arguments.text("workdir")?.filter(|workdir| !workdir.trim().is_empty());
        let purpose = arguments.text("purpose")?;
        let alias = arguments.flag("notify_on_complete")?;
        let notify = arguments.flag("notify")?.or(alias);
        arguments.done("command, background, timeout, workdir, notify, purpose")?;
        let command = command.filter(|command| !command.trim().is_empty());
        let Some(command) = command else {
            return Err("terminal needs `command`, a string that is not empty.".to_owned());
        };
        if command.contains('\0') {
            return Err("`command` holds a NUL character, which no shell accepts.".to_owned());
        }
        if let Some(odd) = workdir.as_deref().and_then(odd_character) {
            return Err(format!("`workdir` holds {odd:?}, which is not allowed in a directory here. It has not run."));
        }
        if !background && notify == Some(true) {
            return Err(
                "`notify` only works with `background`: true; a foreground command returns its end itself.".to_owned()
            );
        }
        let manner = if background {
            Manner::Background { notify: notify.unwrap_or(true) }
        } else {
            let asked = timeout.unwrap_or(DEFAULT_TIMEOUT);
            Manner::Foreground { timeout: Duration::from_secs(asked.min(MOST_TIMEOUT)), asked }
        };
        Ok(Self { command, purpose, workdir, manner })
    }

    pub(crate) fn face(&self) -> Face {
        let mut details = self.command.clone();
        if let Some(workdir) = &self.workdir {
            details.push_str(&format!("\nin {workdir}"));
        }
        Face { title: one_line(&self.command), details, background: matches!(self.manner, Manner::Background { .. }) }
    }

    /// Why it cannot work in the way it was called.
    pub(crate) fn advice(&self) -> Option<String> {
        match self.manner {
            Manner::Foreground { .. } => foreground::advice(&self.command),
            Manner::Background { .. } => None,
        }
    }

    /// Where it asked to run; `None` for the session's directory.
    pub(crate) fn cwd(&self, base: &Path) -> Option<PathBuf> {
        let workdir = self.workdir.as_deref()?;
        let home = || std::env::home_dir().unwrap_or_else(|| base.to_path_buf());
        Some(match workdir.strip_prefix('~') {
            Some("") => home(),
            Some(rest) if rest.starts_with('/') => home().join(rest.trim_start_matches('/')),
            Some(_) | None => base.join(workdir),
        })
    }
}

/// Directories are handed to the system as they are, but the same text also appears in shells and titles.
fn odd_character(path: &str) -> Option<char> {
    path.chars().find(|c| !c.is_alphanumeric() && !"/\\:_-.~ +@=,".contains(*c))
}

pub(crate) async fn run(bench: &Bench, card: ItemId, call: &Terminal) -> CallEnd {
    let (notify, foreground) = match call.manner {
        Manner::Foreground { .. } => (false, true),
        Manner::Background { notify } => (notify, false),
    };
    let cwd = call.cwd(&bench.default_cwd);
    let request = StartRequest { card, command: call.command.clone(), cwd, notify, foreground };
    let started = match bench.processes.start(request).await {
        Ok(started) => started,
        Err(refused) if refused.code == StartRefusal::Abandoned => return call::cancelled(),
        Err(refused) => return call::failed(&format!("The command was not started: {}", refused.reason)),
    };
    match call.manner {
        Manner::Background { notify } => in_background(&started, notify),
        Manner::Foreground { timeout, asked } => wait(bench, call, &started, timeout, asked).await,
    }
}

fn in_background(started: &Started, notify: bool) -> CallEnd {
    let note = if notify {
        "Its end is reported to this conversation by itself; do not poll for it."
    } else {
        "Its end is not reported; look with the process tool when you need to know."
    };
    let mut result = json!({
        "status": "running",
        "process_id": started.process.to_string(),
        "pid": started.pid,
        "exit_code": null,
        "notify_on_complete": notify,
        "note": note,
    });
    if let Some(cwd_note) = &started.cwd_note {
        result["cwd_note"] = json!(cwd_note);
    }
    CallEnd {
        result: result.to_string(),
        status: CardStatus::InProgress,
        annotation: None,
        output: String::new(),
        output_bytes: 0,
        exit: None,
        keep_open: true,
    }
}

/// Why the waiting is over.
enum Over {
    Ended(ProcessBrief),
    TimedOut,
    Halted,
}

async fn wait(bench: &Bench, call: &Terminal, started: &Started, timeout: Duration, asked: u64) -> CallEnd {
    let id = started.process;
    let over = tokio::select! {
        biased;
        () = bench.halt.cancelled() => Over::Halted,
        brief = bench.processes.wait(id) => Over::Ended(brief),
        () = tokio::time::sleep(timeout) => Over::TimedOut,
    };
    match over {
        Over::Ended(brief) => ended(bench, call, started, &brief),
        Over::Halted => halted(bench, call, started).await,
        Over::TimedOut => timed_out(bench, call, started, timeout, asked).await,
    }
}

fn ended(bench: &Bench, call: &Terminal, started: &Started, brief: &ProcessBrief) -> CallEnd {
    let ending = Ending::of(brief.state, brief.exit, brief.stopped_by);
    let (output, total) = output_of(bench, call, started);
    let mut result = base(&ending, &output, started);
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
    end(result, status, annotation, output, total, brief)
}

async fn timed_out(bench: &Bench, call: &Terminal, started: &Started, timeout: Duration, asked: u64) -> CallEnd {
    let stopped = bench.processes.stop(started.process, StoppedBy::Limit).await;
    let brief = bench.processes.poll(&started.process.to_string());
    // It may have ended by itself at the last moment; then that is the truth.
    if let Some(brief) =
        brief.as_ref().filter(|brief| brief.state == ProcessState::Exited && brief.stopped_by.is_none())
    {
        return ended(bench, call, started, brief);
    }
    let (output, total) = output_of(bench, call, started);
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
    result.insert("output".to_owned(), json!(output));
    if !survivors.is_empty() {
        note.push_str(" Some of its processes are still alive.");
        result.insert("survivors".to_owned(), json!(survivors));
    }
    result.insert("note".to_owned(), json!(note));
    let mut close = plain_end(result, output, total);
    close.exit = brief.and_then(|brief| brief.exit);
    close
}

/// The turn was stopped. Whoever gave it up reaps its processes; only without that the command is ended here.
async fn halted(bench: &Bench, call: &Terminal, started: &Started) -> CallEnd {
    match bench.scope.state() {
        ScopeState::Abandoned(_) => {}
        ScopeState::Active | ScopeState::Finished => {
            if let Err(refused) = bench.processes.stop(started.process, StoppedBy::TurnStop).await {
                tracing::warn!(reason = %refused.reason, "a command of a stopped turn could not be ended");
            }
        }
    }
    let (output, total) = output_of(bench, call, started);
    let mut result = Map::new();
    result.insert("status".to_owned(), json!("cancelled"));
    result.insert("exit_code".to_owned(), Value::Null);
    result.insert("output".to_owned(), json!(output));
    result.insert("note".to_owned(), json!("The turn was stopped while this command ran, and the command with it."));
    let mut close = plain_end(result, output, total);
    close.annotation = Some(CardAnnotation::Cancelled);
    close
}

fn base(ending: &Ending, output: &str, started: &Started) -> Map<String, Value> {
    let mut result = Map::new();
    result.insert("status".to_owned(), json!(ending.status));
    result.insert("exit_code".to_owned(), json!(ending.code));
    result.insert("output".to_owned(), json!(output));
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

fn output_of(bench: &Bench, call: &Terminal, started: &Started) -> (String, u64) {
    let OutputWindow { head, tail, total, omitted } =
        bench.processes.output(started.process, READ_HEAD, READ_TAIL).unwrap_or_default();
    (bench.veil.output(&head, &tail, omitted, FOREGROUND_LIMIT, &call.command), total)
}

fn end(
    result: Map<String, Value>,
    status: CardStatus,
    annotation: Option<CardAnnotation>,
    output: String,
    output_bytes: u64,
    brief: &ProcessBrief,
) -> CallEnd {
    let result = Value::Object(result).to_string();
    CallEnd { result, status, annotation, output, output_bytes, exit: brief.exit, keep_open: false }
}

fn plain_end(result: Map<String, Value>, output: String, output_bytes: u64) -> CallEnd {
    let result = Value::Object(result).to_string();
    CallEnd { result, status: CardStatus::Error, annotation: None, output, output_bytes, exit: None, keep_open: false }
}
