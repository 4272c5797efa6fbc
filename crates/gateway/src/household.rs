//! What the gateways of one house share. It is little: rows, keys, settings and channels are each profile's own.

mod told; // which chats know that the gateway is back

use std::sync::Arc;

pub(crate) use told::{Claim, Told, Turn};

use crate::engine::{EnginePlaces, EngineRoom};

/// One house in one run, as its gateways see it. Clones share it; a gateway alone has one of its own.
#[derive(Clone)]
pub struct Household {
    /// A model fits into memory once.
    pub(crate) engine: Arc<EngineRoom>,
    pub(crate) told: Arc<Told>,
}

impl Household {
    /// A house whose embedded engine lies there.
    pub fn new(engine: EnginePlaces) -> Self {
        Self { engine: Arc::new(EngineRoom::new(engine)), told: Arc::default() }
    }
}

impl Default for Household {
    fn default() -> Self {
        Self::new(EnginePlaces::default())
    }
}
