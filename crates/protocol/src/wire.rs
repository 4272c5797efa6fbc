//! The shapes that cross the wire: camelCase, ids as strings, times as integer milliseconds.
//!
//! An absent optional field means "does not apply". Clients ignore fields and `type`s they do not know.

mod block; // Markdown as a typed tree
mod command; // requests and replies
mod feed; // what changed since a revision
mod item; // transcript entries
mod number; // integers that JavaScript can hold
mod process; // tracked background commands
mod session; // sessions and turns

pub use block::{Align, Block, Inline, ListItem};
pub use command::*;
pub use feed::{BlockDelta, Change, Delta, Feed, TextDelta};
pub use item::{Card, Failure, Item, NoteUnit, Source};
pub use number::Int53;
pub use process::Process;
pub use session::{Queued, Session, Turn};
