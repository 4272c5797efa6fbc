//! Where the jobs of this supervisor get groups of their own: found out once, and complained about once.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::OnceCell;

use crate::cgroup::Groups;
use crate::cgroup::systemd::{Delegation, PATIENCE};

/// The person's own directory for sockets and the like.
const RUNTIME_DIR: &str = "XDG_RUNTIME_DIR";

/// What was found out.
#[derive(Debug, Default)]
pub struct Room {
    base: OnceCell<Option<Base>>,
    has_complained: AtomicBool,
}

#[derive(Debug)]
struct Base {
    path: PathBuf,
    /// The scope ends with it, unless jobs are in it.
    _delegation: Option<Delegation>,
}

impl Room {
    /// The directory below which groups are made, if there is one. `shim` would keep a scope of systemd's.
    pub async fn base(&self, groups: &Groups, shim: &Path) -> Option<&Path> {
        let base = self.base.get_or_init(|| async {
            match groups {
                Groups::None => None,
                Groups::Below(path) => Some(Base { path: path.clone(), _delegation: None }),
                Groups::FromSystemd => self.ask(shim).await,
            }
        });
        base.await.as_ref().map(|base| base.path.as_path())
    }

    async fn ask(&self, shim: &Path) -> Option<Base> {
        let asked = match std::env::var_os(RUNTIME_DIR) {
            Some(dir) => Delegation::ask(shim, dir.as_ref(), PATIENCE).await,
            None => Err(format!("{RUNTIME_DIR} is not set")),
        };
        match asked {
            Ok(delegation) => Some(Base { path: delegation.path().to_owned(), _delegation: Some(delegation) }),
            Err(reason) => {
                self.complain(&reason);
                None
            }
        }
    }

    /// Says why a job has no group of its own. The next job's reason would be the same.
    pub fn complain(&self, reason: &str) {
        if !self.has_complained.swap(true, Ordering::Relaxed) {
            tracing::info!("Commands run without groups of their own: {reason}");
        }
    }
}
