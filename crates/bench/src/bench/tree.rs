//! Trees that do not want to end, stopped over the wire; half of them with groups of their own. Whoever lives on is found
//! by a mark that the product does not know, and whoever was signalled is read from strace.

mod room; // a directory for groups
mod strangers; // who was signalled

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::adversary::{self, Adversary};
use crate::clock::{self, ms_between};
use crate::error::{Doing, Error, Result};
use crate::figure::Findings;
use crate::house::{Home, Plan, Server, tell};
use crate::rpc::Rpc;
use crate::run::Scale;

const TREES: usize = 1000;
/// Stopped side by side: more would measure the machine.
const AT_ONCE: usize = 12;
const SEED: u64 = 0x6761_7465;
/// A stop that is refused so often is refused for good.
const AGAIN: usize = 5;

/// What came of stopping trees.
#[derive(Debug, Default)]
struct Seen {
    stops_ms: Vec<f64>,
    /// Who bears a mark and was not named by the answer.
    unreported: usize,
    /// Who was named.
    reported: usize,
}

pub(crate) async fn run(scale: Scale) -> Result<Findings> {
    let mut found = Findings::of("tree");
    let trees = scale.trees.unwrap_or(TREES);
    let room = room::Room::open().inspect_err(|error| tell(&format!("no tree has a group of its own: {error}"))).ok();
    let grouped = if room.is_some() { trees / 2 } else { 0 };
    let plain = stop_all(None, 0..trees - grouped).await?;
    let within = match &room {
        Some(room) => stop_all(Some(room.path()), trees - grouped..trees).await?,
        None => Seen::default(),
    };
    let stops_ms: Vec<f64> = plain.stops_ms.iter().chain(&within.stops_ms).copied().collect();
    found.add("trees", stops_ms.len() as f64, trees);
    // A group ends everybody; without one it counts that nobody lives on untold.
    let survivors = plain.unreported + within.unreported + within.reported;
    found.add("survivors", survivors as f64, trees);
    match strangers::count(SEED).await {
        Ok((strangers, signals)) => found.add("stranger_signals", strangers as f64, signals),
        Err(error) => found.missing.push(format!("stranger_signals: {error}")),
    }
    found.add_percentile("p99_ms", &stops_ms, 99.0);
    Ok(found)
}

async fn stop_all(groups: Option<&Path>, numbers: std::ops::Range<usize>) -> Result<Seen> {
    let home = Home::grouped(groups)?;
    let server = Server::start(&home, &Plan::default())?;
    let next = Arc::new(AtomicUsize::new(numbers.start));
    let mut callers = tokio::task::JoinSet::new();
    for _ in 0..AT_ONCE {
        let (rpc, next, home) = (server.rpc.another()?, Arc::clone(&next), home.path().to_path_buf());
        let (end, grouped) = (numbers.end, groups.is_some());
        callers.spawn(async move {
            let session = rpc.create_session().await?;
            let mut seen = Seen::default();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= end {
                    return Ok::<_, Error>(seen);
                }
                stop_one(&rpc, &session, &home, number, grouped, &mut seen).await?;
            }
        });
    }
    let mut all = Seen::default();
    while let Some(ended) = callers.join_next().await {
        let seen = ended.doing("stopping trees")??;
        all.stops_ms.extend(seen.stops_ms);
        all.unreported += seen.unreported;
        all.reported += seen.reported;
    }
    let left = adversary::bearers_in(home.path());
    if left.len() > all.reported {
        tell(&format!("at the end live:\n{}", portraits(&left)));
    }
    all.unreported += left.len().saturating_sub(all.reported);
    server.end()?;
    Ok(all)
}

async fn stop_one(rpc: &Rpc, session: &str, home: &Path, number: usize, grouped: bool, seen: &mut Seen) -> Result<()> {
    let tree = Adversary::plant(home, SEED, number)?;
    tree.let_go()?;
    let process = rpc.start_process(session, &tree.command(), false).await?;
    tree.grown().await?;
    if grouped {
        expect_group(home, &process)?;
    }
    let began = clock::now();
    let named = stop(rpc, &process).await?;
    seen.stops_ms.push(ms_between(began, clock::now()));
    let untold: Vec<u32> = tree.bearers().into_iter().filter(|pid| !named.contains(pid)).collect();
    if !untold.is_empty() {
        tell(&format!("of tree {number} ({:?}) live untold:\n{}", tree.leader, portraits(&untold)));
    }
    seen.unreported += untold.len();
    seen.reported += named.len();
    Ok(())
}

/// Whom the answer names as alive. A refusal is asked again, as a person would: the time that takes is part of the stop.
async fn stop(rpc: &Rpc, process: &str) -> Result<Vec<u32>> {
    let request = json!({ "processId": process });
    let mut reply = rpc.call("stop_process", &request).await;
    for _ in 0..AGAIN {
        if !matches!(reply, Err(Error::Refused { .. })) {
            break;
        }
        reply = rpc.call("stop_process", &request).await;
    }
    let reply = reply?;
    let named = reply["survivors"].as_array().ok_or_else(|| Error::Shape("survivors".into()))?;
    Ok(named.iter().filter_map(Value::as_u64).filter_map(|pid| u32::try_from(pid).ok()).collect())
}

/// Who they are, for whoever wants to know why they live.
fn portraits(pids: &[u32]) -> String {
    let portrait = |pid: &u32| std::fs::read_to_string(format!("/proc/{pid}/stat")).ok();
    pids.iter().filter_map(portrait).collect()
}

/// A server that does not take the directory would measure the same thing twice.
fn expect_group(home: &Path, process: &str) -> Result<()> {
    let record = home.join("profiles").join("default").join("runs").join(process).join("child.json");
    let record = std::fs::read(record).doing("reading who runs")?;
    let record: Value = serde_json::from_slice(&record).doing("reading who runs")?;
    if record["group"].is_null() {
        let words = record["ungrouped"].as_str().unwrap_or("the server does not use the directory").to_owned();
        return Err(Error::Failed { doing: "giving a tree a group of its own".into(), words });
    }
    Ok(())
}
