//! A clock on the wall that a test sets, while what never runs backwards goes on.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Result, Setup};

/// The wall clock of one server, by way of `libfaketime`.
#[derive(Debug)]
pub struct WallClock {
    library: PathBuf,
    file: PathBuf,
}

impl WallClock {
    /// One that is right. It is set through a file in this directory.
    pub fn new(dir: &Path) -> Result<Self> {
        let name = format!("/usr/lib/{}-linux-gnu/faketime/libfaketimeMT.so.1", std::env::consts::ARCH);
        let clock = Self { library: name.into(), file: dir.join("wall") };
        if !clock.library.is_file() {
            return Err(format!("{} is not there. Install the package faketime.", clock.library.display()).into());
        }
        clock.set("+0")?;
        Ok(clock)
    }

    /// Sets it so far ahead or back, such as `+8h`; seen from the next look at it on.
    pub fn set(&self, offset: &str) -> Result {
        // Renamed into its place, so that nobody reads half of it.
        let half = self.file.with_extension("half");
        fs::write(&half, offset)?;
        Ok(fs::rename(half, &self.file)?)
    }

    /// A server that goes by it.
    pub fn of(&self, setup: Setup) -> Setup {
        let shown = |path: &Path| path.to_string_lossy().into_owned();
        setup
            .env("LD_PRELOAD", &shown(&self.library))
            .env("FAKETIME_TIMESTAMP_FILE", &shown(&self.file))
            .env("FAKETIME_NO_CACHE", "1")
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            .env("DONT_FAKE_MONOTONIC", "1")
            // The times of files come from the kernel, whatever a program believes.
            .env("NO_FAKE_STAT", "1")
    }
}
