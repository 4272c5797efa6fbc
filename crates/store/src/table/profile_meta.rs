//! The one row about the file itself. The schema's number is SQLite's `user_version`, so that a
//! program can read it from the file's header without opening the database.

use gatehouse_domain::{Epoch, Rev};
use rusqlite::Connection;

use crate::error::{Error, Result};
use crate::sql::{args, change, value};

pub(crate) const INITIAL: &str = "
CREATE TABLE profile_meta (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    epoch BLOB    NOT NULL,
    rev   INTEGER NOT NULL
) STRICT;
";

pub(crate) fn epoch(conn: &Connection) -> Result<Option<Epoch>> {
    value(conn, "SELECT epoch FROM profile_meta", [])
}

pub(crate) fn rev(conn: &Connection) -> Result<Rev> {
    value(conn, "SELECT rev FROM profile_meta", [])?
        .ok_or_else(|| Error::Corrupt { detail: "profile_meta has no row".to_owned() })
}

pub(crate) fn begin(conn: &Connection, epoch: Epoch) -> Result<()> {
    change(conn, "INSERT INTO profile_meta (one, epoch, rev) VALUES (1, ?1, 0)", args![epoch])?;
    Ok(())
}

pub(crate) fn set_rev(conn: &Connection, rev: Rev) -> Result<()> {
    change(conn, "UPDATE profile_meta SET rev = ?1", args![rev])?;
    Ok(())
}
