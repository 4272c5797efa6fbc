//! Incidents: drops and failures that a person must be able to see.

use gatehouse_domain::{EpochMs, IncidentId};
use rusqlite::Connection;

use crate::error::Result;
use crate::sql::{all, args, change, record, value};
use crate::tx::Tx;

pub(crate) const INITIAL: &str = "
CREATE TABLE incident (
    id          BLOB    PRIMARY KEY NOT NULL,
    severity    TEXT    NOT NULL,
    cause       TEXT    NOT NULL,
    subject     TEXT    NOT NULL,
    detail      TEXT    NOT NULL DEFAULT '',
    at          INTEGER NOT NULL,
    resolved_at INTEGER
) STRICT;
CREATE INDEX incident_open ON incident (at) WHERE resolved_at IS NULL;
";

record! {
    /// An incident.
    IncidentRow of "incident" {
        /// Its id.
        id: IncidentId,
        /// How bad.
        severity: String,
        /// What kind of thing went wrong.
        cause: String,
        /// What it happened to.
        subject: String,
        /// More about it.
        detail: String,
        /// When.
        at: EpochMs,
        /// When a person or the house put it right.
        resolved_at: Option<EpochMs>,
    }
}

/// Incidents, to be read.
pub struct Incidents<'c> {
    pub(crate) conn: &'c Connection,
}

impl Incidents<'_> {
    /// How many are open.
    pub fn open_count(&self) -> Result<u32> {
        Ok(value(self.conn, "SELECT count(*) FROM incident WHERE resolved_at IS NULL", [])?.unwrap_or(0))
    }

    /// The open ones, the newest first.
    pub fn open(&self) -> Result<Vec<IncidentRow>> {
        all(self.conn, "FROM incident WHERE resolved_at IS NULL ORDER BY at DESC, id DESC", [])
    }
}

/// An incident to be opened.
#[derive(Debug, Clone)]
pub struct NewIncident {
    /// Its id.
    pub id: IncidentId,
    /// How bad.
    pub severity: String,
    /// What kind of thing went wrong.
    pub cause: String,
    /// What it happened to.
    pub subject: String,
    /// More about it.
    pub detail: String,
    /// When.
    pub at: EpochMs,
}

/// Incidents, to be changed. The feed tells that something changed, not what: whoever shows them reads them again.
pub struct IncidentsMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl IncidentsMut<'_> {
    /// Opens one.
    pub fn insert(&self, new: &NewIncident) -> Result<()> {
        change(
            self.tx.conn,
            "INSERT INTO incident (id, severity, cause, subject, detail, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            args![new.id, new.severity, new.cause, new.subject, new.detail, new.at],
        )?;
        self.tx.touch_incidents()
    }

    /// Closes every open one about this subject.
    pub fn resolve_of(&self, subject: &str, at: EpochMs) -> Result<()> {
        let sql = "UPDATE incident SET resolved_at = ?2 WHERE subject = ?1 AND resolved_at IS NULL";
        if change(self.tx.conn, sql, args![subject, at])? > 0 {
            self.tx.touch_incidents()?;
        }
        Ok(())
    }

    /// Closes one; whether it was open.
    pub fn resolve(&self, id: IncidentId, at: EpochMs) -> Result<bool> {
        let sql = "UPDATE incident SET resolved_at = ?2 WHERE id = ?1 AND resolved_at IS NULL";
        let resolved = change(self.tx.conn, sql, args![id, at])? > 0;
        if resolved {
            self.tx.touch_incidents()?;
        }
        Ok(resolved)
    }
}
