//! What the engine says: one line for each event, each written at once.

use std::io::{Stdout, Write, stdout};
use std::sync::{Arc, Mutex, PoisonError};

use gatehouse_engine_wire::{Event, write};

use crate::ears;
use crate::refusal::Refusal;

/// The way to the client. Shared by the thread that computes and the one that listens.
#[derive(Clone)]
pub(crate) struct Mouth(Arc<Mutex<Stdout>>);

impl Mouth {
    pub fn stdout() -> Self {
        Self(Arc::new(Mutex::new(stdout())))
    }

    /// A client that does not listen any more is gone.
    pub fn say(&self, event: &Event) {
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if out.write_all(&write(event)).and_then(|()| out.flush()).is_err() {
            ears::leave();
        }
    }

    /// The first line.
    pub fn ready(&self) {
        self.say(&Event::Ready { version: env!("CARGO_PKG_VERSION").to_owned() });
    }

    pub fn refuse(&self, id: Option<u64>, refusal: Refusal) {
        self.say(&Event::Failed { id, code: refusal.code, message: refusal.message });
    }
}
