//! What a job has written since is worth a look every so often.

use std::time::Duration;

use gatehouse_domain::Mono;

/// Not more often than this.
pub const UPDATE_EVERY: Duration = Duration::from_secs(5);

/// When somebody who follows a job from afar is shown what is new.
#[derive(Debug, Clone, Copy)]
pub struct Updates {
    free_at: Mono,
    /// What was shown already, in bytes of output.
    shown: u64,
}

impl Updates {
    /// A job that begins to be listened to now.
    pub fn new(now: Mono) -> Self {
        Self { free_at: Mono(now.0 + UPDATE_EVERY), shown: 0 }
    }

    /// Whether there is something new to be shown now.
    pub fn tick(&mut self, total: u64, now: Mono) -> bool {
        let due = self.next_at(total).is_some_and(|at| at <= now);
        if due {
            *self = Self { free_at: Mono(now.0 + UPDATE_EVERY), shown: total };
        }
        due
    }

    /// When to look again. What writes nothing costs nothing.
    pub fn next_at(&self, total: u64) -> Option<Mono> {
        (total > self.shown).then_some(self.free_at)
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
        let mut updates = Updates::new(at(0));
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
