//! The `terminal` tool: runs a command, and waits for it or leaves it in the background.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gatehouse_provider::ToolSpec;
use serde_json::json;

use crate::ports::Manner;
use crate::tool::arguments::{Arguments, Complaint};
use crate::tool::foreground;
use crate::tool::registry::{Face, one_line};

mod background; // in which way a command runs in the background
mod run; // from a call to its result

use background::Wishes;
pub(crate) use run::run;

pub(crate) const NAME: &str = "terminal";

const DEFAULT_TIMEOUT: u64 = 180;
const MOST_TIMEOUT: u64 = 600;

/// A call of `terminal` as it was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Terminal {
    pub command: String,
    /// Why it is wanted, in the model's words; shown to the person and to nobody else.
    pub purpose: Option<String>,
    workdir: Option<String>,
    way: Way,
}

/// Whether the call waits.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Way {
    Foreground {
        timeout: Duration,
        asked: u64,
    },
    Background {
        notify: bool,
        manner: Box<Manner>,
        /// What was understood in another way than it was asked for, by the name of the result's field.
        remarks: Vec<(&'static str, String)>,
    },
}

pub(crate) fn spec() -> ToolSpec {
    ToolSpec {
        name: NAME.to_owned(),
        description:
            "Runs a shell command on the person's computer. By default it waits for the end and returns output \
                      and exit code. With background it returns at once with a process_id: use that for servers, \
                      watchers and whatever takes longer than the timeout. Programs that ask questions see an empty \
                      input, unless they run in the background with pty or stdin; answer them with the process tool."
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
                "notify_on_complete": {
                    "type": "boolean",
                    "description": "Only with background: report the end to this conversation. Default: true, but with watch_patterns false."
                },
                "watch_patterns": {
                    "type": "array",
                    "items": { "type": "string" },
                    "description": "Only with background: report lines that hold one of these texts or regular expressions, at most 16 of 256 characters. For rare lines, such as the one that says that a server is ready. Not together with notify_on_complete."
                },
                "heartbeat_seconds": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "Only with background: report new output every so many seconds, at least 60; and the end."
                },
                "pty": {
                    "type": "boolean",
                    "description": "Only with background: run it in a terminal, for programs that need one or ask questions."
                },
                "stdin": { "type": "boolean", "description": "Only with background: keep its input open for process write and close." },
                "persist": { "type": "boolean", "description": "Only with background: let it live on when this turn is given up." },
                "max_runtime_seconds": { "type": "integer", "minimum": 1, "description": "Only with background: stop it after so long." },
                "purpose": {
                    "type": "string",
                    "description": "Why, in one short sentence. Shown to the person who may be asked to allow it."
                }
            },
            "required": ["command"]
        }),
    }
}

const KNOWN: &str = "command, background, timeout, workdir, notify_on_complete, watch_patterns, heartbeat_seconds, pty, \
                     stdin, persist, max_runtime_seconds, purpose";

impl Terminal {
    pub(crate) fn read(arguments: &str) -> Result<Self, Complaint> {
        let mut arguments = Arguments::read(NAME, arguments)?;
        let command = arguments.text("command")?;
        let background = arguments.flag("background")?.unwrap_or(false);
        let timeout = arguments.count("timeout", 1)?;
        let workdir = arguments.text("workdir")?.filter(|workdir| !workdir.trim().is_empty());
        let purpose = arguments.text("purpose")?;
        let wishes = Wishes::read(&mut arguments)?;
        arguments.done(KNOWN)?;
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
        let way = if background {
            wishes.background()?
        } else {
            wishes.none_in_foreground(&command)?;
            let asked = timeout.unwrap_or(DEFAULT_TIMEOUT);
            Way::Foreground { timeout: Duration::from_secs(asked.min(MOST_TIMEOUT)), asked }
        };
        Ok(Self { command, purpose, workdir, way })
    }

    pub(crate) fn face(&self) -> Face {
        let mut details = self.command.clone();
        if let Some(workdir) = &self.workdir {
            details.push_str(&format!("\nin {workdir}"));
        }
        Face { title: one_line(&self.command), details, background: matches!(self.way, Way::Background { .. }) }
    }

    /// Why it cannot work in the way it was called.
    pub(crate) fn advice(&self) -> Option<String> {
        match self.way {
            Way::Foreground { .. } => foreground::advice(&self.command),
            Way::Background { .. } => None,
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

#[cfg(test)]
mod tests;
