//! The `process` tool: looks at the commands that run in the background, waits for one, types to one, stops one.
//!
//! Looking never counts as having been told. A report is only taken back when the model has really read the end: by a
//! wait that returned it, by the last page of the output of an ended command, or because it asked for the end itself.

use gatehouse_domain::CardStatus;
use gatehouse_provider::ToolSpec;
use serde_json::{Value, json};

use crate::call::Bench;
use crate::ports::{CallEnd, Then};
use crate::tool::arguments::{Arguments, Complaint};
use crate::tool::registry::Face;

mod look; // list, poll, log
mod steer; // wait, write, kill

pub(crate) const NAME: &str = "process";
/// Some models know the tool under this name.
pub(crate) const OTHER_NAME: &str = "process_manage";

const MOST_WAIT: u64 = 180;
const LOG_LINES: u64 = 200;
const MOST_LOG_LINES: u64 = 2_000;
/// Bytes that can be written at once.
const MOST_INPUT: usize = 64 * 1024;
const ACTIONS: &str = "list, poll, log, wait, kill, write, submit, close";

/// A call of `process` as it was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    action: Action,
    pub id: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Action {
    List,
    Poll,
    Log { offset: Option<u64>, limit: u64 },
    Wait { seconds: u64, asked: Option<u64> },
    Kill,
    Write(Input),
}

/// What is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Input {
    action: &'static str,
    pub text: String,
    then: Then,
}

pub(crate) fn spec() -> ToolSpec {
    ToolSpec {
        name: NAME.to_owned(),
        description:
            "Looks at background commands of this conversation and types to them. list: all of them. poll: how one \
                      stands. log: lines of its output. wait: until it ends or the timeout passes. kill: stops it and \
                      all it started. write: types data as it is. submit: types data and Enter. close: ends its input. \
                      Do not poll in a loop: wait once, or end your turn and be told."
                .to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "action": {
                    "type": "string",
                    "enum": ["list", "poll", "log", "wait", "kill", "write", "submit", "close"]
                },
                "process_id": {
                    "type": "string",
                    "description": "The id that terminal returned, or a unique beginning of it of at least 4 characters. Needed by all actions but list."
                },
                "data": {
                    "type": "string",
                    "description": "write, submit: what is typed. Only to commands that were started with pty or stdin."
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
        let data = arguments.text("data")?;
        arguments.done("action, process_id, data, timeout, offset, limit")?;
        let action = match action.as_str() {
            "list" => Action::List,
            "poll" => Action::Poll,
            "log" => Action::Log { offset, limit: limit.unwrap_or(LOG_LINES).min(MOST_LOG_LINES) },
            "wait" => Action::Wait { seconds: seconds.unwrap_or(MOST_WAIT).min(MOST_WAIT), asked: seconds },
            "kill" => Action::Kill,
            "write" => Action::Write(Input::new("write", data.ok_or(NO_DATA)?, Then::Nothing)?),
            "submit" => Action::Write(Input::new("submit", data.unwrap_or_default(), Then::Enter)?),
            "close" => Action::Write(Input::new("close", String::new(), Then::End)?),
            "" => return Err(format!("process needs `action`, one of: {ACTIONS}.")),
            _ => return Err(format!("process does not know that `action`. There are: {ACTIONS}.")),
        };
        match (action, id.filter(|id| !id.is_empty())) {
            (action @ Action::List, _) => Ok(Self { action, id: String::new() }),
            (action, Some(id)) => Ok(Self { action, id }),
            (action, None) => Err(format!("process needs `process_id` for {}.", action.name())),
        }
    }

    pub(crate) fn face(&self) -> Face {
        let title = format!("{} {}", self.action.name(), self.id).trim_end().to_owned();
        let details = self.input().map(|input| input.text.clone()).unwrap_or_default();
        Face { title, details, background: false }
    }

    /// What it types.
    pub(crate) const fn input(&self) -> Option<&Input> {
        match &self.action {
            Action::Write(input) => Some(input),
            Action::List | Action::Poll | Action::Log { .. } | Action::Wait { .. } | Action::Kill => None,
        }
    }
}

const NO_DATA: &str = "process needs `data` for write.";

impl Input {
    fn new(action: &'static str, text: String, then: Then) -> Result<Self, Complaint> {
        if text.len() > MOST_INPUT {
            return Err(format!(
                "`data` has {} bytes, and at most {MOST_INPUT} can be written at once. Nothing was written. Put it in a \
                 file and let the command read that.",
                text.len()
            ));
        }
        Ok(Self { action, text, then })
    }

    /// The lines that it ends or goes on with.
    pub(crate) fn lines(&self) -> String {
        let end = if self.then == Then::Nothing { "" } else { "\n" };
        format!("{}{end}", self.text)
    }
}

impl Action {
    const fn name(&self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Poll => "poll",
            Self::Log { .. } => "log",
            Self::Wait { .. } => "wait",
            Self::Kill => "kill",
            Self::Write(input) => input.action,
        }
    }
}

pub(crate) async fn run(bench: &Bench, call: &Process) -> CallEnd {
    if call.action == Action::List {
        return told(look::list(bench));
    }
    // Only processes of the conversation can be found, so another one's are simply unknown.
    let Some(brief) = bench.processes.poll(&call.id) else {
        let error = "This conversation has no process with that id. `list` shows those it has.";
        return CallEnd { status: CardStatus::Error, ..told(json!({ "status": "not_found", "error": error })) };
    };
    match &call.action {
        Action::List | Action::Poll => told(look::poll(bench, &brief)),
        Action::Log { offset, limit } => look::log(bench, &brief, *offset, *limit),
        Action::Wait { seconds, asked } => steer::wait(bench, &brief, *seconds, *asked).await,
        Action::Kill => steer::kill(bench, &brief).await,
        Action::Write(input) => steer::write(bench, &brief, input).await,
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
        told: None,
    }
}
