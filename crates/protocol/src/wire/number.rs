//! Integers that JavaScript can hold exactly.

use serde::{Deserialize, Serialize};
use specta::Type;

/// An integer within ±2^53: a time in milliseconds, a byte offset, a sequence number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, Type)]
#[serde(transparent)]
pub struct Int53(#[specta(type = i32)] pub i64);

impl From<u64> for Int53 {
    fn from(value: u64) -> Self {
        Self(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<gatehouse_domain::EpochMs> for Int53 {
    fn from(value: gatehouse_domain::EpochMs) -> Self {
        Self(value.0)
    }
}

impl Int53 {
    /// The value as an unsigned number; negative becomes zero.
    pub fn unsigned(self) -> u64 {
        u64::try_from(self.0).unwrap_or(0)
    }
}
