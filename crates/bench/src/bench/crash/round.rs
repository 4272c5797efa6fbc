use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use super::dice::Dice;
use super::programs::Programs;
use super::work::Work;
use crate::clock;
use crate::error::{Doing, Result};
use crate::house::{Home, Server};

/// A moment that does not come within this time does not come.
const PATIENCE: Duration = Duration::from_millis(900);
const LOOK: Duration = Duration::from_millis(5);
/// What a program says before it ends at a moment.
const SAID: &str = "gatehouse-fault ";
/// Moments of shims; the server lives through them.
const SHIM: &str = "shim.";
/// Where a shim says it.
const LOG: &str = "shim.log";

/// How a life ends.
#[derive(Debug, Clone)]
pub(super) enum End {
    /// At a moment, when it comes for the nth time.
    At { point: String, nth: u64 },
    /// So many milliseconds after something was asked.
    After(u64),
}

impl End {
    /// Whether it is a shim that ends.
    pub fn harms_shims(&self) -> bool {
        matches!(self, Self::At { point, .. } if point.starts_with(SHIM))
    }

    fn order(&self) -> Option<String> {
        match self {
            // Each shim counts for itself, and comes to each of its moments once.
            Self::At { point, .. } if self.harms_shims() || point.starts_with("recovery.") => {
                Some(format!("{point}:1"))
            }
            Self::At { point, nth } => Some(format!("{point}:{nth}")),
            Self::After(_) => None,
        }
    }
}

/// One life: work is asked for, and the end comes. The moments that came about.
pub(super) async fn live(
    programs: &Programs,
    home: &Home,
    url: &str,
    end: &End,
    work: &mut Work,
    dice: &mut Dice,
) -> Result<Vec<String>> {
    let before = shims_said(home.path())?.len();
    let order = end.order();
    // It may end before it is ready.
    let started = programs.start(home, url, order.clone());
    match started {
        Ok(server) => {
            let asked = work.ask(&server.rpc, dice)?;
            let server = wait(server, end).await?;
            server.kill()?;
            work.answered(asked).await?;
        }
        Err(error) if order.is_none() => return Err(error),
        Err(_) => {}
    }
    let server_said = std::fs::read_to_string(home.path().join("server.err")).doing("reading a log")?;
    let mut hits: Vec<String> =
        server_said.lines().filter_map(|line| line.strip_prefix(SAID)).map(str::to_owned).collect();
    hits.extend(shims_said(home.path())?.split_off(before));
    Ok(hits)
}

async fn wait(mut server: Server, end: &End) -> Result<Server> {
    let most = match end {
        End::At { .. } => PATIENCE,
        End::After(ms) => Duration::from_millis(*ms),
    };
    let began = clock::now();
    while clock::since(began) < most && !server.has_ended()? {
        tokio::time::sleep(LOOK).await;
    }
    Ok(server)
}

/// What all shims of a home have said, those of earlier lives first.
fn shims_said(home: &Path) -> Result<Vec<String>> {
    let runs = home.join("profiles").join("default").join("runs");
    let Ok(entries) = std::fs::read_dir(&runs) else { return Ok(Vec::new()) };
    let dirs: HashSet<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    let mut dirs: Vec<_> = dirs.into_iter().collect();
    // Their names begin with the time.
    dirs.sort();
    let logs = dirs.iter().filter_map(|dir| std::fs::read_to_string(dir.join(LOG)).ok());
    Ok(logs
        .flat_map(|log| log.lines().filter_map(|line| line.strip_prefix(SAID)).map(str::to_owned).collect::<Vec<_>>())
        .collect())
}
