//! One session: its queue, its running turn, and when its reports are told.

mod actor; // one mailbox, one turn at a time
mod asked; // what no turn answers
mod ear; // what a person says while a turn runs
mod fresh_start; // a person draws a line
mod history; // rows as the agent's entries
mod input; // into the queue, and out of it into a turn
mod journal; // the facts of a turn become rows
mod lineage; // rows as delivery looks them up
mod message; // what the actor may be told
mod news; // the words of what still runs
mod queue; // what waits, and whether it may go on
mod reports; // what is due to this session
mod turn; // sets up and runs one turn

pub(crate) use actor::{Begin, WAITING, run};
pub(crate) use asked::{Asked, Before};
pub(crate) use fresh_start::has_ended;
pub(crate) use input::{AT_WORK, name_session, title_of};
pub(crate) use journal::close_open_cards;
pub(crate) use lineage::nobody_waits;
pub(crate) use message::Message;
pub use message::SendMode;
pub(crate) use queue::unpause_empty;
pub(crate) use reports::hand_up;
