//! The shapes that cross the wire: camelCase, ids as strings, times as integer milliseconds.
//!
//! An absent optional field means "does not apply". Clients ignore fields and `type`s they do not know.

mod approval; // questions, and what is remembered of their answers
mod block; // Markdown as a typed tree
mod command; // requests and replies
mod engine; // what the embedded engine does
mod feed; // what changed since a revision
mod incident; // what was dropped or failed
mod item; // transcript entries
mod notice; // what happened while nobody looked
mod number; // integers that JavaScript can hold
mod process; // tracked background commands
mod profile; // profiles, and how each of them stands
mod queue; // messages that wait
mod session; // sessions and turns
mod settings; // what a person sets
mod storage; // backups, a restore, an export
mod view; // what windows remember and look at

pub use approval::*;
pub use block::{Align, Block, Inline, ListItem};
pub use command::*;
pub use engine::{Engine, EngineTakes, GetEngine};
pub use feed::{BlockDelta, Change, Delta, Feed, Restarting, TextDelta};
pub use incident::*;
pub use item::{AnswerFile, Card, Failure, FindFile, FindFileReply, Item, NoteUnit, Source, Task};
pub use notice::*;
pub use number::Int53;
pub use process::Process;
pub use profile::*;
pub use queue::*;
pub use session::{Queued, Session, Turn};
pub use settings::*;
pub use storage::*;
pub use view::*;
