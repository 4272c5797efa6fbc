use std::path::{Path, PathBuf};

use crate::error::{Doing, Error, Result};

/// A directory of a cgroup v2 file system that is ours; gone when this value is.
#[derive(Debug)]
pub(super) struct Room(PathBuf);

impl Room {
    /// In the first such file system that lets us.
    pub fn open() -> Result<Self> {
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").doing("reading the mounts")?;
        let second = mounts.lines().filter(|line| line.contains(" - cgroup2 "));
        let name = format!("gatehouse-bench-{}", std::process::id());
        let mut refused = None;
        for point in second.filter_map(|line| line.split(' ').nth(4)) {
            let path = Path::new(point).join(&name);
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) => refused = Some(format!("{}: {error}", path.display())),
            }
        }
        let words = refused.unwrap_or_else(|| "no cgroup v2 file system is mounted".to_owned());
        Err(Error::Failed { doing: "making a group".into(), words })
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // Groups that a shim is just about to remove keep it for a moment; an empty one harms nobody.
        let inner = std::fs::read_dir(&self.0).into_iter().flatten().flatten();
        inner.for_each(|entry| drop(std::fs::remove_dir(entry.path())));
        let _left = std::fs::remove_dir(&self.0);
    }
}
