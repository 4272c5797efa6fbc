//! The real clock and ids; the only place that reads them. And where this computer stands in the world's day.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use chrono::TimeZone as _;
use gatehouse_domain::{Clock, EpochMs, IdSource, Mono};

/// The machine's clocks.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one module that reads the clock")]
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one module that reads the clock")]
    fn wall(&self) -> EpochMs {
        let span = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        EpochMs(i64::try_from(span.as_millis()).unwrap_or(i64::MAX))
    }

    fn mono(&self) -> Mono {
        Mono(self.start.elapsed())
    }
}

/// How far the clock on the wall here was ahead of the world's then, in milliseconds.
pub(crate) fn ahead_of_utc(at: EpochMs) -> i64 {
    let local = chrono::Local.timestamp_millis_opt(at.0).single();
    local.map_or(0, |local| i64::from(local.offset().local_minus_utc()) * 1_000)
}

/// UUIDv7: ordered by the time they were made.
#[derive(Debug, Default)]
pub struct SystemIds;

impl IdSource for SystemIds {
    #[expect(clippy::disallowed_methods, reason = "this is the one module that makes ids")]
    fn fresh(&self) -> uuid::Uuid {
        uuid::Uuid::now_v7()
    }
}
