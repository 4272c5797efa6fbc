use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::time::Duration;

use gatehouse_domain::ProcessId;

use crate::input::{PtySize, Stdin};
use crate::rundir::{RunDir, SPEC, Spec};

/// A living job, as far as its run directory tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stray {
    /// Its id.
    pub id: ProcessId,
    /// What runs.
    pub command: String,
    /// Where.
    pub cwd: String,
    /// What whoever started it said of itself; empty if it said nothing.
    pub owner: String,
    /// The size of the terminal that it was to have.
    pub pty: Option<PtySize>,
    /// What it reads from without one.
    pub stdin: Stdin,
    /// It is stopped after this long.
    pub max_runtime: Option<Duration>,
}

/// A directory whose lock is held and whose name is not known.
pub fn find(runs_dir: &Path, known: &HashSet<ProcessId>) -> io::Result<Vec<Stray>> {
    let mut strays = Vec::new();
    for entry in std::fs::read_dir(runs_dir)? {
        let entry = entry?;
        let id = entry.file_name().to_str().and_then(|name| name.parse::<ProcessId>().ok());
        if let Some(id) = id.filter(|id| !known.contains(id)) {
            match look(id, &entry.path()) {
                Ok(stray) => strays.extend(stray),
                Err(error) => tracing::warn!(%id, %error, "A run directory that nobody knows of cannot be read"),
            }
        }
    }
    strays.sort_by_key(|stray| stray.id);
    Ok(strays)
}

fn look(id: ProcessId, path: &Path) -> io::Result<Option<Stray>> {
    let run = RunDir::open(path)?;
    if run.try_lock()?.is_some() {
        return Ok(None);
    }
    let Some(spec) = run.record::<Spec>(SPEC)? else { return Ok(None) };
    let text = |raw| OsString::from(raw).to_string_lossy().into_owned();
    Ok(Some(Stray {
        id,
        command: text(spec.command),
        cwd: text(spec.cwd),
        owner: spec.owner,
        pty: spec.pty,
        stdin: spec.stdin,
        max_runtime: spec.max_runtime_ms.map(Duration::from_millis),
    }))
}
