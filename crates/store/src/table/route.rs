//! Routes: lanes of conversations, and the session that each one leads to.

use gatehouse_domain::{EpochMs, SessionId};
use rusqlite::Connection;

use crate::error::Result;
use crate::sql::{args, change, value};
use crate::tx::Tx;

pub(crate) const ADDED: &str = "
CREATE TABLE route (
    key      TEXT    PRIMARY KEY NOT NULL,
    session  BLOB    NOT NULL REFERENCES session (id),
    moved_at INTEGER NOT NULL
) STRICT;
INSERT INTO route (key, session, moved_at) SELECT route, id, max(created_at) FROM session GROUP BY route;
";

/// Routes, to be read.
pub struct Routes<'c> {
    pub(crate) conn: &'c Connection,
}

impl Routes<'_> {
    /// The session that this lane leads to now.
    pub fn current(&self, key: &str) -> Result<Option<SessionId>> {
        value(self.conn, "SELECT session FROM route WHERE key = ?1", args![key])
    }
}

/// Routes, to be changed. They have no key on the feed: who shows a lane shows its sessions.
pub struct RoutesMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl RoutesMut<'_> {
    /// The lane leads to this session from now on.
    pub fn lead(&self, key: &str, session: SessionId, at: EpochMs) -> Result<()> {
        let sql = "INSERT INTO route (key, session, moved_at) VALUES (?1, ?2, ?3)
            ON CONFLICT (key) DO UPDATE SET session = ?2, moved_at = ?3";
        self.tx.rev();
        change(self.tx.conn, sql, args![key, session, at])?;
        Ok(())
    }
}
