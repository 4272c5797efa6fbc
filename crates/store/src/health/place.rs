//! Whether the path still names the file that we hold. A second log beside the first one would damage the file, so writing
//! stops then.
//!
//! It only looks names up: to open the file once more and close it would drop SQLite's locks.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::cause::StorageCause;
use super::holders::{beside, holders};
use super::trouble::Trouble;

/// A file as the system knows it.
type Identity = (u64, u64);

/// The files as they were when they were opened.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    file: PathBuf,
    log: PathBuf,
    file_was: Identity,
    log_was: Identity,
}

impl Place {
    /// To be asked when a connection has read from the file, so that its log is there.
    pub(crate) fn of(file: &Path) -> std::io::Result<Self> {
        let log = beside(file, "-wal");
        let (file_was, log_was) = (identity(file)?, identity(&log)?);
        Ok(Self { file: file.to_owned(), log, file_was, log_was })
    }

    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// What is wrong with it now.
    pub(crate) fn look(&self) -> Result<(), Trouble> {
        match identity(&self.file) {
            Ok(now) if now == self.file_was => {}
            Ok(_) => return Err(self.trouble(StorageCause::Replaced, "another file has its name")),
            Err(error) => return Err(self.trouble(StorageCause::Replaced, &error.to_string())),
        }
        match identity(&self.log) {
            Ok(now) if now == self.log_was => Ok(()),
            Ok(_) => Err(self.trouble(StorageCause::OldLog, "another log has its name")),
            Err(error) => Err(self.trouble(StorageCause::OldLog, &format!("its log: {error}"))),
        }
    }

    fn trouble(&self, cause: StorageCause, detail: &str) -> Trouble {
        Trouble { holders: holders(&self.file), ..Trouble::new(cause, detail).at(&self.file) }
    }
}

fn identity(path: &Path) -> std::io::Result<Identity> {
    let meta = std::fs::metadata(path)?;
    Ok((meta.dev(), meta.ino()))
}
