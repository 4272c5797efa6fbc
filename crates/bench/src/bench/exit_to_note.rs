//! From the moment at which the kernel says that a command ended: to its note in the feed, and to the request that
//! tells the model. The bare twin waits for a child, commits one transaction and sends one request.

mod floor; // the bare twin
mod slow_disk; // the same with 10 ms added to every sync
mod syncs; // how often one end makes the disk promise

use std::path::Path;

use gatehouse_provider::scripted::{Script, Scripted, say};
use serde_json::Value;

use crate::clock;
use crate::error::{Doing, Result};
use crate::feed::Feed;
use crate::figure::Findings;
use crate::house::{Home, Plan, Server};
use crate::job::{Trigger, watch_end};

const ROUNDS: usize = 200;
const SLOW_ROUNDS: usize = 50;
/// The first ones fill caches and the login environment; they are not counted.
const WARM_UP: usize = 5;

pub(crate) async fn run() -> Result<Findings> {
    let mut found = Findings::of("exit_to_note");
    let (mut commit, mut request, mut floor) = (Vec::new(), Vec::new(), Vec::new());
    let home = Home::new()?;
    let mut rig = Rig::start(&home, None).await?;
    let mut bare = floor::Bare::start(home.path()).await?;
    for round in 0..WARM_UP + ROUNDS {
        let (committed, requested) = rig.round(round).await?;
        let bare = bare.round(round).await?;
        if round >= WARM_UP {
            commit.push(committed);
            request.push(requested);
            floor.push(bare);
        }
    }
    rig.server.end()?;
    found.add_percentile("commit_p50_ms", &commit, 50.0);
    found.add_percentile("commit_p99_ms", &commit, 99.0);
    found.add_percentile("request_p50_ms", &request, 50.0);
    found.add_percentile("request_p99_ms", &request, 99.0);
    found.add_percentile("floor_p50_ms", &floor, 50.0);
    match syncs::per_exit().await {
        Ok((value, n)) => found.add("fsyncs_per_exit", value, n),
        Err(error) => found.missing.push(format!("fsyncs_per_exit: {error}")),
    }
    match slow_disk::requests(SLOW_ROUNDS).await {
        Ok(samples) => found.add_percentile("slow_disk_request_p50_ms", &samples, 50.0),
        Err(error) => found.missing.push(format!("slow_disk_request_p50_ms: {error}")),
    }
    Ok(found)
}

/// A server with a provider that answers at once, and a feed that is attached.
struct Rig {
    server: Server,
    lab: Scripted,
    feed: Feed,
    dir: std::path::PathBuf,
    requests: usize,
}

impl Rig {
    async fn start(home: &Home, preload: Option<&Path>) -> Result<Self> {
        let lab = Scripted::start(Script::responder(|_| say("ok"))).await.doing("starting a provider")?;
        let url = lab.url();
        let env = preload.map(|library| ("LD_PRELOAD", library.to_path_buf())).into_iter().collect();
        let server = Server::start(home, &Plan { provider: Some(&url), env })?;
        let feed = Feed::attach(&server.rpc).await?;
        Ok(Self { server, lab, feed, dir: home.path().to_path_buf(), requests: 0 })
    }

    /// One command in a session of its own: milliseconds from its end to the note, and to the request.
    async fn round(&mut self, round: usize) -> Result<(f64, f64)> {
        let trigger = Trigger::new(&self.dir, &format!("trigger-{round}"))?;
        let rpc = &self.server.rpc;
        let session = rpc.create_session().await?;
        let process = rpc.start_process(&session, &trigger.command(), true).await?;
        let ended = watch_end(rpc.pid_of(&session, &process).await?)?;
        trigger.pull()?;
        let is_note = |item: &Value| item["kind"] == "machine_note" && item["sessionId"] == session;
        let noted = self.feed.item("the note", is_note).await?;
        self.requests += 1;
        let request = self.lab.wait_for_request(self.requests).await;
        let ended = ended.await.doing("watching a process")??;
        self.feed.turn_ended(&session).await?;
        Ok((clock::ms_between(ended, noted), clock::ms_between(ended, request.at.into_std())))
    }
}
