//! What was removed, so that a shell that fell behind learns of it.

use gatehouse_domain::Rev;
use rusqlite::Connection;
use uuid::Uuid;

use crate::error::Result;
use crate::feed::RowKind;
use crate::sql::Col;

pub(crate) const INITIAL: &str = "
CREATE TABLE tombstone (
    kind TEXT    NOT NULL CHECK (kind IN ('session', 'turn', 'item', 'process')),
    id   BLOB    NOT NULL,
    rev  INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstone_rev ON tombstone (rev);
";

/// Notices are removed too. A check cannot be changed in place, so the rows move.
pub(crate) const WITH_NOTICES: &str = "
CREATE TABLE tombstone_next (
    kind TEXT    NOT NULL CHECK (kind IN ('session', 'turn', 'item', 'process', 'notice')),
    id   BLOB    NOT NULL,
    rev  INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
INSERT INTO tombstone_next (kind, id, rev) SELECT kind, id, rev FROM tombstone;
DROP TABLE tombstone;
ALTER TABLE tombstone_next RENAME TO tombstone;
CREATE INDEX tombstone_rev ON tombstone (rev);
";

pub(crate) fn insert(conn: &Connection, kind: RowKind, id: Uuid, rev: Rev) -> Result<()> {
    let id = id.as_bytes().as_slice();
    conn.prepare_cached("INSERT INTO tombstone (kind, id, rev) VALUES (?1, ?2, ?3)")?.execute(rusqlite::params![
        kind.as_str(),
        id,
        Col(&rev)
    ])?;
    Ok(())
}
