//! What the feed tells of trees that do not want to end: how soon after the fact, and whether an independent look at the
//! process table says the same.

mod delays; // from facts to what is shown
mod rows; // what the feed has told so far

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::{Value, json};

use crate::adversary::{Adversary, Leader};
use crate::clock::{self, ms_between};
use crate::error::{Doing, Error, Result};
use crate::figure::Findings;
use crate::house::{Home, Plan, Server};
use crate::job::watch_end;
use crate::rpc::Rpc;
use crate::run::Scale;
use delays::{Delays, Fact};
use rows::{Rows, Shown};

const TREES: usize = 1000;
/// Side by side: more would measure the machine.
const AT_ONCE: usize = 8;
const SEED: u64 = 0x7061_6e65;

pub(crate) async fn run(scale: Scale) -> Result<Findings> {
    let mut found = Findings::of("panel");
    let trees = scale.trees.unwrap_or(TREES);
    let home = Home::new()?;
    let server = Server::start(&home, &Plan::default())?;
    let rows = Rows::attach(&server.rpc, home.path()).await?;
    let next = Arc::new(AtomicUsize::new(0));
    let mut callers = tokio::task::JoinSet::new();
    for _ in 0..AT_ONCE {
        let rpc = server.rpc.another()?;
        let session = rpc.create_session().await?;
        let mut caller =
            Caller { rpc, session, rows: rows.clone(), home: home.path().into(), delays: Delays::default(), wrong: 0 };
        let next = Arc::clone(&next);
        callers.spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= trees {
                    caller.compare().await?;
                    return Ok::<_, Error>((caller.delays, caller.wrong));
                }
                caller.watch(number).await?;
            }
        });
    }
    let (mut delays, mut wrong) = (Delays::default(), 0);
    while let Some(ended) = callers.join_next().await {
        let (some, bad) = ended.doing("watching trees")??;
        delays.join(some);
        wrong += bad;
    }
    delays.add_to(&mut found);
    found.add("wrong", (wrong + rows.wrong()) as f64, delays.len());
    server.end()?;
    Ok(found)
}

struct Caller {
    rpc: Rpc,
    session: String,
    rows: Rows,
    home: Box<Path>,
    delays: Delays,
    wrong: usize,
}

impl Caller {
    /// One tree from its start to its last member.
    async fn watch(&mut self, number: usize) -> Result<()> {
        let tree = Adversary::plant(&self.home, SEED, number)?;
        let process = self.rpc.start_process(&self.session, &tree.command(), false).await?;
        let started = clock::now();
        let shown = self.rows.first(&process, |row| row["pid"].is_u64()).await?;
        self.delays.add(Fact::Started, ms_between(started, shown.at));
        let pid = shown.row["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok());
        let ended = watch_end(pid.ok_or_else(|| Error::Shape("a pid".into()))?)?;
        tree.grown().await?;
        if let Leader::EndsFirst(code) = tree.leader {
            tree.let_go()?;
            let ended = ended.await.doing("watching a process")??;
            let shown = self.rows.first(&process, is_final).await?;
            self.told_of_end(Fact::EndedFirst, ended, &shown);
            // The others are still there, and whoever reads the row must see that.
            let is_right = shown.row["state"] == "exited" && shown.row["exitCode"] == code;
            self.count(is_right && shown.row["descendants"].as_u64() > Some(0));
            return self.stop(&tree, &process, None).await;
        }
        self.stop(&tree, &process, Some(ended)).await
    }

    async fn stop(
        &mut self,
        tree: &Adversary,
        process: &str,
        leader: Option<tokio::task::JoinHandle<Result<Instant>>>,
    ) -> Result<()> {
        // Whoever ends between the two looks needs no watching.
        let watched: Vec<_> = tree.bearers().into_iter().filter_map(|pid| watch_end(pid).ok()).collect();
        let asked = clock::now();
        let request = json!({ "processId": process });
        let reply = self.rpc.call("stop_process", &request);
        let stopping = async {
            let shown = self.rows.first(process, |row| row["state"] == "stopping" || is_final(row)).await?;
            Ok::<_, Error>(ms_between(asked, shown.at))
        };
        let (reply, shown) = tokio::join!(reply, stopping);
        let is_told_empty = reply?["survivors"].as_array().is_some_and(Vec::is_empty);
        self.count(is_told_empty && tree.bearers().is_empty());
        if let Some(leader) = leader {
            self.delays.add(Fact::Stopping, shown?);
            let ended = leader.await.doing("watching a process")??;
            let shown = self.rows.first(process, is_final).await?;
            self.told_of_end(Fact::Killed, ended, &shown);
            self.count(shown.row["state"] == "killed" && shown.row["stoppedBy"] == "user");
        }
        let mut last = asked;
        for end in watched {
            last = last.max(end.await.doing("watching a process")??);
        }
        let empty = self.rows.first(process, |row| is_final(row) && row["descendants"] == 0).await?;
        self.delays.add(Fact::Empty, ms_between(last, empty.at));
        Ok(())
    }

    /// The row says when the shim saw it, which is a part of the way.
    fn told_of_end(&mut self, fact: Fact, ended: Instant, shown: &Shown) {
        self.delays.add(fact, ms_between(ended, shown.at));
        let seen = shown.row["endedAtMs"].as_f64().unwrap_or_default();
        self.delays.seen.push((seen - clock::wall_ms(ended)).max(0.0));
    }

    fn count(&mut self, is_right: bool) {
        self.wrong += usize::from(!is_right);
    }

    /// A list that is asked for says the same as the feed has.
    async fn compare(&mut self) -> Result<()> {
        let request = json!({ "sessionId": self.session, "includeFinished": true });
        let reply = self.rpc.call("list_processes", &request).await?;
        for row in reply["processes"].as_array().ok_or_else(|| Error::Shape("processes".into()))? {
            let told = self.rows.last(row["processId"].as_str().unwrap_or_default());
            let same = |name: &str| told.as_ref().is_some_and(|told| told[name] == row[name]);
            self.count(["state", "exitCode", "descendants", "stoppedBy"].into_iter().all(same));
        }
        Ok(())
    }
}

fn is_final(row: &Value) -> bool {
    ["exited", "killed", "lost", "failed_start"].iter().any(|state| row["state"] == *state)
}
