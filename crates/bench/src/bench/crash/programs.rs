use std::path::{Path, PathBuf};

use crate::error::{Doing, Error, Result};
use crate::house::{Home, Plan, Server};
use crate::program;

const NAMES: [&str; 2] = ["gatehouse-server", "gatehouse-shim"];
const VARIABLE: &str = "GATEHOUSE_FAULT";

/// The server and the shim with their named moments, beside each other as the server expects it.
pub(super) struct Programs {
    dir: PathBuf,
}

impl Programs {
    /// Builds them as people's are built, keeps them aside, and puts people's back: with other features only our own
    /// crates are compiled once more, beside the others.
    pub fn build() -> Result<Self> {
        let (dir, release) = (Self::place()?, program::target_dir()?.join("release"));
        std::fs::create_dir_all(&dir).doing("making a directory")?;
        let packages =
            ["build", "--release", "-p", "gatehouse-server", "-p", "gatehouse-process", "--bins", "--features"];
        let features = ["gatehouse-server/faults,gatehouse-process/faults"];
        let built = program::cargo(&[&packages[..], &features[..]].concat(), &program::checkout());
        let kept = built.and_then(|()| NAMES.iter().try_for_each(|name| keep(&release.join(name), &dir.join(name))));
        program::build_server().and(kept)?;
        Ok(Self { dir })
    }

    /// Those that were built before.
    pub fn built() -> Result<Self> {
        Ok(Self { dir: Self::place()? })
    }

    fn place() -> Result<PathBuf> {
        Ok(program::target_dir()?.join("bench").join("faults"))
    }

    /// What the moments are called.
    pub fn points(&self) -> Result<Vec<String>> {
        let server = self.dir.join("gatehouse-server");
        let mut listing = program::command(&server);
        let listed = listing.env(VARIABLE, "list").output().doing("asking for the moments")?;
        let points: Vec<String> = String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned).collect();
        if !listed.status.success() || points.is_empty() {
            return Err(Error::MissingFile(server));
        }
        Ok(points)
    }

    /// Starts the server; it ends when it comes to `order`, a moment and how many times.
    pub fn start(&self, home: &Home, url: &str, order: Option<String>) -> Result<Server> {
        // The person's own shell would take longer to be asked for its variables than most lives last.
        let shell = [("HOME", home.path().to_path_buf()), ("SHELL", PathBuf::from("/bin/bash"))];
        let env = order.map(|order| (VARIABLE, PathBuf::from(order))).into_iter().chain(shell).collect();
        Server::start_from(&self.dir.join("gatehouse-server"), home, &Plan { provider: Some(url), env })
    }
}

/// Somebody may still run from the old one, so it is replaced as a whole.
fn keep(built: &Path, kept: &Path) -> Result<()> {
    let fresh = kept.with_extension("new");
    std::fs::copy(built, &fresh).doing("keeping a program")?;
    std::fs::rename(&fresh, kept).doing("keeping a program")
}
