//! A home for one test: the data directory, the person's own directory, and a sweep at the end.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::os::{self, Seen, Signal};
use crate::{LIMIT, Result};

/// A temporary place for a server and its jobs. Whatever still runs from or in it is ended when it is dropped.
#[derive(Debug)]
pub struct House {
    root: TempDir,
    home: PathBuf,
}

impl House {
    /// A fresh one.
    pub fn new() -> Result<Self> {
        Self::named("data")
    }

    /// One whose data directory has this name.
    pub fn named(name: &str) -> Result<Self> {
        let root = tempfile::Builder::new().prefix("house-").tempdir()?;
        std::fs::create_dir(root.path().join("person"))?;
        let home = root.path().join(name);
        Ok(Self { root, home })
    }

    /// All of it.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// The data directory.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The default profile's directory.
    pub fn profile(&self) -> PathBuf {
        self.profile_of("default")
    }

    /// The directory of this profile.
    pub fn profile_of(&self, name: &str) -> PathBuf {
        self.home.join("profiles").join(name)
    }

    /// The default profile's database.
    pub fn database(&self) -> PathBuf {
        self.profile().join("gatehouse.db")
    }

    /// The home folder of the person, where jobs run.
    pub fn person(&self) -> PathBuf {
        self.root.path().join("person")
    }

    /// The server's own words.
    pub fn stderr(&self) -> PathBuf {
        self.root.path().join("stderr")
    }

    /// Living shims of this house.
    pub fn shims(&self) -> Result<Vec<Seen>> {
        let bin = self.home.join("run/bin");
        let seen = os::below(self.root.path())?;
        Ok(seen.into_iter().filter(|seen| seen.exe.as_deref().is_some_and(|exe| exe.starts_with(&bin))).collect())
    }

    /// The shim that holds a process: the parent of its direct child.
    pub fn shim_of(&self, job: u32) -> Result<u32> {
        let parent = os::look(job).ok_or("the job is gone")?.parent;
        let shims = self.shims()?;
        shims.iter().find(|shim| shim.pid == parent).map(|shim| shim.pid).ok_or_else(|| "its parent is no shim".into())
    }

    /// Waits until no shim of this house lives.
    pub async fn no_shims(&self) -> Result {
        for shim in self.shims()? {
            os::ended(shim.pid).await.map_err(|error| format!("an orphan shim: {error}"))?;
        }
        Ok(())
    }

    /// Ends by number whatever runs from or in this house, and says what that was.
    fn sweep(&self) -> Result<Vec<Seen>> {
        let mut swept: Vec<Seen> = Vec::new();
        // Again until nothing is found: what is ended may have been about to start something.
        for _ in 0..20 {
            let found = os::below(self.root.path())?;
            let ours: Vec<_> = found.into_iter().filter(|seen| seen.pid != std::process::id()).collect();
            if ours.is_empty() {
                break;
            }
            for seen in &ours {
                os::signal(seen.pid, Signal::KILL)?;
            }
            for seen in &ours {
                os::await_end(seen.pid, LIMIT.min(Duration::from_secs(10)))?;
            }
            swept.extend(ours);
        }
        Ok(swept)
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let swept = self.sweep();
        if !std::thread::panicking() {
            assert!(swept.is_ok(), "the house could not be swept: {swept:?}");
        }
    }
}
