//! One file, as it is now.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::{Allowed, LARGEST_ATTACHMENT, Reason};

/// A file that may be taken.
#[derive(Debug)]
pub(super) struct Seen {
    pub path: PathBuf,
    pub bytes: u64,
}

/// Follows the links, asks whether the place is allowed, and opens what lies there.
pub(super) fn look(path: &Path, allowed: &Allowed) -> Result<Seen, Reason> {
    if !path.is_absolute() {
        // A path of another system: nothing here is meant by it.
        return Err(Reason::Missing);
    }
    let path = path.canonicalize().map_err(|error| reason(&error))?;
    allowed.check(&path)?;
    // Asked before it is opened: opening a pipe or a device has effects of its own.
    plain(&fs::symlink_metadata(&path).map_err(|error| reason(&error))?)?;
    let file = open(&path)?;
    let bytes = plain(&file.metadata().map_err(|error| reason(&error))?)?;
    if bytes > LARGEST_ATTACHMENT {
        return Err(Reason::TooLarge);
    }
    Ok(Seen { path, bytes })
}

/// The size of a plain file.
fn plain(metadata: &fs::Metadata) -> Result<u64, Reason> {
    match metadata.file_type() {
        kind if kind.is_file() => Ok(metadata.len()),
        kind if kind.is_dir() => Err(Reason::Folder),
        kind if kind.is_symlink() => Err(Reason::Changed),
        _ => Err(Reason::NoFile),
    }
}

/// Opens what lies at a path, and nothing that a link which came there meanwhile leads to.
fn open(path: &Path) -> Result<File, Reason> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::LOOP) => return Err(Reason::Changed),
        Err(error) => return Err(reason(&error.into())),
    };
    // A folder on the way may have become a link; the kernel knows where the open file really lies.
    let real = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).map_err(|_| Reason::Unreadable)?;
    if real == path { Ok(file) } else { Err(Reason::Changed) }
}

fn reason(error: &io::Error) -> Reason {
    match error.kind() {
        io::ErrorKind::NotFound
        | io::ErrorKind::NotADirectory
        | io::ErrorKind::InvalidInput
        | io::ErrorKind::InvalidFilename => Reason::Missing,
        _ => Reason::Unreadable,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// What another program may do between the question where a file lies and its opening.
    #[test]
    fn a_link_that_came_meanwhile_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        fs::create_dir(dir.join("real")).unwrap();
        fs::write(dir.join("real/a"), "a").unwrap();
        symlink(dir.join("real"), dir.join("folder")).unwrap();
        symlink(dir.join("real/a"), dir.join("link")).unwrap();
        assert!(open(&dir.join("real/a")).is_ok());
        assert_eq!(open(&dir.join("folder/a")).map(drop), Err(Reason::Changed));
        assert_eq!(open(&dir.join("link")).map(drop), Err(Reason::Changed));
        assert_eq!(open(&dir.join("gone")).map(drop), Err(Reason::Missing));
    }
}
