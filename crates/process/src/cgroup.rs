//! A job's group in the cgroup v2 tree. Nobody leaves a group by making a session of their own or by losing a parent,
//! one word ends everybody in it at once, and the kernel says when nobody is left.

pub mod systemd; // a directory for groups, asked from the person's own systemd

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use gatehouse_domain::ProcessId;
use rustix::fs::{Mode, OFlags};

/// What `statfs` says of a cgroup v2 file system.
const CGROUP2: i64 = 0x6367_7270;
const PROCS: &str = "cgroup.procs";
const KILL: &str = "cgroup.kill";
const EVENTS: &str = "cgroup.events";
/// How deep groups of a job's own making are followed: deeper ones are its own riddle.
const DEPTH: usize = 16;

/// Where jobs get groups of their own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Groups {
    /// Nowhere: sessions and the shims' orphans have to do.
    #[default]
    None,
    /// Below this directory of a cgroup v2 file system, which is ours to write.
    Below(PathBuf),
    /// In a scope of the person's own systemd, asked for once, when the first command starts.
    FromSystemd,
}

/// One job's group.
#[derive(Debug)]
pub struct Group {
    path: PathBuf,
    events: File,
}

/// What a job's group is called: the id is used once, so nobody else's group can have it.
pub fn path_of(base: &Path, id: ProcessId) -> PathBuf {
    base.join(format!("job-{id}"))
}

impl Group {
    /// Makes it; its parent must be there.
    pub fn create(path: &Path) -> io::Result<Self> {
        let base = path.parent().unwrap_or(path);
        let magic = i128::from(rustix::fs::statfs(base)?.f_type);
        if magic != i128::from(CGROUP2) {
            let words = format!("{} is no cgroup v2 directory", base.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, words));
        }
        rustix::fs::mkdir(path, Mode::RWXU | Mode::RGRP | Mode::XGRP | Mode::ROTH | Mode::XOTH)?;
        Self::whole(path).inspect_err(|_| remove_tree(path, 0))
    }

    /// The kernel is new enough, or there is no group.
    fn whole(path: &Path) -> io::Result<Self> {
        // Absent before Linux 5.14.
        std::fs::metadata(path.join(KILL))?;
        Ok(Self { path: path.to_owned(), events: File::open(path.join(EVENTS))? })
    }

    /// One that was made before; `None` if it is gone.
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        match Self::whole(path) {
            Ok(group) => Ok(Some(group)),
            Err(error) if is_gone(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whoever writes `0` here enters.
    pub fn door(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        Ok(rustix::fs::open(self.path.join(PROCS), flags, Mode::empty())?)
    }

    /// Becomes ready for `PRI` when somebody comes into an empty group, or the last one leaves, since it was last asked
    /// whether there is anybody.
    pub const fn events(&self) -> &File {
        &self.events
    }

    /// Whether anybody lives in it or below.
    pub fn is_populated(&self) -> io::Result<bool> {
        let mut text = [0; 256];
        match self.events.read_at(&mut text, 0) {
            Ok(read) => Ok(says_populated(&text[..read])),
            Err(error) if is_gone(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Kills everybody in it at once, also those who are being forked just now. Refused when this very process was put
    /// into it: whoever did that does not mean the job.
    pub fn kill(&self) -> io::Result<()> {
        if self.pids()?.contains(&std::process::id()) {
            return Err(io::Error::other("somebody has moved the job's keeper into the job's group"));
        }
        match std::fs::write(self.path.join(KILL), b"1") {
            Err(error) if !is_gone(&error) => Err(error),
            _ => Ok(()),
        }
    }

    /// Who lives in it or below.
    pub fn pids(&self) -> io::Result<Vec<u32>> {
        let mut pids = Vec::new();
        collect(&self.path, DEPTH, &mut pids)?;
        Ok(pids)
    }

    /// Removes it, and the groups that the job has made in it. Whoever is still there keeps theirs.
    pub fn remove(&self) {
        remove_tree(&self.path, DEPTH);
    }
}

/// Removes a group that may be gone already, or still be in use.
pub fn remove(path: &Path) {
    remove_tree(path, DEPTH);
}

fn remove_tree(path: &Path, depth: usize) {
    for inner in subgroups(path).unwrap_or_default().into_iter().filter(|_| depth > 0) {
        remove_tree(&inner, depth - 1);
    }
    // Refused while somebody is there; asked again when the run is removed.
    let _in_use = rustix::fs::rmdir(path);
}

fn collect(path: &Path, depth: usize, pids: &mut Vec<u32>) -> io::Result<()> {
    let mut text = String::new();
    match File::open(path.join(PROCS)).and_then(|mut file| file.read_to_string(&mut text)) {
        // Zero stands for somebody whom our own view of the processes does not show.
        Ok(_) => pids.extend(text.lines().filter_map(|line| line.parse::<u32>().ok()).filter(|pid| *pid != 0)),
        // A threaded group names nobody; a removed one has nobody.
        Err(error) if is_gone(&error) || error.raw_os_error() == Some(95) => {}
        Err(error) => return Err(error),
    }
    for inner in subgroups(path)?.into_iter().filter(|_| depth > 0) {
        collect(&inner, depth - 1, pids)?;
    }
    Ok(())
}

fn subgroups(path: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if is_gone(&error) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let groups = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    Ok(groups.map(|entry| entry.path()).collect())
}

/// A group that was removed while it was open answers ENODEV.
fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(19)
}

fn says_populated(events: &[u8]) -> bool {
    events.split(|byte| *byte == b'\n').any(|line| line == b"populated 1")
}

/// Where a process stands in the v2 tree, as the kernel names it; empty without one.
pub fn place_of(pid: u32) -> io::Result<String> {
    let text = std::fs::read(format!("/proc/{pid}/cgroup"))?;
    let place = text.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"0::"));
    Ok(String::from_utf8_lossy(place.unwrap_or_default()).into_owned())
}

/// Whether `place` is `outer` or below it.
pub fn is_within(place: &str, outer: &str) -> bool {
    Path::new(place).starts_with(outer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_word_on_whether_anybody_is_there() {
        assert!(says_populated(b"populated 1\nfrozen 0\n"));
        assert!(!says_populated(b"populated 0\nfrozen 1\n") && !says_populated(b""));
    }

    #[test]
    fn a_place_below_is_within_and_a_longer_name_is_not() {
        assert!(is_within("/a/b", "/a/b") && is_within("/a/b/c", "/a/b") && is_within("", ""));
        assert!(!is_within("/a/bc", "/a/b") && !is_within("/a", "/a/b"));
    }

    #[test]
    fn an_ordinary_directory_is_no_group() {
        let home = tempfile::tempdir().unwrap();
        let error = Group::create(&home.path().join("job")).unwrap_err();
        assert!(error.to_string().contains("no cgroup v2 directory"), "{error}");
        assert!(!home.path().join("job").exists());
        assert!(Group::open(&home.path().join("job")).unwrap().is_none());
    }
}
