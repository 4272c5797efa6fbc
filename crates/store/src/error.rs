//! What can go wrong, sorted by what the caller can do about it.

use std::path::{Path, PathBuf};

use crate::backup;
use crate::health::cause::StorageCause;
use crate::health::trouble::Trouble;

/// The outcome of anything the store does.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a read or a write did not happen.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file, the disk or the search index failed; nothing of it was kept.
    #[error("{0}")]
    Storage(Trouble),
    /// A copy was damaged, so the file that it was made of probably is. It counts as no backup.
    #[error("The new copy of the data is damaged, so the data file probably is: {detail}. It is kept as {} and counts as no \
        backup. Quit, and restore an older one", kept.display())]
    BadCopy {
        /// Where it lies.
        kept: PathBuf,
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
        match (Trouble::of(&error), &error) {
            (Some(trouble), _) => Self::Storage(trouble),
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

impl Error {
    /// Which kind of trouble it is.
    pub fn cause(&self) -> StorageCause {
        StorageCause::of(self)
    }

    /// The same, saying in which file.
    pub(crate) fn at(self, file: &Path) -> Self {
        match self {
            Self::Storage(trouble) => Self::Storage(trouble.at(file)),
            other => other,
        }
    }
}

/// Why a directory could not be opened. In every case but `Io` the data in it was left as it was.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another gateway holds it.
    #[error(
        "{} is in use by another Gatehouse{}. Quit that one first, or choose another profile", path.display(),
        holder.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
    )]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// The process that holds it, where it has said so.
        holder: Option<u32>,
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
         Nothing was changed. Restore a backup: the damaged file is kept aside then. Backups are in {}", path.display(),
        path.with_file_name(backup::DIR).display()
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

impl OpenError {
    /// Which kind of trouble it is.
    pub fn cause(&self) -> StorageCause {
        StorageCause::of(self)
    }
}
