//! Boots: starts of the gateway, what each found, and whether it made place for the next one on purpose.

use gatehouse_domain::EpochMs;
use rusqlite::Connection;

use crate::error::Result;
use crate::sql::{all, args, change, missing, record, value};
use crate::tx::Tx;

pub(crate) const ADDED: &str = "
CREATE TABLE boot (
    number      INTEGER PRIMARY KEY AUTOINCREMENT,
    at          INTEGER NOT NULL,
    interrupted INTEGER NOT NULL, -- turns that the end before had cut off
    planned     INTEGER           -- when somebody asked that the next start follows this one; absent: nobody did
) STRICT;
";

/// So many are remembered.
const KEPT: u32 = 100;

record! {
    /// A start of the gateway.
    BootRow of "boot" {
        /// Its number; a later start has a higher one.
        number: u64,
        /// When.
        at: EpochMs,
        /// Turns that were at work when the run before it ended.
        interrupted: u32,
        /// When its own run was asked to make place for the next.
        planned: Option<EpochMs>,
    }
}

/// Boots, to be read.
pub struct Boots<'c> {
    pub(crate) conn: &'c Connection,
}

impl Boots<'_> {
    /// The newest ones, the newest first.
    pub fn newest(&self, limit: u32) -> Result<Vec<BootRow>> {
        all(self.conn, "FROM boot ORDER BY number DESC LIMIT ?1", args![limit])
    }
}

/// Boots, to be changed. Nothing shows them, so no revision is raised.
pub struct BootsMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl BootsMut<'_> {
    /// The gateway starts; this start's number. The oldest ones are forgotten.
    pub fn begin(&self, at: EpochMs, interrupted: u32) -> Result<u64> {
        let sql = "INSERT INTO boot (at, interrupted) VALUES (?1, ?2) RETURNING number";
        let number = value(self.tx.conn, sql, args![at, interrupted])?.ok_or_else(|| missing("boot", at.0))?;
        change(self.tx.conn, "DELETE FROM boot WHERE number <= ?1 - ?2", args![number, KEPT])?;
        Ok(number)
    }

    /// Somebody asked that the next start follows this one; whether they are the first.
    pub fn plan(&self, number: u64, at: EpochMs) -> Result<bool> {
        let sql = "UPDATE boot SET planned = ?2 WHERE number = ?1 AND planned IS NULL";
        Ok(change(self.tx.conn, sql, args![number, at])? > 0)
    }
}
