//! Chance that can be repeated: a seed gives the same throws every time.

/// A small generator; its seed is part of every failure's words.
#[derive(Debug, Clone)]
pub struct Dice {
    seed: u64,
    state: u64,
}

impl Dice {
    /// Takes the seed from `GATEHOUSE_TEST_SEED`, otherwise from the process id, so that runs differ.
    pub fn new() -> Self {
        let told = std::env::var("GATEHOUSE_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
        Self::seeded(told.unwrap_or_else(|| u64::from(std::process::id())))
    }

    /// Throws what this seed always throws.
    pub const fn seeded(seed: u64) -> Self {
        Self { seed, state: seed ^ 0x9E37_79B9_7F4A_7C15 }
    }

    /// What to set `GATEHOUSE_TEST_SEED` to for the same throws.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        // SplitMix64: good enough for choosing moments, and the same on every machine.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % limit.max(1)
    }
}

impl Default for Dice {
    fn default() -> Self {
        Self::new()
    }
}
