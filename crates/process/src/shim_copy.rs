//! The shim runs from a copy under its own content's name, so that replacing the application, or unmounting the image
//! it runs from, never pulls the program away from under a living job.

use std::collections::HashSet;
use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::fs::{FlockOperation, Mode, OFlags};
use sha2::{Digest, Sha256};

use crate::os;
use crate::rundir;

/// Bytes of the content's hash in a copy's path.
const PREFIX: usize = 8;
const NAME: &str = "gatehouse-shim";
/// A copy this young stays, whoever uses it.
const YOUNG: Duration = Duration::from_hours(24);
/// Somebody may remove an old copy just when it is wanted again.
const ATTEMPTS: usize = 3;
static DRAFTS: AtomicU64 = AtomicU64::new(0);

/// A copy that is there for as long as this value is.
#[derive(Debug)]
pub struct Copy {
    /// What to start.
    pub path: PathBuf,
    /// A shared lock on its directory: whoever clears up leaves it alone.
    _lock: OwnedFd,
}

/// Puts a copy of `source` below `bin_dir`, unless it is there, and removes old ones that nobody uses.
pub fn install(source: &Path, bin_dir: &Path) -> io::Result<Copy> {
    let content = std::fs::read(source)?;
    let name: String = Sha256::digest(&content).iter().take(PREFIX).map(|byte| format!("{byte:02x}")).collect();
    let dir = bin_dir.join(name);
    let mut copy = put(&content, &dir);
    for _ in 1..ATTEMPTS {
        if !copy.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            break;
        }
        copy = put(&content, &dir);
    }
    if let Err(error) = clear_up(bin_dir, &dir) {
        tracing::info!(%error, "Old copies of the shim stay");
    }
    copy
}

fn put(content: &[u8], dir: &Path) -> io::Result<Copy> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    let lock = open(dir)?;
    rustix::fs::flock(&lock, FlockOperation::LockShared)?;
    let path = dir.join(NAME);
    if !std::fs::metadata(&path).is_ok_and(|meta| meta.len() == content.len() as u64) {
        // Two profiles may get here at once.
        let draft = dir.join(format!("draft.{}.{}", std::process::id(), DRAFTS.fetch_add(1, Ordering::Relaxed)));
        write_executable(&draft, content)?;
        std::fs::rename(&draft, &path)?;
    }
    Ok(Copy { path, _lock: lock })
}

fn open(dir: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(dir, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
}

/// Removes copies that are older than a day, that no gateway holds, and that no living shim runs from.
fn clear_up(bin_dir: &Path, current: &Path) -> io::Result<()> {
    let bin_dir = bin_dir.canonicalize()?;
    let mut old = Vec::new();
    for entry in std::fs::read_dir(&bin_dir)? {
        let dir = entry?.path();
        if dir.file_name() != current.file_name() && is_old(&dir)? {
            old.push(dir);
        }
    }
    if old.is_empty() {
        return Ok(());
    }
    let in_use = programs()?;
    for dir in old.iter().filter(|dir| !in_use.contains(&dir.join(NAME))) {
        remove_unless_held(dir)?;
    }
    Ok(())
}

/// Only what looks like a copy of ours is touched.
fn is_old(dir: &Path) -> io::Result<bool> {
    let Ok(meta) = std::fs::metadata(dir.join(NAME)) else { return Ok(false) };
    let written = meta.modified()?.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let now = Duration::from_millis(u64::try_from(rundir::wall_ms()).unwrap_or_default());
    Ok(now.saturating_sub(written) > YOUNG)
}

/// What runs on this machine, as far as we may see it.
fn programs() -> io::Result<HashSet<PathBuf>> {
    Ok(os::pids()?.into_iter().filter_map(|pid| os::program(pid).ok()).collect())
}

fn remove_unless_held(dir: &Path) -> io::Result<()> {
    let lock = open(dir)?;
    match rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => std::fs::remove_dir_all(dir),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn write_executable(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.set_permissions(Permissions::from_mode(0o700))?;
    file.write_all(content)?;
    file.sync_all()
}

#[cfg(test)]
mod tests;
