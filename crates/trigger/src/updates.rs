//! What has grown since is worth a look every so often.

use std::time::Duration;

use gatehouse_domain::Mono;

/// What a job has written is shown from afar not more often than this.
pub const UPDATE_EVERY: Duration = Duration::from_secs(5);
/// How many of its lines matched, not more often than this.
pub const COUNT_EVERY: Duration = Duration::from_secs(1);

/// When somebody is shown what is new of something that grows.
#[derive(Debug, Clone, Copy)]
pub struct Updates {
    every: Duration,
    free_at: Mono,
    /// What was shown already.
    shown: u64,
}

impl Updates {
    /// It is looked at from now on, and so much of it was shown.
    pub fn new(every: Duration, shown: u64, now: Mono) -> Self {
        Self { every, free_at: Mono(now.0 + every), shown }
    }

    /// Whether there is something new to be shown now.
    pub fn tick(&mut self, total: u64, now: Mono) -> bool {
        let due = self.next_at(total).is_some_and(|at| at <= now);
        if due {
            *self = Self::new(self.every, total, now);
        }
        due
    }

    /// When to look again. What does not grow costs nothing.
    pub fn next_at(&self, total: u64) -> Option<Mono> {
        self.is_new(total).then_some(self.free_at)
    }

    /// Whether there is something that was not shown.
    pub const fn is_new(&self, total: u64) -> bool {
        total > self.shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(s: u64) -> Mono {
        Mono(Duration::from_secs(s))
    }

    #[test]
    fn what_is_new_is_shown_every_so_often_and_silence_wakes_nobody() {
        let mut updates = Updates::new(UPDATE_EVERY, 0, at(0));
        assert_eq!(updates.next_at(0), None, "nothing was written");
        assert_eq!(updates.next_at(10), Some(at(5)));
        assert!(!updates.tick(10, at(4)));
        assert!(updates.tick(10, at(5)));
        assert_eq!(updates.next_at(10), None, "all of it was shown");
        assert!(!updates.tick(10, at(60)));
        assert!(updates.tick(11, at(60)), "the first words after a silence are shown at once");
        assert!(!updates.tick(12, at(64)));
        assert!(updates.tick(12, at(65)));
    }
}
