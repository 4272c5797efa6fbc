//! When the report of something that ended goes into its conversation.
//!
//! **Owns** the pure policy: a lone report goes at once, reports that come together go together, and nothing
//! interrupts the turn that already answers one.
//!
//! **Never** reads a clock, a row or a channel, and knows no shell. The session's actor asks, and acts.

mod policy; // lone at once, otherwise a window, otherwise when the running report was answered

pub use policy::{Decision, MAX_WAIT, QUIET, Situation, Window, alike};
