//! Where files of an answer may lie.

use std::path::{Path, PathBuf};

use gatehouse_agent::approval::{Place, place_of};

use super::Reason;
use crate::core::Core;

/// Folders that answers take files from, and the one that they never do.
#[derive(Debug, Clone)]
pub struct Allowed {
    home: PathBuf,
    roots: Vec<PathBuf>,
    own: PathBuf,
}

impl Allowed {
    /// The person's home and the folders of the work, but nothing in Gatehouse's `own` folder. Folders that are not
    /// there allow nothing.
    pub fn new(home: PathBuf, work: impl IntoIterator<Item = PathBuf>, own: &Path) -> Self {
        let roots = std::iter::once(home.clone()).chain(work).filter_map(|root| root.canonicalize().ok()).collect();
        let own = own.canonicalize().unwrap_or_else(|_| own.to_path_buf());
        Self { home, roots, own }
    }

    /// As it is for the answers of this profile.
    pub fn of(core: &Core) -> Self {
        let home = std::env::home_dir().unwrap_or_else(|| core.work_dir.clone());
        Self::new(home, [core.work_dir.clone(), std::env::temp_dir()], &core.home)
    }

    /// A path as the person would have written it out.
    pub(super) fn expanded(&self, path: &str) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(rest) => self.home.join(rest.trim_start_matches('/')),
            None => PathBuf::from(path),
        }
    }

    /// Whether a file may be taken from here. `path` has no symbolic link in it.
    pub(super) fn check(&self, path: &Path) -> Result<(), Reason> {
        if path.starts_with(&self.own) {
            return Err(Reason::Own);
        }
        let mut inside = self.roots.iter().filter(|root| path.starts_with(root)).peekable();
        let nowhere = inside.peek().is_none();
        match place(path) {
            Some(Place::App) => Err(Reason::Own),
            // What a shell runs at its start is where people export their keys.
            Some(Place::Secret | Place::Startup) => Err(Reason::Private),
            Some(Place::System) if !inside.any(|root| is_within_system(root)) => Err(Reason::System),
            Some(Place::System) => Ok(()),
            None if nowhere => Err(Reason::Outside),
            None => Ok(()),
        }
    }
}

fn place(path: &Path) -> Option<Place> {
    place_of(&path.to_string_lossy())
}

/// Whether work is done in a folder that lies among the system's, as the homes of services do.
fn is_within_system(root: &Path) -> bool {
    root.parent().is_some() && place(root) == Some(Place::System)
}
