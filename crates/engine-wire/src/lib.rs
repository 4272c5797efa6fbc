//! What the embedded engine and its client say to each other: one JSON object on each line.
//!
//! **Owns** the shapes of these lines, the longest line that is read, and the closed set of reasons for a refusal.
//!
//! **Never** does IO, starts a program, or knows what a turn is.
//!
//! A crate of its own because the two sides share nothing else: the engine is built apart, with a C++ library and
//! without HTTP, and its client is built with HTTP and without the C++ library.

mod event; // what the engine says
mod line; // a value as a line, and back
mod request; // what the engine is asked

pub use event::{Event, Facts, Reason, RefusalCode, Timings};
pub use line::{MAX_LINE, NotUnderstood, read, write};
pub use request::{Load, Question, Request, Role, Words};
