//! What can go wrong, sorted by what the caller can do about it.

use std::path::PathBuf;

use rusqlite::ErrorCode;

/// The outcome of anything the store does.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a read or a write did not happen.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The disk would not take it: full, read-only or failing. Nothing was kept; later writes are still tried.
    #[error("could not write to the disk: {detail}. Free some space or check the disk; nothing was kept")]
    Unwritable {
        /// What SQLite said.
        detail: String,
    },
    /// The file holds something it cannot hold. Writing has stopped; a person must look.
    #[error("the data file is damaged: {detail}. Quit, and restore a backup or a kept copy")]
    Corrupt {
        /// What was found.
        detail: String,
    },
    /// One row holds something that this program does not know. The rest of the file is as good as before.
    #[error("a row holds what this version of Gatehouse does not know: {detail}")]
    BadRow {
        /// What was found.
        detail: String,
    },
    /// The store was closed.
    #[error("the data file is closed")]
    Closed,
    /// A row that should be there is not; the closure's changes were undone.
    #[error("no {table} has the id {id}")]
    NoSuchRow {
        /// The table that was looked in.
        table: &'static str,
        /// The id that was looked for.
        id: String,
    },
    /// A fault of our own: the closure panicked, and its changes were undone.
    #[error("a fault inside a transaction: {detail}")]
    Panicked {
        /// The panic's words.
        detail: String,
    },
    /// A fault of our own: a constraint or a statement.
    #[error("the database refused a statement: {0}")]
    Query(#[source] rusqlite::Error),
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        match (Fault::of(&error), &error) {
            (Some(fault), _) => fault.into(),
            (
                None,
                rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::InvalidColumnType(..),
            ) => Self::BadRow { detail: error.to_string() },
            (None, _) => Self::Query(error),
        }
    }
}

/// A failure of the file or the disk, which everybody in the same commit shares.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fault {
    Unwritable(String),
    Corrupt(String),
}

impl Fault {
    /// The fault behind `error`, if it is one of the file or the disk.
    pub(crate) fn of(error: &rusqlite::Error) -> Option<Self> {
        match error {
            rusqlite::Error::SqliteFailure(failure, _) => match failure.code {
                // A damaged search index leaves every row intact, so it must not stop the house.
                ErrorCode::DatabaseCorrupt if failure.extended_code == rusqlite::ffi::SQLITE_CORRUPT_VTAB => None,
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Some(Self::Corrupt(error.to_string())),
                ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure
                | ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::DatabaseBusy
                | ErrorCode::PermissionDenied => Some(Self::Unwritable(error.to_string())),
                _ => None,
            },
            _ => None,
        }
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Unwritable(detail) => Self::Unwritable { detail },
            Fault::Corrupt(detail) => Self::Corrupt { detail },
        }
    }
}

/// Why a directory could not be opened. In every case but `Io` the data in it was left as it was.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another gateway holds it.
    #[error("{} is in use by another Gatehouse. Quit that one first, or choose another profile", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// A newer Gatehouse wrote it.
    #[error(
        "the data was written by a newer Gatehouse (format {found}, this one knows up to {known}). \
         Nothing was changed; update Gatehouse to open it"
    )]
    Newer {
        /// The format found.
        found: u32,
        /// The newest format this program knows.
        known: u32,
    },
    /// It is damaged, or no data file of ours.
    #[error(
        "{} is damaged or is no Gatehouse data file: {detail}. \
         Nothing was changed; move it away, or put a backup in its place", path.display()
    )]
    Corrupt {
        /// The data file.
        path: PathBuf,
        /// What was found.
        detail: String,
    },
    /// It lies on a network file system, where locks cannot be trusted.
    #[error(
        "{} is on a network file system, where SQLite's locks cannot be trusted. \
         Move the data to a local disk", path.display()
    )]
    NetworkFileSystem {
        /// The directory.
        path: PathBuf,
    },
    /// The operating system said no.
    #[error("{} could not be opened: {detail}. Check its permissions and the space on its disk", path.display())]
    Io {
        /// What was being opened.
        path: PathBuf,
        /// What the operating system or SQLite said.
        detail: String,
    },
}
