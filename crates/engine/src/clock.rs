//! The engine's only clock. It measures how long work took and decides nothing but the pace of reading.

use std::time::Instant;

/// Now.
#[expect(clippy::disallowed_methods, reason = "the engine's only clock")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Milliseconds since `begun`.
pub(crate) fn ms_since(begun: Instant) -> u64 {
    u64::try_from(now().duration_since(begun).as_millis()).unwrap_or(u64::MAX)
}
