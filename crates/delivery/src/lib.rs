//! When and to whom the report of something that ended goes.
//!
//! **Owns** the pure policy: a lone report goes at once, reports that come together go together, nothing interrupts the
//! turn that already answers one, a person's line is never crossed, and what cannot be told ends where a person sees it.
//!
//! It also owns what is done about words owed to a channel, and which channel says them: [`outbox`]. And what becomes of the notices
//! that a planned restart owes: [`owed`].
//!
//! **Never** reads a clock, a row or a channel, and knows no shell. An actor asks, and acts.

mod classify; // to whom
pub mod outbox; // words owed to channels
pub mod owed; // notices that a planned restart owes
mod policy; // lone at once, otherwise a window, otherwise when the running report was answered
mod refusal; // what could not be taken
mod reset; // a lane begins anew by itself

pub use classify::{Lineage, MOST_HOPS, Standing, Verdict, classify};
pub use policy::{Decision, MAX_WAIT, QUIET, Situation, Window, alike};
pub use refusal::{MOST_ATTEMPTS, Next, Refusal, Refused, refused};
pub use reset::{DAY_BEGINS, LocalTime, Resets, reset};
