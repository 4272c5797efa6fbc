//! When the report of something that ended goes into its conversation.
//!
//! **Owns** the pure policy: a lone report goes at once, reports that come together go together, and nothing
//! interrupts the turn that already answers one.
//!
//! It also owns what is done about words owed to a channel, and which channel says them: [`outbox`].
//!
//! **Never** reads a clock, a row or a channel, and knows no shell. An actor asks, and acts.

pub mod outbox; // words owed to channels
mod policy; // lone at once, otherwise a window, otherwise when the running report was answered

pub use policy::{Decision, MAX_WAIT, QUIET, Situation, Window, alike};
