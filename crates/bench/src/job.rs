//! Jobs whose end is triggered from here, and the moment at which the kernel says that they ended.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, FileType, Mode};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::task::JoinHandle;

use crate::clock;
use crate::error::{Doing, Error, Result};

/// A job that waits for one line must not be waited for longer than this.
const PATIENCE_S: i64 = 30;

/// A job reads a line from here and ends.
#[derive(Debug)]
pub(crate) struct Trigger {
    path: PathBuf,
}

impl Trigger {
    /// A new pipe with a name.
    pub fn new(dir: &Path, name: &str) -> Result<Self> {
        let path = dir.join(name);
        rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).doing("making a pipe")?;
        Ok(Self { path })
    }

    /// What the job runs. The shell reads by itself, so its own end is the command's end.
    pub fn command(&self) -> String {
        format!("read line < {}", self.path.display())
    }

    /// Lets the job end.
    pub fn pull(&self) -> Result<()> {
        // Opening waits for the reader.
        let mut pipe = std::fs::OpenOptions::new().write(true).open(&self.path).doing("opening a pipe")?;
        pipe.write_all(b"go\n").doing("writing into a pipe")
    }
}

/// Watches for the end of a process on a thread of its own; the moment is read as soon as the kernel wakes it.
pub(crate) fn watch_end(pid: u32) -> Result<JoinHandle<Result<Instant>>> {
    let pid = Pid::from_raw(pid.cast_signed()).ok_or_else(|| Error::Shape("a pid".into()))?;
    let pidfd = pidfd_open(pid, PidfdFlags::empty()).doing("watching a process")?;
    Ok(tokio::task::spawn_blocking(move || {
        let timeout = Timespec { tv_sec: PATIENCE_S, tv_nsec: 0 };
        let ready = poll(&mut [PollFd::new(&pidfd, PollFlags::IN)], Some(&timeout));
        let at = clock::now();
        match ready.doing("watching a process")? {
            0 => Err(Error::TookTooLong("the end of a job".into())),
            _ => Ok(at),
        }
    }))
}
