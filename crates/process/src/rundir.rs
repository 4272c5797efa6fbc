//! The directory of one run. The shim holds `lock` for as long as it lives and is the only writer of `exit.json`;
//! the gateway writes `spec.json` before and `void` afterwards, the latter only while it holds the same lock.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use gatehouse_domain::Exit;
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::input::{PtySize, Stdin};
use crate::os;
pub use crate::os::boot_id;

/// The variable that marks everything that descends from a job; its value is the id of the job. It does not begin as those
/// of the house do, which no job gets to see.
pub const MARK: &str = "PROCESS_OF_GATEHOUSE";
/// Held by the living shim.
pub const LOCK: &str = "lock";
/// What to run.
pub const SPEC: &str = "spec.json";
/// Who runs.
pub const CHILD: &str = "child.json";
/// Who of a lost job was proven to be its own, so that a later look need not prove it again.
pub const PROVEN: &str = "proven.json";
/// How it ended.
pub const EXIT: &str = "exit.json";
/// Room for the former, taken at the start so that a full disk cannot lose it.
pub const EXIT_DRAFT: &str = "exit.draft";
/// This run is over, whatever a late shim may think.
pub const VOID: &str = "void";
/// Where a gateway connects.
pub const SOCKET: &str = "s";
/// The shim's own complaints.
pub const LOG: &str = "shim.log";

/// Text that may hold any byte: a string where it is UTF-8, else its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Raw {
    /// The usual case.
    Text(String),
    /// Not UTF-8.
    Bytes(Vec<u8>),
}

impl From<OsString> for Raw {
    fn from(text: OsString) -> Self {
        text.into_string().map_or_else(|raw| Self::Bytes(raw.into_vec()), Self::Text)
    }
}

impl From<&Path> for Raw {
    fn from(path: &Path) -> Self {
        path.as_os_str().to_owned().into()
    }
}

impl From<Vec<u8>> for Raw {
    fn from(bytes: Vec<u8>) -> Self {
        OsString::from_vec(bytes).into()
    }
}

impl From<Raw> for OsString {
    fn from(raw: Raw) -> Self {
        match raw {
            Raw::Text(text) => text.into(),
            Raw::Bytes(bytes) => Self::from_vec(bytes),
        }
    }
}

/// What to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// Given to the shell as it is.
    pub command: Raw,
    /// Exists, as far as the gateway could see.
    pub cwd: Raw,
    /// Run as `<shell> -c <command>`.
    pub shell: Raw,
    /// All of the environment.
    pub env: Vec<(Raw, Raw)>,
    /// The group that it is to have, not made yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Raw>,
    /// With a terminal of this size.
    #[serde(default)]
    pub pty: Option<PtySize>,
    /// What it reads from without one.
    #[serde(default)]
    pub stdin: Stdin,
    /// It is stopped after this long.
    #[serde(default)]
    pub max_runtime_ms: Option<u64>,
    /// How many files it may open, where the shim may open more.
    #[serde(default)]
    pub open_files: Option<u64>,
    /// A word of whoever started it, for whoever finds this and nothing else about it.
    #[serde(default)]
    pub owner: String,
}

/// Who runs: a pid means nothing without the other two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildRecord {
    /// The direct child; its session has the same number.
    pub pid: u32,
    /// Its start in clock ticks since boot.
    pub start: u64,
    /// Which boot.
    pub boot: String,
    /// Where it began in the system's tree of groups; whoever is elsewhere did not come from it by forking alone.
    #[serde(default)]
    pub place: String,
    /// Its own group, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Raw>,
    /// Why it has none although one was wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ungrouped: Option<String>,
    /// Why it has no terminal although it was asked to have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pty_note: Option<String>,
}

/// How it ended. Exactly one of `code`, `signal` and `failed` is there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExitRecord {
    /// It called exit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    /// A signal ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// It never started, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// Wall clock, milliseconds.
    pub ended_at_ms: i64,
    /// Bytes of output at the end of the direct child.
    pub output_total: u64,
    /// A stop was on its way when it ended.
    pub stop_requested: bool,
    /// That stop was the shim's own: the time it may run was over.
    #[serde(default)]
    pub limit_reached: bool,
}

impl ExitRecord {
    /// The status in the house's words.
    pub fn exit(&self) -> Exit {
        match (self.code, self.signal) {
            (Some(code), _) => Exit::Code(code),
            (None, Some(signal)) => Exit::Signal(signal),
            (None, None) => Exit::Unknown,
        }
    }
}

/// An open run directory.
#[derive(Debug)]
pub struct RunDir {
    fd: OwnedFd,
}

impl RunDir {
    /// Makes the directory; fails if it is there.
    pub fn create(path: &Path) -> io::Result<Self> {
        rustix::fs::mkdir(path, Mode::RWXU)?;
        Self::open(path)
    }

    /// Opens one that is there.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self { fd: rustix::fs::open(path, flags, Mode::empty())? })
    }

    /// The directory itself.
    pub fn fd(&self) -> impl AsFd + '_ {
        &self.fd
    }

    /// Whether a process stands in this directory, as its shim does.
    pub fn is_home_of(&self, pid: u32) -> bool {
        let place = os::working_directory(pid);
        let ours = rustix::fs::fstat(&self.fd);
        place.is_ok_and(|place| ours.is_ok_and(|ours| (place.st_dev, place.st_ino) == (ours.st_dev, ours.st_ino)))
    }

    /// A path to `name` that stays short however deep the directory lies.
    pub fn short_path(&self, name: &str) -> PathBuf {
        use std::os::fd::AsRawFd;
        PathBuf::from(format!("/proc/self/fd/{}/{name}", self.fd.as_raw_fd()))
    }

    /// Opens a file for writing, readable by the owner only.
    pub fn writable(&self, name: &str, more: OFlags) -> io::Result<OwnedFd> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | more;
        Ok(rustix::fs::openat(&self.fd, name, flags, Mode::RUSR | Mode::WUSR)?)
    }

    /// Opens a file for reading.
    pub fn readable(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::openat(&self.fd, name, flags, Mode::empty())?))
    }

    /// Whether there is such a file.
    pub fn has(&self, name: &str) -> io::Result<bool> {
        match rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Ok(true),
            Err(rustix::io::Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Renames inside the directory.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.fd, from, &self.fd, to)?)
    }

    /// Removes a file that may be absent.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        match rustix::fs::unlinkat(&self.fd, name, AtFlags::empty()) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes a whole file so that readers see all of it or nothing.
    pub fn put(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let draft = format!("{name}.tmp");
        let mut file = File::from(self.writable(&draft, OFlags::TRUNC)?);
        file.write_all(content)?;
        self.rename(&draft, name)
    }

    /// Reads a record; `None` if the file is absent.
    pub fn record<T: DeserializeOwned>(&self, name: &str) -> io::Result<Option<T>> {
        let file = match self.readable(name) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok(Some(serde_json::from_reader(io::BufReader::new(file))?))
    }

    /// Takes the lock if it is free. It is free again once the descriptor and all its copies are closed.
    pub fn try_lock(&self) -> io::Result<Option<OwnedFd>> {
        let file = self.writable(LOCK, OFlags::empty())?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(file)),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Wall clock in milliseconds, for stamps in records that outlive the gateway.
pub fn wall_ms() -> i64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
    now.tv_sec * 1000 + now.tv_nsec / 1_000_000
}

/// Whether `path` is a directory that may be entered.
pub fn is_enterable(path: &Path) -> bool {
    path.is_dir()
        && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
        && !path.as_os_str().as_bytes().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_survive() {
        for bytes in [&b"plain"[..], b"\xff\xfe=", b""] {
            let raw = Raw::from(OsString::from_vec(bytes.to_vec()));
            let json = serde_json::to_string(&raw).unwrap();
            let back: OsString = serde_json::from_str::<Raw>(&json).unwrap().into();
            assert_eq!(back.into_vec(), bytes);
        }
    }

    #[test]
    fn a_lock_excludes_until_it_is_dropped() {
        let home = tempfile::tempdir().unwrap();
        let run = RunDir::create(&home.path().join("run")).unwrap();
        let held = run.try_lock().unwrap();
        assert!(held.is_some());
        assert!(run.try_lock().unwrap().is_none());
        drop(held);
        assert!(run.try_lock().unwrap().is_some());
    }

    #[test]
    fn absent_and_broken_records_differ() {
        let home = tempfile::tempdir().unwrap();
        let run = RunDir::create(&home.path().join("run")).unwrap();
        assert_eq!(run.record::<ChildRecord>(CHILD).unwrap(), None);
        run.put(CHILD, b"{").unwrap();
        assert!(run.record::<ChildRecord>(CHILD).is_err());
    }
}
