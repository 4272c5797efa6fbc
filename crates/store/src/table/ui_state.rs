//! What windows have put down. It is nobody else's business, so it is on no feed and raises no revision.

use rusqlite::Connection;

use crate::error::Result;
use crate::sql::{all, args, change, record};
use crate::tx::Tx;

/// How many entries are kept; the one that was written the longest ago goes first.
pub const UI_ENTRIES: u32 = 2_000;

pub(crate) const ADDED: &str = "
CREATE TABLE ui_state (
    key     TEXT    PRIMARY KEY NOT NULL,
    value   TEXT    NOT NULL,
    written INTEGER NOT NULL UNIQUE -- counts every write, so that the oldest is known
) STRICT;
";

record! {
    /// One thing that a window put down.
    UiRow of "ui_state" {
        /// Under which name.
        key: String,
        /// What.
        value: String,
    }
}

/// What windows have put down, to be read.
pub struct UiState<'c> {
    pub(crate) conn: &'c Connection,
}

impl UiState<'_> {
    /// Everything, in the order in which it was written.
    pub fn list(&self) -> Result<Vec<UiRow>> {
        all(self.conn, "FROM ui_state ORDER BY written", [])
    }
}

/// What windows have put down, to be changed.
pub struct UiStateMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl UiStateMut<'_> {
    /// Puts something down, or takes it away. Beyond [`UI_ENTRIES`] the oldest write is forgotten.
    pub fn set(&self, key: &str, value: Option<&str>) -> Result<()> {
        let Some(value) = value else {
            change(self.tx.conn, "DELETE FROM ui_state WHERE key = ?1", args![key])?;
            return Ok(());
        };
        let put = "INSERT OR REPLACE INTO ui_state (key, value, written)
            VALUES (?1, ?2, (SELECT coalesce(max(written), 0) + 1 FROM ui_state))";
        change(self.tx.conn, put, args![key, value])?;
        let forget = "DELETE FROM ui_state WHERE written IN (
            SELECT written FROM ui_state ORDER BY written DESC LIMIT -1 OFFSET ?1)";
        change(self.tx.conn, forget, args![UI_ENTRIES])?;
        Ok(())
    }
}
