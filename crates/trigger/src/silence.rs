//! Nothing was written for a while.

use std::time::Duration;

use gatehouse_domain::Mono;

/// A job that has written nothing for so long is called quiet.
pub const QUIET_AFTER: Duration = Duration::from_secs(120);

/// Since when a job says nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silence {
    since: Mono,
    told: bool,
}

impl Silence {
    /// A job that begins to be listened to now.
    pub const fn new(now: Mono) -> Self {
        Self { since: now, told: false }
    }

    /// It wrote something; whether it had been called quiet.
    pub const fn broken(&mut self, now: Mono) -> bool {
        self.since = now;
        std::mem::replace(&mut self.told, false)
    }

    /// Whether it is to be called quiet now. Said once for each silence.
    pub fn begins(&mut self, now: Mono) -> bool {
        let begins = self.next_at().is_some_and(|at| at <= now);
        self.told |= begins;
        begins
    }

    /// When to look again, if nothing is written.
    pub fn next_at(&self) -> Option<Mono> {
        (!self.told).then(|| Mono(self.since.0 + QUIET_AFTER))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(s: u64) -> Mono {
        Mono(Duration::from_secs(s))
    }

    #[test]
    fn each_silence_is_told_once() {
        let mut silence = Silence::new(at(5));
        assert!(!silence.begins(at(124)));
        assert!(silence.begins(at(125)));
        assert!(!silence.begins(at(999)));
        assert_eq!(silence.next_at(), None);
        assert!(silence.broken(at(1_000)));
        assert!(!silence.broken(at(1_001)));
        assert_eq!(silence.next_at(), Some(at(1_121)));
        assert!(silence.begins(at(1_121)));
    }
}
