//! Messages that came in over a channel: where each came from, and where an answer to it goes.
//!
//! That a relay brought one is not among it: whoever can write rows could then speak through the relay.

use gatehouse_domain::{EpochMs, SessionId};
use rusqlite::Connection;

use crate::error::Result;
use crate::sql::{args, change, first, record};
use crate::tx::Tx;

pub(crate) const ADDED: &str = "
CREATE TABLE incoming (
    route   TEXT    NOT NULL,
    key     TEXT    NOT NULL, -- under which its words were handed in
    session BLOB    NOT NULL REFERENCES session (id),
    origin  TEXT    NOT NULL,
    inbound TEXT, -- absent: the platform did not name it
    anchor  TEXT, -- absent: an answer quotes nothing
    live    TEXT, -- absent: nothing of its answer stands there yet
    at      INTEGER NOT NULL,
    PRIMARY KEY (route, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX incoming_latest ON incoming (route, at);
";

record! {
    /// A message that came in.
    IncomingRow of "incoming" {
        /// Its lane.
        route: String,
        /// The key of its admission.
        key: String,
        /// The session that the lane led to then.
        session: SessionId,
        /// Where it came from, as text.
        origin: String,
        /// The platform's id of it.
        inbound: Option<String>,
        /// What an answer quotes.
        anchor: Option<String>,
        /// The message there that its answer begins with, and that the whole of it takes the place of.
        live: Option<String>,
        /// When.
        at: EpochMs,
    }
}

/// Messages that came in, to be read.
pub struct Incoming<'c> {
    pub(crate) conn: &'c Connection,
}

impl Incoming<'_> {
    /// What came in under this key.
    pub fn get(&self, route: &str, key: &str) -> Result<Option<IncomingRow>> {
        first(self.conn, "FROM incoming WHERE route = ?1 AND key = ?2", args![route, key])
    }

    /// The newest of a lane.
    pub fn latest(&self, route: &str) -> Result<Option<IncomingRow>> {
        first(self.conn, "FROM incoming WHERE route = ?1 ORDER BY at DESC LIMIT 1", args![route])
    }
}

/// Messages that came in, to be changed.
pub struct IncomingMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl IncomingMut<'_> {
    /// Notes one. What came in under the same key before stays as it is; whether it is new.
    pub fn insert(&self, row: &IncomingRow) -> Result<bool> {
        let sql = "INSERT INTO incoming (route, key, session, origin, inbound, anchor, at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING";
        let params = args![row.route, row.key, row.session, row.origin, row.inbound, row.anchor, row.at];
        Ok(change(self.tx.conn, sql, params)? > 0)
    }

    /// The first words of its answer stand in this message; nothing: whatever stood there is over.
    pub fn set_live(&self, route: &str, key: &str, live: Option<&str>) -> Result<()> {
        change(self.tx.conn, "UPDATE incoming SET live = ?3 WHERE route = ?1 AND key = ?2", args![route, key, live])?;
        Ok(())
    }

    /// Forgets those that came in before, but for the newest of each lane: it says where that lane leads to outside.
    pub fn forget(&self, before: EpochMs) -> Result<usize> {
        let sql = "DELETE FROM incoming WHERE at < ?1
            AND at < (SELECT max(newer.at) FROM incoming AS newer WHERE newer.route = incoming.route)";
        change(self.tx.conn, sql, args![before])
    }
}
