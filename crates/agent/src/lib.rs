//! Drives a turn: puts the question, runs what the model calls, asks a person first, tells what happened.
//!
//! **Owns** the effects of the turn machine, what a model is given to read (with secrets masked), the tools and the
//! words of their results, and the decision whether a command may run.
//!
//! **Never** writes a row (it hands facts to a [`Journal`]), starts or signals a program (it asks [`Processes`]),
//! speaks HTTP, retries a request, or reads a clock of its own.

pub mod approval; // whether a command may run
mod call; // the life of one tool call
mod compound; // chains that leave their last part behind
mod driver; // one turn, from the first question to its end
mod ports; // what the outside does for a turn
mod prompt; // transcript entries -> what the model reads
mod tool; // what the model may call

pub use compound::untangled;
pub use driver::{Limits, Ports, TurnSpec, run_turn};
pub use ports::{
    Answer, CallEnd, CallFact, Consent, DelegationRefused, Delegations, Interjection, Journal, JournalError, Manner,
    Outcome, OutputWindow, ProcessBrief, Processes, Question, StartRefusal, StartRefused, StartRequest, Started,
    StopRefused, StopReport, Task, Then, Verdict, WriteRefused, Written,
};
pub use prompt::Entry;
pub use tool::ending::Ending;
