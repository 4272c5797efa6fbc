//! What capturing a torrent costs its producer, beside the same producer into `cat >/dev/null`.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::clock::{self, ms_between};
use crate::error::{Doing, Result};
use crate::feed::Feed;
use crate::figure::{Findings, median};
use crate::house::{Home, Plan, Server};
use crate::rpc::Rpc;
use crate::{process_table, program};

const ROUNDS: usize = 5;
/// 1 GiB.
const PRODUCER: &str = "dd if=/dev/zero bs=64k count=16384 status=none";
/// A window asks for the end of the output once a frame.
const FRAME: Duration = Duration::from_millis(16);
const SHOWN_BYTES: u32 = 64 * 1024;

pub(crate) async fn run() -> Result<Findings> {
    let mut found = Findings::of("output");
    let home = Home::new()?;
    let server = Server::start(&home, &Plan::default())?;
    let session = server.rpc.create_session().await?;
    let warm = server.rpc.start_process(&session, "true", false).await?;
    let mut feed = Feed::attach(&server.rpc).await?;
    drop(warm);
    let (mut ours, mut bare, mut frames) = (Vec::new(), Vec::new(), Vec::new());
    let (mut growth, mut shim) = (0.0_f64, 0.0_f64);
    let before = process_table::memory_mib(server.pid(), "VmRSS:")?;
    for _ in 0..ROUNDS {
        bare.push(bare_round(home.path())?);
        let took = home.path().join("ours.ns");
        let process = server.rpc.start_process(&session, &timed(&took, PRODUCER), true).await?;
        let watch = watch(server.rpc.another()?, process.clone(), server.pid(), home.path().to_path_buf());
        feed.item("the note", |item| item["kind"] == "machine_note" && names(item, &process)).await?;
        let seen = watch.end().await?;
        ours.push(read_ns(&took)?);
        growth = growth.max(seen.server_mib - before);
        shim = shim.max(seen.shim_mib);
        frames.extend(seen.frames);
    }
    server.end()?;
    if let (Some(ours), Some(bare)) = (median(&ours), median(&bare)) {
        found.add("ratio", ours / bare, ROUNDS);
    }
    found.add("growth_mib", growth, ROUNDS);
    found.add("shim_rss_mib", shim, ROUNDS);
    found.add_percentile("frame_p95_ms", &frames, 95.0);
    Ok(found)
}

/// The producer's own elapsed nanoseconds go into a file.
fn timed(file: &Path, producer: &str) -> String {
    format!("began=$(date +%s%N); {producer}; ended=$(date +%s%N); echo $((ended - began)) > {}", file.display())
}

fn bare_round(dir: &Path) -> Result<f64> {
    let took = dir.join("bare.ns");
    let line = format!("{{ {}; }} | cat > /dev/null", timed(&took, PRODUCER));
    let shell = std::env::var_os("SHELL").unwrap_or_else(|| "/bin/sh".into());
    program::run(program::command(shell).arg("-c").arg(line))?;
    read_ns(&took)
}

fn read_ns(file: &Path) -> Result<f64> {
    let text = std::fs::read_to_string(file).doing("reading a producer's time")?;
    text.trim().parse().doing("reading a producer's time")
}

fn names(item: &Value, process: &str) -> bool {
    let units = item["units"].as_array().map(Vec::as_slice).unwrap_or_default();
    units.iter().any(|unit| unit["processId"] == process)
}

/// What was seen while the torrent came.
#[derive(Default)]
struct Seen {
    frames: Vec<f64>,
    server_mib: f64,
    shim_mib: f64,
}

struct Watch {
    over: tokio::sync::watch::Sender<bool>,
    task: JoinHandle<Result<Seen>>,
}

impl Watch {
    async fn end(self) -> Result<Seen> {
        self.over.send_replace(true);
        self.task.await.doing("watching a torrent")?
    }
}

fn watch(rpc: Rpc, process: String, server: u32, home: std::path::PathBuf) -> Watch {
    let (over, is_over) = tokio::sync::watch::channel(false);
    let task = tokio::spawn(async move {
        let mut seen = Seen::default();
        while !*is_over.borrow() {
            let began = clock::now();
            let params = json!({ "processId": process, "max": SHOWN_BYTES });
            rpc.call("read_output", &params).await?;
            let feed = json!({ "afterRev": u32::MAX, "waitMs": 0, "clientId": "frame" });
            rpc.call("next_feed", &feed).await?;
            seen.frames.push(ms_between(began, clock::now()));
            seen.server_mib = seen.server_mib.max(process_table::memory_mib(server, "VmRSS:")?);
            for shim in process_table::shims(&home) {
                // It may end between the two looks.
                let mib = process_table::memory_mib(shim, "VmHWM:").unwrap_or(0.0);
                seen.shim_mib = seen.shim_mib.max(mib);
            }
            tokio::time::sleep(FRAME.saturating_sub(clock::since(began))).await;
        }
        Ok(seen)
    });
    Watch { over, task }
}
