//! The one row about the file itself. The schema's number is SQLite's `user_version`, so that a
//! program can read it from the file's header without opening the database.

use gatehouse_domain::{Epoch, EpochMs, Rev};
use rusqlite::Connection;

use crate::error::{Error, Result};
use crate::health::cause::StorageCause;
use crate::health::trouble::Trouble;
use crate::sql::{args, change, value};

pub(crate) const INITIAL: &str = "
CREATE TABLE profile_meta (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    epoch BLOB    NOT NULL,
    rev   INTEGER NOT NULL
) STRICT;
";

/// What is set is told by one revision; until when nothing is told to the system is one of those things.
pub(crate) const WITH_SETTINGS: &str = "
ALTER TABLE profile_meta ADD COLUMN settings_rev INTEGER NOT NULL DEFAULT 0;
ALTER TABLE profile_meta ADD COLUMN quiet_until INTEGER;
";

pub(crate) fn epoch(conn: &Connection) -> Result<Option<Epoch>> {
    value(conn, "SELECT epoch FROM profile_meta", [])
}

pub(crate) fn rev(conn: &Connection) -> Result<Rev> {
    value(conn, "SELECT rev FROM profile_meta", [])?
        .ok_or_else(|| Error::Storage(Trouble::new(StorageCause::Corrupt, "profile_meta has no row")))
}

pub(crate) fn begin(conn: &Connection, epoch: Epoch) -> Result<()> {
    change(conn, "INSERT INTO profile_meta (one, epoch, rev) VALUES (1, ?1, 0)", args![epoch])?;
    Ok(())
}

pub(crate) fn set_rev(conn: &Connection, rev: Rev) -> Result<()> {
    change(conn, "UPDATE profile_meta SET rev = ?1", args![rev])?;
    Ok(())
}

/// Writes the row as it is. What is the same all along would be written nowhere, so it is another one in between.
pub(crate) fn write_again(conn: &Connection) -> Result<()> {
    change(conn, "UPDATE profile_meta SET rev = rev + 1", [])?;
    change(conn, "UPDATE profile_meta SET rev = rev - 1", [])?;
    Ok(())
}

/// When what is set last changed.
pub(crate) fn settings_rev(conn: &Connection) -> Result<Rev> {
    Ok(value(conn, "SELECT settings_rev FROM profile_meta", [])?.unwrap_or_default())
}

pub(crate) fn set_settings_rev(conn: &Connection, rev: Rev) -> Result<()> {
    change(conn, "UPDATE profile_meta SET settings_rev = ?1", args![rev])?;
    Ok(())
}

pub(crate) fn quiet_until(conn: &Connection) -> Result<Option<EpochMs>> {
    Ok(value(conn, "SELECT quiet_until FROM profile_meta", [])?.flatten())
}

pub(crate) fn set_quiet_until(conn: &Connection, until: Option<EpochMs>) -> Result<()> {
    change(conn, "UPDATE profile_meta SET quiet_until = ?1", args![until])?;
    Ok(())
}
