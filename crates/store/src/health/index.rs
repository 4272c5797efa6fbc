//! The search index can be damaged while every row is intact. It is then built anew from the rows and what was being
//! written goes on, once in the life of a store. If it breaks again, it is emptied and left alone: messages are written,
//! and a search says what is wrong. The next start builds it anew.

use std::cell::Cell;

use gatehouse_domain::{EpochMs, IncidentId};
use rusqlite::Connection;

use super::cause::StorageCause;
use crate::error::{Error, Result};
use crate::sql::{args, change, value};
use crate::table::incident::{IncidentRow, NewIncident};
use crate::tx::Tx;

/// How the index is, as far as the writer knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Whole,
    /// Built anew; that is not done a second time.
    Rebuilt,
    /// Left alone.
    Broken,
}

/// The index as the writer's thread knows it.
pub(crate) struct SearchIndex(Cell<State>);

impl SearchIndex {
    pub(crate) const fn new(state: State) -> Self {
        Self(Cell::new(state))
    }

    pub(crate) const fn state(&self) -> State {
        self.0.get()
    }

    /// What a rollback undid did not happen.
    pub(crate) fn set(&self, state: State) {
        self.0.set(state);
    }

    pub(crate) fn takes_words(&self) -> bool {
        self.state() != State::Broken
    }

    /// Builds the index anew, or gives it up if that was done before or does not help.
    pub(crate) fn mend(&self, conn: &Connection) -> Result<()> {
        if self.state() == State::Whole {
            tracing::warn!("the search index is damaged; it is built anew from the messages");
            self.set(State::Rebuilt);
            match rebuild(conn) {
                Err(error) if is_its_own(&error) => {}
                other => return other,
            }
        }
        tracing::error!("the search index is damaged again; it is left alone until the next start");
        self.set(State::Broken);
        // What waits in memory to be written into it would fail the commit.
        if let Err(error) = change(conn, "INSERT INTO item_fts (item_fts) VALUES ('delete-all')", []) {
            tracing::error!(%error, "the search index cannot be emptied either");
        }
        Ok(())
    }
}

/// Builds the index from the rows, as it would stand had nothing happened to it.
pub(crate) fn rebuild(conn: &Connection) -> Result<()> {
    change(conn, "INSERT INTO item_fts (item_fts) VALUES ('rebuild')", [])?;
    // That took in words that still stream; they go in when they are complete.
    let streaming = "INSERT INTO item_fts (item_fts, rowid, text)
        SELECT 'delete', n, text FROM item WHERE streaming = 1 AND text <> ''";
    change(conn, streaming, [])?;
    write_out(conn)
}

/// Makes the index write out what it keeps in memory; the next closure's savepoint would do it too.
pub(crate) fn write_out(conn: &Connection) -> Result<()> {
    change(conn, "SAVEPOINT words", [])?;
    change(conn, "RELEASE words", [])?;
    Ok(())
}

/// Whether an error of a statement that only changes the index is about the index: none of the file or the disk.
pub(crate) fn is_its_own(error: &Error) -> bool {
    error.cause() == StorageCause::SearchIndex || matches!(error, Error::Query(_))
}

/// Notes that it is left alone.
pub(crate) fn tell(tx: &Tx<'_>, at: EpochMs) -> Result<()> {
    let cause = StorageCause::SearchIndex;
    tx.incidents_mut().insert(&NewIncident {
        id: IncidentId::from_uuid(tx.fresh()),
        severity: "warning".to_owned(),
        cause: cause.code().to_owned(),
        subject: "search".to_owned(),
        detail: format!("{}. {}", cause.told(), cause.remedy()),
        at,
    })
}

/// The open notes of an earlier run that it was left alone.
pub(crate) fn told(tx: &Tx<'_>) -> Result<Vec<IncidentRow>> {
    let open = tx.incidents().open()?;
    Ok(open.into_iter().filter(|row| row.cause == StorageCause::SearchIndex.code()).collect())
}

/// Whether an earlier run left it alone.
pub(crate) fn is_left_alone(conn: &Connection) -> Result<bool> {
    let sql = "SELECT count(*) FROM incident WHERE resolved_at IS NULL AND cause = ?1";
    Ok(value::<i64>(conn, sql, args![StorageCause::SearchIndex.code()])?.unwrap_or(0) > 0)
}

/// When something last happened: the store reads no clock.
pub(crate) fn last_at(conn: &Connection) -> Result<EpochMs> {
    Ok(value::<Option<EpochMs>>(conn, "SELECT max(last_at) FROM session", [])?.flatten().unwrap_or_default())
}

/// The error of a search in an index that is left alone.
pub(crate) fn left_alone() -> Error {
    Error::Storage(super::trouble::Trouble::new(StorageCause::SearchIndex, ""))
}
