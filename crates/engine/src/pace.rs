//! How much of a question is read at once. A question can be taken back between two readings only, so they are kept
//! short; short ones cost a little more for each token.

use std::time::Duration;

/// The most that is read at once; the library sets memory aside for so many.
pub(crate) const MOST: usize = 64;
const LEAST: usize = 8;
/// Longer than this, and a person who takes a question back notices.
const LONG: Duration = Duration::from_millis(180);

/// How many tokens are read at once, by how long the last reading took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace(usize);

impl Pace {
    pub const fn new() -> Self {
        Self(32)
    }

    pub const fn tokens(self) -> usize {
        self.0
    }

    /// Reading `tokens` took so long.
    pub fn took(&mut self, tokens: usize, time: Duration) {
        if time > LONG {
            self.0 = (self.0 / 2).max(LEAST);
        } else if tokens == self.0 && time < LONG / 3 {
            self.0 = (self.0 * 2).min(MOST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_follows_the_computer_within_bounds() {
        let mut pace = Pace::new();
        let slow = Duration::from_millis(500);
        (0..9).for_each(|_| pace.took(pace.tokens(), slow));
        assert_eq!(pace.tokens(), LEAST);
        (0..9).for_each(|_| pace.took(pace.tokens(), Duration::from_millis(9)));
        assert_eq!(pace.tokens(), MOST);
        pace.took(3, Duration::from_millis(1));
        pace.took(MOST, Duration::from_millis(100));
        assert_eq!(pace.tokens(), MOST);
    }
}
