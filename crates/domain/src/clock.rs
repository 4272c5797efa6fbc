//! Time and ids are injected, so that every rule about them can be tested without waiting.

use std::time::Duration;

use uuid::Uuid;

/// Wall-clock time in milliseconds since the Unix epoch. For people and rows, never for deadlines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct EpochMs(pub i64);

impl EpochMs {
    /// Milliseconds from `earlier` to `self`; zero when the wall clock was set back in between.
    pub fn since(self, earlier: Self) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }

    /// The time `span` later.
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)))
    }
}

/// Monotonic time since an arbitrary start; for deadlines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Mono(pub Duration);

/// The two clocks.
pub trait Clock: Send + Sync + 'static {
    /// What the wall says.
    fn wall(&self) -> EpochMs;
    /// What never runs backwards.
    fn mono(&self) -> Mono;
}

/// Where fresh ids come from (UUIDv7).
pub trait IdSource: Send + Sync + 'static {
    /// A UUID that was never handed out before.
    fn fresh(&self) -> Uuid;
}
