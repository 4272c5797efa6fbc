//! The one reader of the time.

use std::time::{Duration, Instant, SystemTime};

/// Now.
#[expect(clippy::disallowed_methods, reason = "a bench is made of real time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// From one moment to another, in milliseconds; never below nothing.
pub(crate) fn ms_between(from: Instant, to: Instant) -> f64 {
    to.saturating_duration_since(from).as_secs_f64() * 1000.0
}

/// How long ago a moment was.
pub(crate) fn since(from: Instant) -> Duration {
    now().saturating_duration_since(from)
}

/// What a clock on the wall showed at a moment, in milliseconds since 1970.
#[expect(clippy::disallowed_methods, reason = "what programs write down is held against what was seen of them")]
pub(crate) fn wall_ms(at: Instant) -> f64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    (now.saturating_sub(since(at))).as_secs_f64() * 1000.0
}
