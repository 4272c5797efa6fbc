//! A sign of life every so often, while there is something new to show.

use std::time::Duration;

use gatehouse_domain::Mono;

/// A shorter interval is raised to this.
pub const LEAST_INTERVAL: Duration = Duration::from_secs(60);

/// When a job tells that it lives.
#[derive(Debug, Clone, Copy)]
pub struct Heartbeat {
    interval: Duration,
    due: Mono,
    /// What was told already, in bytes of output.
    told: u64,
    seq: u32,
}

/// One sign of life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tick {
    /// Which one, from 1.
    pub seq: u32,
    /// How often they come.
    pub interval: Duration,
    /// What comes after this byte is new.
    pub from: u64,
}

impl Heartbeat {
    /// The first is due an interval from now, and shows everything since the start.
    pub fn new(interval: Duration, now: Mono) -> Self {
        Self::resume(interval, 0, 0, now)
    }

    /// Goes on after so many, of which the last one showed so much.
    pub fn resume(interval: Duration, seq: u32, told: u64, now: Mono) -> Self {
        let interval = interval.max(LEAST_INTERVAL);
        Self { interval, due: Mono(now.0 + interval), told, seq }
    }

    /// How many there were, and how much the last one showed.
    pub const fn told(&self) -> (u32, u64) {
        (self.seq, self.told)
    }

    /// A sign of life, if one is due and there is something new. Those that were missed are not made up for.
    pub fn tick(&mut self, total: u64, now: Mono) -> Option<Tick> {
        if now < self.due {
            return None;
        }
        self.due = Mono(now.0 + self.interval);
        if total <= self.told {
            return None;
        }
        self.seq += 1;
        let from = std::mem::replace(&mut self.told, total);
        Some(Tick { seq: self.seq, interval: self.interval, from })
    }

    /// When the next one is due.
    pub const fn next_at(&self) -> Mono {
        self.due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(s: u64) -> Mono {
        Mono(Duration::from_secs(s))
    }

    #[test]
    fn it_speaks_only_of_something_new() {
        let mut heart = Heartbeat::new(Duration::from_secs(5), at(0));
        assert_eq!(heart.tick(10, at(59)), None);
        let tick = |seq, from| Some(Tick { seq, interval: LEAST_INTERVAL, from });
        assert_eq!(heart.tick(10, at(60)), tick(1, 0));
        assert_eq!(heart.tick(10, at(120)), None, "nothing new");
        assert_eq!(heart.tick(11, at(121)), None, "not due");
        assert_eq!(heart.tick(11, at(180)), tick(2, 10));
        assert_eq!(heart.tick(12, at(1_000)), tick(3, 11), "one for all that were missed");
        assert_eq!(heart.next_at(), at(1_060));
        let mut resumed = Heartbeat::resume(Duration::from_secs(60), 3, 12, at(0));
        assert_eq!(resumed.tick(12, at(60)), None);
        assert_eq!(resumed.tick(13, at(120)), tick(4, 12));
    }
}
