//! A time of day, as people write it.

use std::fmt;
use std::str::FromStr;

/// Minutes since midnight, of this computer's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimeOfDay(u16);

impl TimeOfDay {
    /// From minutes since midnight; a day has 1440.
    pub const fn from_minutes(minutes: u16) -> Self {
        Self(minutes % 1440)
    }

    /// Minutes since midnight.
    pub const fn minutes(self) -> u16 {
        self.0
    }
}

impl FromStr for TimeOfDay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || format!("{text:?} is no time of day; write it as 22:00");
        let (hours, minutes) = text.split_once(':').ok_or_else(refused)?;
        let number = |digits: &str, below: u16| {
            let plain = digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_digit());
            digits.parse::<u16>().ok().filter(|n| plain && *n < below).ok_or_else(refused)
        };
        Ok(Self(number(hours, 24)? * 60 + number(minutes, 60)?))
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}
