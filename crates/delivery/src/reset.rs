//! When a lane begins a new session by itself: with somebody's message, after a pause or on another day.

use std::time::Duration;

use gatehouse_domain::{EndReason, EpochMs, ResetPolicy};

/// A day of people begins at this hour: what is said after midnight belongs to the evening.
pub const DAY_BEGINS: Duration = Duration::from_secs(4 * 60 * 60);
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// What is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resets {
    /// When.
    pub policy: ResetPolicy,
    /// A pause that is long enough.
    pub pause: Duration,
}

/// A moment, and how far the clock on the person's wall was ahead of the world's then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalTime {
    /// The moment.
    pub at: EpochMs,
    /// How far ahead, in milliseconds.
    pub ahead: i64,
}

/// Decides when a message comes in. A session in which something is at work is never left: its words would come out of
/// nowhere in the new one.
pub fn reset(set: Resets, last: LocalTime, now: LocalTime, at_work: bool) -> Option<EndReason> {
    let (idle, daily) = match set.policy {
        ResetPolicy::None => (false, false),
        ResetPolicy::Idle => (true, false),
        ResetPolicy::Daily => (false, true),
        ResetPolicy::Both => (true, true),
    };
    let pause = u64::try_from(set.pause.as_millis()).unwrap_or(u64::MAX);
    if at_work {
        None
    } else if idle && now.at.since(last.at) >= pause {
        Some(EndReason::Idle)
    } else if daily && day(last) < day(now) {
        Some(EndReason::Daily)
    } else {
        None
    }
}

const fn day(time: LocalTime) -> i64 {
    let begins = DAY_BEGINS.as_secs() as i64 * 1_000;
    time.at.0.saturating_add(time.ahead).saturating_sub(begins).div_euclid(DAY_MS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatehouse_domain::EndReason::{Daily, Idle};

    const HOUR: i64 = 60 * 60 * 1_000;
    /// Some midnight.
    const MIDNIGHT: i64 = 20_000 * DAY_MS;

    fn at(hours: i64, ahead: i64) -> LocalTime {
        LocalTime { at: EpochMs(MIDNIGHT + hours * HOUR), ahead: ahead * HOUR }
    }

    #[test]
    fn each_policy_has_its_moment() {
        let policies = [ResetPolicy::None, ResetPolicy::Idle, ResetPolicy::Daily, ResetPolicy::Both];
        let pause = Duration::from_secs(10 * 60 * 60);
        for (last, now, ahead, expected) in [
            // An hour later on the same day.
            (9, 10, 0, [None, None, None, None]),
            // A pause within one day, to the minute.
            (5, 15, 0, [None, Some(Idle), None, Some(Idle)]),
            (5, 14, 0, [None, None, None, None]),
            // After midnight it is still the evening; from four on it is another day.
            (23, 27, 0, [None, None, None, None]),
            (22, 28, 0, [None, None, Some(Daily), Some(Daily)]),
            // Both at once: the pause is what is told.
            (9, 33, 0, [None, Some(Idle), Some(Daily), Some(Idle)]),
            // The wall of the person counts, not that of the world.
            (20, 21, 8, [None, None, None, None]),
            (19, 20, 8, [None, None, Some(Daily), Some(Daily)]),
            // The clock was set back.
            (40, 9, 0, [None, None, None, None]),
        ] {
            for (policy, expected) in policies.into_iter().zip(expected) {
                let set = Resets { policy, pause };
                let (last, now) = (at(last, ahead), at(now, ahead));
                assert_eq!(reset(set, last, now, false), expected, "{policy} {last:?} {now:?}");
                assert_eq!(reset(set, last, now, true), None, "something is at work");
            }
        }
    }

    #[test]
    fn a_changed_offset_makes_no_day() {
        let set = Resets { policy: ResetPolicy::Daily, pause: Duration::ZERO };
        assert_eq!(reset(set, at(12, 1), at(13, 2), false), None);
        assert_eq!(reset(set, at(2, 1), at(3, 1), false), Some(Daily), "four on the wall");
    }
}
