//! One closed table: which errors mean what, by which code a program knows it, what a person is told and what helps.
//!
//! An error is sorted by its type, then by SQLite's result code, and only without a telling code by its words.

use std::error::Error as StdError;
use std::io;

use rusqlite::{ErrorCode, ffi};
use rustix::io::Errno;

use crate::error::{Error, OpenError};

/// Why the store cannot do what it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StorageCause {
    /// Another program holds the file's lock.
    Locked,
    /// No space is left.
    DiskFull,
    /// It cannot be written or opened, or the disk fails.
    Unwritable,
    /// The file holds what it cannot hold.
    Corrupt,
    /// The search index is damaged; every row is intact.
    SearchIndex,
    /// The path names another file than the one that was opened.
    Replaced,
    /// The log was removed while it was in use; nothing of it is lost as long as nobody repairs anything.
    OldLog,
    /// The session that a row belongs to is gone.
    SessionMissing,
    /// Another version of the program wrote it.
    OtherVersion,
    /// None of these.
    Unknown,
}

impl StorageCause {
    /// Every one, for tables and tests.
    pub const ALL: [Self; 10] = [
        Self::Locked,
        Self::DiskFull,
        Self::Unwritable,
        Self::Corrupt,
        Self::SearchIndex,
        Self::Replaced,
        Self::OldLog,
        Self::SessionMissing,
        Self::OtherVersion,
        Self::Unknown,
    ];

    /// What a program branches on; two causes whose remedy begins alike share one.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Locked => "storage_locked",
            Self::DiskFull => "disk_full",
            Self::Unwritable => "storage_readonly",
            Self::Corrupt => "storage_corrupt",
            Self::SearchIndex => "storage_index_corrupt",
            Self::Replaced | Self::OldLog => "storage_replaced",
            Self::SessionMissing => "storage_session_missing",
            Self::OtherVersion => "storage_schema_incompatible",
            Self::Unknown => "storage_unavailable",
        }
    }

    /// What a person is told.
    pub const fn told(self) -> &'static str {
        match self {
            Self::Locked => "Another program holds the data file",
            Self::DiskFull => "There is no space left on the disk; nothing was kept",
            Self::Unwritable => "The data file cannot be written; nothing was kept",
            Self::Corrupt => "The data file is damaged, and writing has stopped",
            Self::SearchIndex => "The search index is damaged; every message is intact",
            Self::Replaced => "The data file was replaced or removed while Gatehouse runs, and writing has stopped",
            Self::OldLog => {
                "The log of the data file was removed while Gatehouse runs, and writing has stopped. What was written \
                 before is not lost"
            }
            Self::SessionMissing => "The session that this belongs to is gone",
            Self::OtherVersion => "The data was written by another version of Gatehouse; nothing was changed",
            Self::Unknown => "The data file could not be used",
        }
    }

    /// What helps.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::Locked => "It is tried again by itself. If it lasts, quit the other program.",
            Self::DiskFull => "Free some space; nothing has to be started again.",
            Self::Unwritable => "Check the permissions of its folder and the disk.",
            Self::Corrupt => "Restore a backup. The damaged file is kept aside, never deleted.",
            Self::SearchIndex => {
                "Quit and start again: the index is then built anew from the messages. A restore would not help."
            }
            Self::Replaced => "Quit, put the right file in its place, and start again.",
            Self::OldLog => {
                "Quit every program that uses this profile, then start again. Run no repair and delete nothing before."
            }
            Self::SessionMissing => "Open another session and say it there.",
            Self::OtherVersion => "Use that version, or update Gatehouse. A repair would not help.",
            Self::Unknown => "Quit and start again. If it stays, the words in brackets say more.",
        }
    }

    /// Whether trying again can help without anybody doing anything.
    pub const fn is_passing(self) -> bool {
        match self {
            Self::Locked | Self::DiskFull | Self::Unwritable => true,
            Self::Corrupt
            | Self::SearchIndex
            | Self::Replaced
            | Self::OldLog
            | Self::SessionMissing
            | Self::OtherVersion
            | Self::Unknown => false,
        }
    }

    /// Whether it is over only when something was put on the disk. That a lock is gone shows before.
    pub(crate) const fn lasts_until_written(self) -> bool {
        match self {
            Self::DiskFull | Self::Unwritable => true,
            Self::Locked
            | Self::Corrupt
            | Self::SearchIndex
            | Self::Replaced
            | Self::OldLog
            | Self::SessionMissing
            | Self::OtherVersion
            | Self::Unknown => false,
        }
    }

    /// Whether one more write could do harm.
    pub(crate) const fn stops_writing(self) -> bool {
        match self {
            Self::Corrupt | Self::Replaced | Self::OldLog => true,
            Self::Locked
            | Self::DiskFull
            | Self::Unwritable
            | Self::SearchIndex
            | Self::SessionMissing
            | Self::OtherVersion
            | Self::Unknown => false,
        }
    }

    /// The cause behind an error, or behind what caused that.
    pub fn of(error: &(dyn StdError + 'static)) -> Self {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(cause) = by_type(error) {
                return cause;
            }
            next = error.source();
        }
        Self::of_words(&error.to_string())
    }

    /// The cause by words alone. Damage is looked for before the disk: "disk image is malformed" names one.
    pub fn of_words(words: &str) -> Self {
        let words = words.to_lowercase();
        let says = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
        if words.contains("fts5") && words.contains("item_fts") && says(&DAMAGE) {
            return Self::SearchIndex;
        }
        PHRASES.iter().find(|(parts, _)| says(parts)).map_or(Self::Unknown, |(_, cause)| *cause)
    }
}

/// What a damaged search index is said to be.
const DAMAGE: [&str; 4] = ["corrupt", "malformed", "missing", "invalid"];

/// The first line of which a part is found decides.
const PHRASES: [(&[&str], StorageCause); 8] = [
    (&["malformed", "not a database", "corrupt", "damaged"], StorageCause::Corrupt),
    (&["unlinked", "deleted log"], StorageCause::OldLog),
    (&["was replaced", "was moved", "dbmoved"], StorageCause::Replaced),
    (&["is locked", "is busy", "locking protocol", "temporarily unavailable"], StorageCause::Locked),
    (&["disk is full", "no space left", "quota exceeded"], StorageCause::DiskFull),
    (&["no such table", "no such column", "has no column", "newer gatehouse"], StorageCause::OtherVersion),
    (&["foreign key"], StorageCause::SessionMissing),
    (
        &[
            "readonly",
            "read-only",
            "permission",
            "not permitted",
            "unable to open",
            "i/o error",
            "input/output",
            "disk",
        ],
        StorageCause::Unwritable,
    ),
];

fn by_type(error: &(dyn StdError + 'static)) -> Option<StorageCause> {
    if let Some(error) = error.downcast_ref::<Error>() {
        return of_ours(error);
    }
    if let Some(error) = error.downcast_ref::<OpenError>() {
        return of_opening(error);
    }
    if let Some(rusqlite::Error::SqliteFailure(failure, _)) = error.downcast_ref::<rusqlite::Error>() {
        return by_code(*failure);
    }
    by_errno(error.downcast_ref::<io::Error>()?)
}

fn of_ours(error: &Error) -> Option<StorageCause> {
    match error {
        Error::Storage(trouble) => Some(trouble.cause),
        Error::BadCopy { .. } => Some(StorageCause::Corrupt),
        Error::BadRow { .. } => Some(StorageCause::OtherVersion),
        Error::NoSuchRow { table: "session", .. } => Some(StorageCause::SessionMissing),
        Error::Closed | Error::NoSuchRow { .. } | Error::Panicked { .. } => Some(StorageCause::Unknown),
        // Its source says more.
        Error::Query(_) => None,
    }
}

fn of_opening(error: &OpenError) -> Option<StorageCause> {
    match error {
        OpenError::Locked { .. } => Some(StorageCause::Locked),
        OpenError::Newer { .. } => Some(StorageCause::OtherVersion),
        OpenError::Corrupt { .. } => Some(StorageCause::Corrupt),
        OpenError::NetworkFileSystem { .. } => Some(StorageCause::Unknown),
        OpenError::Io { detail, .. } => Some(StorageCause::of_words(detail)),
    }
}

/// Nothing where the code tells nothing; then the words decide.
pub(crate) const fn by_code(failure: ffi::Error) -> Option<StorageCause> {
    match (failure.code, failure.extended_code) {
        // A bare code of damage is never about the index alone.
        (ErrorCode::DatabaseCorrupt, ffi::SQLITE_CORRUPT_VTAB) => Some(StorageCause::SearchIndex),
        (ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase, _) => Some(StorageCause::Corrupt),
        (ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed, _) => {
            Some(StorageCause::Locked)
        }
        (ErrorCode::DiskFull, _) => Some(StorageCause::DiskFull),
        (ErrorCode::ReadOnly, ffi::SQLITE_READONLY_DBMOVED) => Some(StorageCause::Replaced),
        (ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::SystemIoFailure, _) => {
            Some(StorageCause::Unwritable)
        }
        (_, ffi::SQLITE_CONSTRAINT_FOREIGNKEY) => Some(StorageCause::SessionMissing),
        (ErrorCode::SchemaChanged, _) => Some(StorageCause::OtherVersion),
        _ => None,
    }
}

fn by_errno(error: &io::Error) -> Option<StorageCause> {
    match Errno::from_io_error(error)? {
        Errno::NOSPC | Errno::DQUOT => Some(StorageCause::DiskFull),
        Errno::ROFS | Errno::ACCESS | Errno::PERM | Errno::IO => Some(StorageCause::Unwritable),
        Errno::WOULDBLOCK | Errno::BUSY => Some(StorageCause::Locked),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
