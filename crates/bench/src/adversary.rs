//! Commands whose trees do not want to end. Each is put together from a seed, and everybody of it bears a mark that
//! none of our code knows of: a descriptor of one file, which is inherited over every fork, session and clean
//! environment.

mod script; // what a tree is made of

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::clock;
use crate::error::{Doing, Error, Result};
use crate::process_table;
pub(crate) use script::Leader;

/// A tree stands within this time.
const GROWING: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(5);
/// The descriptor that everybody inherits.
const DESCRIPTOR: u32 = 9;
const MARK: &str = "mark";

/// One tree, not started yet.
#[derive(Debug)]
pub(crate) struct Adversary {
    script: PathBuf,
    mark: PathBuf,
    ready: PathBuf,
    members: u64,
    /// How its direct child behaves.
    pub leader: Leader,
}

impl Adversary {
    /// The `number`-th of a seed, in a directory that takes its files.
    pub fn plant(dir: &Path, seed: u64, number: usize) -> Result<Self> {
        let file = |kind: &str| dir.join(format!("{kind}-{number}"));
        let (script, mark, ready) = (file("tree"), file(MARK), file("ready"));
        let text = script::text(seed, number, &mark, &ready);
        std::fs::write(&script, &text.words).doing("writing a script")?;
        std::fs::write(&mark, "").doing("writing a mark")?;
        std::fs::write(&ready, "").doing("writing a list")?;
        Ok(Self { script, mark, ready, members: text.members, leader: text.leader })
    }

    /// What is started.
    pub fn command(&self) -> String {
        format!("exec bash {}", self.script.display())
    }

    /// Waits until everybody is there, deaf to what they want to be deaf to.
    pub async fn grown(&self) -> Result<()> {
        let began = clock::now();
        while std::fs::metadata(&self.ready).doing("looking at a tree")?.len() < self.members {
            if clock::since(began) > GROWING {
                return Err(Error::TookTooLong(format!("the tree of {}", self.script.display())));
            }
            tokio::time::sleep(LOOK).await;
        }
        Ok(())
    }

    /// A leader that ends first does so from now on.
    pub fn let_go(&self) -> Result<()> {
        std::fs::write(self.ready.with_extension("go"), "").doing("letting a leader go")
    }

    /// Who lives and bears the mark.
    pub fn bearers(&self) -> Vec<u32> {
        bearers_of(&self.mark)
    }
}

/// Who lives and bears this mark.
pub(crate) fn bearers_of(mark: &Path) -> Vec<u32> {
    process_table::with_descriptor(DESCRIPTOR, |file| file == mark)
}

/// Whether this process lives and bears any mark of this directory.
pub(crate) fn is_bearer(pid: u32, dir: &Path) -> bool {
    process_table::holds(pid, DESCRIPTOR, |file| is_mark(file, dir))
}

/// Who lives and bears any mark of this directory.
pub(crate) fn bearers_in(dir: &Path) -> Vec<u32> {
    process_table::with_descriptor(DESCRIPTOR, |file| is_mark(file, dir))
}

/// The server has files of the same directory open too, under whatever number.
fn is_mark(file: &Path, dir: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str());
    file.parent() == Some(dir) && name.is_some_and(|name| name.starts_with(MARK))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_mark_makes_a_bearer() {
        let home = tempfile::tempdir().unwrap();
        let tree = Adversary::plant(home.path(), 7, 4).unwrap();
        assert!(is_mark(&tree.mark, home.path()));
        for other in [&tree.script, &tree.ready, &home.path().join("logs/server.log"), &home.path().join("logs/mark-1")]
        {
            assert!(!is_mark(other, home.path()), "{}", other.display());
        }
        assert!(!is_mark(&tree.mark, Path::new("/")));
    }
}
