//! When a process that still runs speaks up by itself.
//!
//! **Owns** the words that are looked for in an output, how often a job may speak, what all jobs together may say, the
//! signs of life that are asked for, and when a job counts as silent.
//!
//! **Never** reads a clock, a file or a row, and starts nothing. Bytes and times come in, events come out; in which
//! pieces the bytes come changes nothing.

mod breaker; // what all jobs together may say
mod heartbeat; // a sign of life every so often
mod job; // everything that one job may say
mod lines; // bytes to lines, with a carry-over
mod pattern; // what is looked for
mod silence; // nothing was written for a while
mod updates; // what is new is worth a look every so often
mod watch; // how often one job may tell of a line

pub use breaker::{Asked, BREAKER_HITS, BREAKER_PAUSE, BREAKER_SPAN, Breaker, News};
pub use heartbeat::{Heartbeat, LEAST_INTERVAL, Tick};
pub use job::{Event, Job, Plan, Saved};
pub use pattern::{MOST_CHARS, MOST_PATTERNS, PatternError, WatchPatterns};
pub use silence::{QUIET_AFTER, Silence};
pub use updates::{COUNT_EVERY, UPDATE_EVERY, Updates};
pub use watch::{
    Disabled, GATHER, Hit, LIFETIME_HITS, MOST_HIT_CHARS, MOST_HIT_LINES, PROMPT_AFTER, SPACING, STRIKES, SavedWatch,
    Watch, WhyDisabled,
};
