//! The tools, in the order in which every request names them.

use gatehouse_provider::{ToolCall, ToolSpec};

use crate::tool::delegate::Delegate;
use crate::tool::process::Process;
use crate::tool::terminal::Terminal;
use crate::tool::{delegate, process, terminal};

/// A call as it was understood.
#[derive(Debug)]
pub(crate) enum Plan {
    /// Run a command.
    Terminal(Terminal),
    /// Look at background commands.
    Process(Process),
    /// Hand tasks on.
    Delegate(Delegate),
    /// Not a call that can be run; the words are for the model.
    Wrong { message: String },
}

/// A call as a card shows it, unmasked.
#[derive(Debug)]
pub(crate) struct Face {
    pub title: String,
    pub details: String,
    pub background: bool,
}

/// What the model is told about the tools; byte for byte the same every time.
pub(crate) fn specs() -> Vec<ToolSpec> {
    vec![terminal::spec(), process::spec(), delegate::spec()]
}

/// What a sub-agent is told: it hands nothing on.
pub(crate) fn specs_of_a_sub_agent() -> Vec<ToolSpec> {
    vec![terminal::spec(), process::spec()]
}

/// Reads a call; whatever is wrong with it becomes its result.
pub(crate) fn plan(call: &ToolCall) -> Plan {
    let plan = match call.name.as_str() {
        terminal::NAME => Terminal::read(&call.arguments).map(Plan::Terminal),
        process::NAME | process::OTHER_NAME => Process::read(&call.arguments).map(Plan::Process),
        delegate::NAME => Delegate::read(&call.arguments).map(Plan::Delegate),
        other => {
            let name: String = other.chars().filter(|c| !c.is_control()).take(60).collect();
            let known = [terminal::NAME, process::NAME, delegate::NAME].join(", ");
            Err(format!("There is no tool `{name}`. There are: {known}."))
        }
    };
    plan.unwrap_or_else(|message| Plan::Wrong { message })
}

impl Plan {
    pub(crate) fn face(&self, call: &ToolCall) -> Face {
        match self {
            Self::Terminal(terminal) => terminal.face(),
            Self::Process(process) => process.face(),
            Self::Delegate(delegate) => delegate.face(),
            Self::Wrong { message } => {
                Face { title: one_line(&call.name), details: message.clone(), background: false }
            }
        }
    }
}

/// The first words of a text on one line, short enough for a card's title.
pub(crate) fn one_line(text: &str) -> String {
    const TITLE: usize = 120;
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match flat.char_indices().nth(TITLE) {
        Some((cut, _)) => format!("{}…", &flat[..cut]),
        None => flat,
    }
}
