//! A disk so small that a test can fill it.

use std::fs;
use std::path::PathBuf;

use crate::{House, Result, Server, Setup};

/// The profiles of one house on a file system of their own, which only its server and what that starts can see.
#[derive(Debug)]
pub struct SmallDisk {
    pid: u32,
    profiles: PathBuf,
}

impl SmallDisk {
    /// A server whose profiles lie on a disk of so many MiB. Takes the right to mount.
    pub fn of(setup: Setup, house: &House, mebibytes: u32) -> Result<Setup> {
        let profiles = house.home().join("profiles");
        fs::create_dir_all(&profiles)?;
        let mount = format!("mount -t tmpfs -o size={mebibytes}m,mode=0700 small \"$0\" && exec \"$@\"");
        Ok(setup.inside(["unshare", "--mount", "bash", "-c", &mount, &profiles.to_string_lossy()]))
    }

    /// The one that this server sees.
    pub fn seen_by(server: &Server) -> Self {
        Self::seen_by_process(server.pid(), &server.house)
    }

    /// The one that this process sees.
    pub fn seen_by_process(pid: u32, house: &House) -> Self {
        Self { pid, profiles: house.home().join("profiles") }
    }

    /// A start that sees it as well.
    pub fn again(&self, setup: Setup) -> Setup {
        setup.inside(["nsenter", "--mount", "--target", &self.pid.to_string()])
    }

    /// What a program says that sees it as well.
    pub fn run<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> Result<String> {
        #[expect(clippy::disallowed_methods, reason = "only a program can enter another one's view of the disks")]
        let mut command = std::process::Command::new("nsenter");
        let output = command.args(["--mount", "--target", &self.pid.to_string()]).args(words).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    /// A path on it, as it is reached from outside.
    pub fn path(&self, name: &str) -> PathBuf {
        let inside = self.profiles.join(name);
        PathBuf::from(format!("/proc/{}/root{}", self.pid, inside.display()))
    }

    /// Leaves no room at all.
    pub fn fill(&self) -> Result {
        crate::ballast::fill(&self.path("ballast"))
    }

    /// Makes room again.
    pub fn free(&self) -> Result {
        Ok(fs::remove_file(self.path("ballast"))?)
    }
}
