//! Hundreds of commands of many conversations end within a second, while every answer takes longer than that: how many
//! turns tell them all, what a commit of somebody else costs meanwhile, and when the house rests.

mod writer; // somebody who writes meanwhile

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gatehouse_provider::scripted::{Script, Scripted, say};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use crate::clock;
use crate::error::{Doing, Error, Result};
use crate::feed::Feed;
use crate::figure::Findings;
use crate::house::{Home, Plan, Server, tell};
use crate::rpc::Rpc;

const UNITS: usize = 500;
const SESSIONS: usize = 20;
const CALLERS: usize = 8;
const ANSWER: Duration = Duration::from_millis(1_200);
/// Nothing changes for so long: the house rests.
const STILL: Duration = Duration::from_secs(4);
/// All commands end within this time.
const SPREAD_MS: i64 = 1_000;

pub(crate) async fn run() -> Result<Findings> {
    let mut found = Findings::of("fanout");
    let lab = Scripted::start(Script::responder(|_| say("Noted.").after(ANSWER))).await.doing("starting a provider")?;
    let url = lab.url();
    let home = Home::new()?;
    let server = Server::start(&home, &Plan { provider: Some(&url), env: Vec::new() })?;
    let gate = Gate::new(home.path())?;
    let sessions = begin(&server.rpc, &gate).await?;
    let feed = Feed::attach(&server.rpc).await?;
    let writer = writer::Writer::begin(&server.rpc).await?;
    gate.open()?;
    let seen = watch(feed).await?;
    let commits = writer.end().await?;
    let told = told(&server.rpc, &sessions).await?;
    let (first, last) = told.iter().fold((i64::MAX, 0), |(first, last), at| (first.min(*at), last.max(*at)));
    tell(&format!("fanout: {} reports, ends within {} ms", told.len(), last - first));
    if last - first > SPREAD_MS {
        found.missing.push(format!("the commands took {} ms to end", last - first));
    }
    found.add("units", told.len() as f64, UNITS);
    found.add("turns", seen.turns.len() as f64, seen.turns.len());
    found.add_percentile("commit_p99_ms", &commits, 99.0);
    found.add("idle_after_s", seen.last.duration_since(seen.last_turn).as_secs_f64(), 1);
    server.end()?;
    Ok(found)
}

/// A named pipe that every command reads one line from.
struct Gate {
    path: PathBuf,
    pipe: std::fs::File,
}

impl Gate {
    fn new(dir: &Path) -> Result<Self> {
        let path = dir.join("gate");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).doing("making a pipe")?;
        // Open for both ways, so that neither side waits for the other to open it.
        let pipe = std::fs::OpenOptions::new().read(true).write(true).open(&path).doing("opening a pipe")?;
        Ok(Self { path, pipe })
    }

    fn open(&self) -> Result<()> {
        (&self.pipe).write_all("\n".repeat(UNITS).as_bytes()).doing("writing into a pipe")
    }
}

/// Starts everything that will end.
async fn begin(rpc: &Rpc, gate: &Gate) -> Result<Vec<String>> {
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        sessions.push(rpc.create_session().await?);
    }
    let mut callers = tokio::task::JoinSet::new();
    for caller in 0..CALLERS {
        let (rpc, sessions) = (rpc.another()?, sessions.clone());
        let command = format!("read -r _ < '{}'; echo done", gate.path.display());
        callers.spawn(async move {
            for number in (caller..UNITS).step_by(CALLERS) {
                rpc.start_process(&sessions[number % SESSIONS], &command, true).await?;
            }
            Ok::<(), Error>(())
        });
    }
    while let Some(started) = callers.join_next().await {
        started.doing("starting commands")??;
    }
    Ok(sessions)
}

/// What the feed told.
struct Seen {
    turns: HashSet<String>,
    last_turn: Instant,
    last: Instant,
}

/// Until nothing changes any more.
async fn watch(mut feed: Feed) -> Result<Seen> {
    let now = clock::now();
    let mut seen = Seen { turns: HashSet::new(), last_turn: now, last: now };
    loop {
        let Ok(answer) = tokio::time::timeout(STILL, feed.next("a change")).await else { return Ok(seen) };
        let (at, answer) = answer?;
        let changes = answer["changes"].as_array().map(Vec::as_slice).unwrap_or_default();
        for change in changes {
            seen.last = at;
            if change["type"] == "turn" {
                seen.turns.insert(change["turn"]["turnId"].as_str().unwrap_or_default().to_owned());
                if change["turn"]["state"] != "running" {
                    seen.last_turn = at;
                }
            }
        }
        if clock::since(seen.last) > STILL {
            return Ok(seen);
        }
    }
}

/// When each report's command ended. An error if one was told twice, not at all, or before an earlier one.
async fn told(rpc: &Rpc, sessions: &[String]) -> Result<Vec<i64>> {
    let mut ends = Vec::new();
    let mut times: HashMap<String, usize> = HashMap::new();
    for session in sessions {
        let reply = rpc.call("list_items", &json!({ "sessionId": session, "limit": 1000 })).await?;
        let items = reply["items"].as_array().ok_or_else(|| Error::Shape("items".into()))?;
        let units: Vec<&Value> = items.iter().filter_map(|item| item["units"].as_array()).flatten().collect();
        let request = json!({ "sessionId": session, "includeFinished": true });
        let rows = rpc.call("list_processes", &request).await?["processes"].as_array().cloned().unwrap_or_default();
        let ended = |unit: &Value| rows.iter().find(|row| row["processId"] == unit["processId"])?["endedAtMs"].as_i64();
        let here: Vec<i64> = units.iter().filter_map(|unit| ended(unit)).collect();
        // From one note to the next the order is that in which the gateway learned of the ends.
        for note in items.iter().filter_map(|item| item["units"].as_array()) {
            if !note.iter().filter_map(&ended).is_sorted() {
                return Err(Error::Shape(format!("the order of the reports in a note of {session}")));
            }
        }
        ends.extend(here);
        for unit in units {
            *times.entry(unit["processId"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
        }
    }
    if times.len() != UNITS || times.values().any(|times| *times != 1) || ends.len() != UNITS {
        return Err(Error::Shape(format!("each of {UNITS} reports once: {} of {}", times.len(), ends.len())));
    }
    Ok(ends)
}
