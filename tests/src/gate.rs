//! Jobs that wait for a word from the test.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::Result;

/// A named pipe that jobs read a line from before they go on.
#[derive(Debug)]
pub struct Gate {
    path: PathBuf,
    /// Open for both ways, so that neither side waits for the other to open it.
    pipe: File,
}

impl Gate {
    /// Makes one in a directory.
    pub fn new(dir: &Path, name: &str) -> Result<Self> {
        let path = dir.join(name);
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        let pipe = OpenOptions::new().read(true).write(true).open(&path)?;
        Ok(Self { path, pipe })
    }

    /// What a shell does to wait; `read` takes a byte at a time, so each job takes one line.
    pub fn wait(&self) -> String {
        format!("read -r _ < '{}'", self.path.display())
    }

    /// Lets so many jobs go on.
    pub fn open(&self, jobs: usize) -> Result {
        Ok((&self.pipe).write_all("\n".repeat(jobs).as_bytes())?)
    }
}
