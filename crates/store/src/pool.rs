//! Read-only connections. A read never waits for the writer, nor the writer for a read.

use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;

use crate::error::{Error, Result};
use crate::health::place::Place;
use crate::open;
use crate::tx::Snapshot;

/// How many idle connections are kept: more readers at once than this open their own and close it again.
const IDLE: usize = 4;

pub(crate) struct Pool {
    place: Place,
    /// Nothing once the store is closed.
    idle: Mutex<Option<Vec<Connection>>>,
}

impl Pool {
    pub(crate) const fn new(place: Place) -> Self {
        Self { place, idle: Mutex::new(Some(Vec::new())) }
    }

    /// Runs `f` inside one read transaction. A connection on which `f` panicked is not used again.
    pub(crate) fn read<T>(&self, f: impl FnOnce(&Snapshot<'_>) -> Result<T>) -> Result<T> {
        let conn = match self.idle().as_mut().ok_or(Error::Closed)?.pop() {
            Some(conn) => conn,
            None => {
                // The path may name another file by now.
                self.place.look().map_err(Error::Storage)?;
                open::reader(self.place.file())?
            }
        };
        let transaction = conn.unchecked_transaction()?;
        let outcome = f(&Snapshot { conn: &conn });
        transaction.finish()?;
        if let Some(idle) = self.idle().as_mut()
            && idle.len() < IDLE
        {
            idle.push(conn);
        }
        outcome
    }

    pub(crate) const fn place(&self) -> &Place {
        &self.place
    }

    pub(crate) fn close(&self) {
        self.idle().take();
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Option<Vec<Connection>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
