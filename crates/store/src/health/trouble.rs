//! One failure of the store, with its words.

use std::fmt;
use std::path::{Path, PathBuf};

use super::cause::{StorageCause, by_code};

/// The raw words are told up to here.
const DETAIL_CHARS: usize = 200;

/// What is wrong with the store, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// Which kind of trouble.
    pub cause: StorageCause,
    /// What SQLite or the system said, at most 200 characters.
    pub detail: String,
    /// The data file, as soon as it is known which.
    pub file: Option<PathBuf>,
    /// Other programs that have the file open, where they can be told.
    pub holders: Vec<String>,
}

impl Trouble {
    /// Of a known kind.
    pub fn new(cause: StorageCause, detail: impl fmt::Display) -> Self {
        let detail = detail.to_string().chars().take(DETAIL_CHARS).collect();
        Self { cause, detail, file: None, holders: Vec::new() }
    }

    /// Of the kind that its words say.
    pub fn said(words: &str) -> Self {
        Self::new(StorageCause::of_words(words), words)
    }

    /// The trouble behind an error of SQLite's, if it is one of the file, the disk or the search index.
    pub(crate) fn of(error: &rusqlite::Error) -> Option<Self> {
        let rusqlite::Error::SqliteFailure(failure, words) = error else { return None };
        let cause = match by_code(*failure) {
            Some(cause) => cause,
            None => words.as_deref().map(StorageCause::of_words).filter(|c| *c == StorageCause::SearchIndex)?,
        };
        let of_the_file = cause.is_passing() || cause.stops_writing() || cause == StorageCause::SearchIndex;
        of_the_file.then(|| Self::new(cause, error))
    }

    /// The same, saying where.
    pub(crate) fn at(mut self, file: &Path) -> Self {
        self.file.get_or_insert_with(|| file.to_owned());
        self
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.cause.told())?;
        if let Some(file) = &self.file {
            write!(f, ": {}", file.display())?;
        }
        if !self.holders.is_empty() {
            write!(f, ", open in {}", self.holders.join(", "))?;
        }
        write!(f, ". {}", self.cause.remedy())?;
        if let (StorageCause::Corrupt, Some(dir)) = (self.cause, self.file.as_deref().and_then(Path::parent)) {
            write!(f, " Backups are in {}.", dir.join(crate::backup::DIR).display())?;
        }
        if self.detail.is_empty() { Ok(()) } else { write!(f, " ({})", self.detail) }
    }
}
