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

    /// The time `span` earlier.
    pub fn before(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)))
    }
}

impl EpochMs {
    /// The same moment as a date and an hour of the world's clock.
    pub const fn utc(self) -> Utc {
        let seconds = self.0.div_euclid(1000);
        // Days are counted from a first of March, so that a leap day is the last of its year.
        let (days, second) = (seconds.div_euclid(86_400) + 719_468, seconds.rem_euclid(86_400));
        let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let march = (5 * day + 2) / 153;
        let month = if march < 10 { march + 3 } else { march - 9 };
        Utc {
            year: year + era * 400 + (month <= 2) as i64,
            month,
            day: day - (153 * march + 2) / 5 + 1,
            hour: second / 3_600,
            minute: second / 60 % 60,
            second: second % 60,
        }
    }
}

/// A moment on the world's clock, as people write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Utc {
    /// The year.
    pub year: i64,
    /// The month, from 1.
    pub month: i64,
    /// The day, from 1.
    pub day: i64,
    /// The hour.
    pub hour: i64,
    /// The minute.
    pub minute: i64,
    /// The second.
    pub second: i64,
}

impl Utc {
    /// The moment; nothing if there is no such date or hour.
    pub fn moment(self) -> Option<EpochMs> {
        let in_range = (0..=9999).contains(&self.year)
            && (1..=12).contains(&self.month)
            && (1..=31).contains(&self.day)
            && (0..24).contains(&self.hour)
            && (0..60).contains(&self.minute)
            && (0..60).contains(&self.second);
        if !in_range {
            return None;
        }
        let year = if self.month <= 2 { self.year - 1 } else { self.year };
        let march = (self.month + 9) % 12;
        let days = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        let days = days + (153 * march + 2) / 5 + self.day - 1 - 719_468;
        let seconds = days * 86_400 + self.hour * 3_600 + self.minute * 60 + self.second;
        // The 31st of a shorter month is another day.
        let moment = EpochMs(seconds * 1000);
        (moment.utc() == self).then_some(moment)
    }
}

/// As it can stand in the name of a file: `2026-03-01T09-30-00Z`.
impl std::fmt::Display for Utc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { year, month, day, hour, minute, second } = self;
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}-{minute:02}-{second:02}Z")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_named_and_found_again() {
        for (ms, date) in [
            (0, [1970, 1, 1, 0, 0, 0]),
            (951_826_154_000, [2000, 2, 29, 12, 9, 14]),
            (1_772_357_400_000, [2026, 3, 1, 9, 30, 0]),
            (1_798_761_599_000, [2026, 12, 31, 23, 59, 59]),
        ] {
            let [year, month, day, hour, minute, second] = date;
            let utc = Utc { year, month, day, hour, minute, second };
            assert_eq!(EpochMs(ms).utc(), utc);
            assert_eq!(utc.moment(), Some(EpochMs(ms)));
        }
        for day in 0..200_000 {
            let at = EpochMs(day * 86_400_000);
            assert_eq!(at.utc().moment(), Some(at));
        }
        let none = Utc { year: 2026, month: 2, day: 30, hour: 0, minute: 0, second: 0 };
        assert_eq!(none.moment(), None);
    }
}
