//! What the model may call. A tool is one file here and one line in the registry.

pub(crate) mod arguments; // reading what the model wrote
pub(crate) mod delegate; // handing tasks on to sub-agents
pub(crate) mod ending; // how a process ended, in one set of words
pub(crate) mod foreground; // commands that must not hold a call
pub(crate) mod process; // looking at background commands, typing to them and stopping them
pub(crate) mod reading; // what is shown of an output
pub(crate) mod registry; // the list
pub(crate) mod terminal; // running a command
