//! One session: its queue, its running turn, and when its reports are told.

mod actor; // one mailbox, one turn at a time
mod history; // rows as the agent's entries
mod journal; // the facts of a turn become rows
mod message; // what the actor may be told
mod queue; // what waits, and whether it may go on
mod turn; // sets up and runs one turn

pub(crate) use actor::{AT_WORK, Begin, WAITING, name_session, run};
pub(crate) use journal::close_open_cards;
pub(crate) use message::Message;
pub use message::SendMode;
pub(crate) use queue::unpause_empty;
