//! What stands between a provider's word and a client of the feed: processor time, and time.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::clock::{self, ms_between};
use crate::error::Result;
use crate::feed::{Feed, items};
use crate::figure::Findings;
use crate::house::{Home, Plan, Server};
use crate::process_table::cpu_ns;
use crate::stream::{Stream, Tempo, WORD};

const BURST: usize = 2_000;
const BURSTS: usize = 5;
const PACED: usize = 1_000;
const PACE: Duration = Duration::from_millis(5);
/// What the server uses while nothing happens is taken off.
const IDLE: Duration = Duration::from_secs(2);

pub(crate) async fn run() -> Result<Findings> {
    let mut found = Findings::of("stream_overhead");
    let home = Home::new()?;
    let stream = Stream::start()?;
    let server = Server::start(&home, &Plan { provider: Some(stream.url()), env: Vec::new() })?;
    let mut rig = Rig { feed: Feed::attach(&server.rpc).await?, stream, server };
    // The first answer opens connections and fills caches.
    rig.burst(BURST).await?;
    let idle = rig.idle_share().await?;
    let mut used = Used::default();
    let mut bursts = Vec::new();
    for _ in 0..BURSTS {
        let (ms, cpu) = rig.measured(idle, async |rig| rig.burst(BURST).await).await?;
        bursts.push(ms);
        used.add(cpu, BURST);
    }
    let (added, cpu) = rig.measured(idle, async |rig| rig.paced().await).await?;
    used.add(cpu, PACED);
    rig.server.end()?;
    found.add("cpu_us_per_delta", used.us_per_delta(), used.deltas);
    found.add_percentile("burst_ms", &bursts, 50.0);
    found.add_percentile("added_p99_ms", &added, 99.0);
    Ok(found)
}

#[derive(Default)]
struct Used {
    ns: f64,
    deltas: usize,
}

impl Used {
    fn add(&mut self, ns: f64, deltas: usize) {
        self.ns += ns;
        self.deltas += deltas;
    }

    fn us_per_delta(&self) -> f64 {
        self.ns / 1000.0 / self.deltas as f64
    }
}

struct Rig {
    server: Server,
    stream: Stream,
    feed: Feed,
}

impl Rig {
    /// Nanoseconds of processor time per nanosecond of doing nothing.
    async fn idle_share(&self) -> Result<f64> {
        let before = cpu_ns(self.server.pid())?;
        tokio::time::sleep(IDLE).await;
        Ok((cpu_ns(self.server.pid())? - before) as f64 / IDLE.as_nanos() as f64)
    }

    /// What `part` gives, and the processor time that it cost beyond idling.
    async fn measured<T>(&mut self, idle: f64, part: impl AsyncFnOnce(&mut Self) -> Result<T>) -> Result<(T, f64)> {
        let (before, began) = (cpu_ns(self.server.pid())?, clock::now());
        let value = part(self).await?;
        let spent = (cpu_ns(self.server.pid())? - before) as f64;
        Ok((value, spent - idle * clock::since(began).as_nanos() as f64))
    }

    async fn say(&self, tempo: Tempo) -> Result<String> {
        self.stream.prepare(tempo)?;
        let session = self.server.rpc.create_session().await?;
        self.server.rpc.call("send_message", &json!({ "sessionId": session, "text": "go" })).await?;
        Ok(session)
    }

    /// Milliseconds from the first byte to the row that holds everything.
    async fn burst(&mut self, words: usize) -> Result<f64> {
        let session = self.say(Tempo { words, every: None }).await?;
        let whole = words * WORD;
        let done = self.feed.item("the whole answer", |item| is_whole(item, &session, whole)).await?;
        let began = self.stream.sent()?;
        Ok(began.first().map_or(0.0, |began| ms_between(*began, done)))
    }

    /// Milliseconds from each word's sending to the answer of the feed that holds it.
    async fn paced(&mut self) -> Result<Vec<f64>> {
        let session = self.say(Tempo { words: PACED, every: Some(PACE) }).await?;
        let mut arrivals: Vec<Instant> = Vec::new();
        loop {
            let (at, answer) = self.feed.next("the next word").await?;
            let streamed = answer["deltas"].as_array().map(Vec::as_slice).unwrap_or_default();
            let reached = streamed.iter().filter_map(reach).max().unwrap_or(0);
            let is_over = items(&answer).any(|item| is_whole(item, &session, PACED * WORD));
            let words = if is_over { PACED } else { reached / WORD };
            arrivals.resize(words.max(arrivals.len()), at);
            if is_over {
                break;
            }
        }
        let sent = self.stream.sent()?;
        Ok(sent.iter().zip(&arrivals).map(|(sent, arrived)| ms_between(*sent, *arrived)).collect())
    }
}

/// How far into the text a delta reaches.
fn reach(delta: &Value) -> Option<usize> {
    let offset = usize::try_from(delta["offset"].as_u64()?).ok()?;
    Some(offset + delta["append"].as_str()?.len())
}

/// The trailing blank may have been taken off.
fn is_whole(item: &Value, session: &str, bytes: usize) -> bool {
    item["sessionId"] == session
        && item["author"] == "model"
        && item["streaming"] == false
        && item["text"].as_str().is_some_and(|text| text.len() + 1 >= bytes)
}
