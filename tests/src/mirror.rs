//! A client that follows the feed and holds what it was told, strictly by the rules: a gap is a failure.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{LIMIT, Refusal, Result, Rpc, Window};

/// One wait of a long poll.
const WAIT: Duration = Duration::from_secs(10);

/// How commands travel.
#[derive(Debug, Clone)]
pub enum Line {
    /// A script's HTTP.
    Script(Rpc),
    /// A window's socket.
    Window(Window),
}

impl Line {
    /// Runs one command.
    pub async fn call(&self, command: &str, params: Value) -> Result<Value, Refusal> {
        match self {
            Self::Script(rpc) => rpc.call(command, params).await,
            Self::Window(window) => window.call(command, params).await,
        }
    }
}

impl From<&Rpc> for Line {
    fn from(rpc: &Rpc) -> Self {
        Self::Script(rpc.clone())
    }
}

impl From<Window> for Line {
    fn from(window: Window) -> Self {
        Self::Window(window)
    }
}

/// What one client has been told.
#[derive(Debug)]
pub struct Mirror {
    line: Line,
    client: String,
    blocks: bool,
    /// The epoch it was told.
    pub epoch: Option<String>,
    /// How far it has come.
    pub rev: u64,
    /// Times that it had to read everything again.
    pub resets: u32,
    /// Sessions by id.
    pub sessions: BTreeMap<String, Value>,
    /// Turns by id.
    pub turns: BTreeMap<String, Value>,
    /// Items by id.
    pub items: BTreeMap<String, Value>,
    /// Processes by id.
    pub processes: BTreeMap<String, Value>,
    /// Texts that stream, by item.
    pub texts: BTreeMap<String, String>,
    /// Trees that stream, by item.
    pub trees: BTreeMap<String, Vec<Value>>,
    /// What the embedded engine did, each time it was told, in order.
    pub engine: Vec<Value>,
    /// How often it was told that what is set has changed.
    pub settings_told: u32,
    removed: BTreeSet<String>,
    /// Every change in the order in which it came.
    pub log: Vec<Value>,
}

impl Mirror {
    /// Attaches under a name, with nothing known.
    pub fn attach(line: impl Into<Line>, client: &str) -> Self {
        Self {
            line: line.into(),
            client: client.to_owned(),
            blocks: false,
            epoch: None,
            rev: 0,
            resets: 0,
            sessions: BTreeMap::new(),
            turns: BTreeMap::new(),
            items: BTreeMap::new(),
            processes: BTreeMap::new(),
            texts: BTreeMap::new(),
            trees: BTreeMap::new(),
            engine: Vec::new(),
            settings_told: 0,
            removed: BTreeSet::new(),
            log: Vec::new(),
        }
    }

    /// Asks for typed trees.
    pub fn with_blocks(self) -> Self {
        Self { blocks: true, ..self }
    }

    /// Goes on at the next server; words that only the earlier one held may never be finished.
    pub fn move_to(&mut self, line: impl Into<Line>) {
        self.line = line.into();
        self.texts.clear();
        self.trees.clear();
    }

    /// Waits until `look` finds something, asking the feed each time it does not.
    pub async fn until<T>(&mut self, what: &str, mut look: impl FnMut(&Self) -> Option<T>) -> Result<T> {
        let deadline = Instant::now() + LIMIT;
        loop {
            if let Some(found) = look(self) {
                // A row may be told newer than its batch; what was written with it comes right behind.
                let mut before = None;
                while before != Some(self.rev) {
                    before = Some(self.rev);
                    self.step(Duration::ZERO).await?;
                }
                return Ok(found);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(format!("not in time: {what}. {}", self.words()).into());
            }
            self.step(left.min(WAIT)).await.map_err(|error| format!("while waiting for {what}: {error}"))?;
        }
    }

    /// Waits until so many reports have been told in a session, and nothing is at work there.
    pub async fn reported(&mut self, session: &str, reports: usize) -> Result {
        let told = |m: &Self| (m.units(session).len() == reports && m.rests(session)).then_some(());
        self.until(&format!("{reports} reports"), told).await
    }

    /// Waits until so many incidents are open, and reads them: the row of an incident is on no feed, that it came is.
    pub async fn incidents(&mut self, many: usize) -> Result<Vec<Value>> {
        let deadline = Instant::now() + LIMIT;
        loop {
            let reply = self.line.call("list_incidents", json!({})).await?;
            let open = rows(&reply["incidents"]);
            if open.len() == many {
                return Ok(open);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(format!("not in time: {many} incidents. There are {open:#?}").into());
            }
            self.step(left.min(WAIT)).await?;
        }
    }

    /// Takes everything that is there already.
    pub async fn catch_up(&mut self) -> Result {
        loop {
            let before = self.rev;
            if !self.step(Duration::ZERO).await? && self.rev == before {
                return Ok(());
            }
        }
    }

    /// Asks once; true when something came.
    pub async fn step(&mut self, wait: Duration) -> Result<bool> {
        let params = json!({
            "epoch": self.epoch, "afterRev": self.rev, "waitMs": u64::try_from(wait.as_millis())?,
            "clientId": self.client, "blocks": self.blocks,
        });
        let feed = self.line.call("next_feed", params).await?;
        let rev = feed["rev"].as_u64().ok_or("a feed without a revision")?;
        if feed["reset"] == true {
            self.epoch = feed["epoch"].as_str().map(str::to_owned);
            self.rev = rev;
            self.read_all().await?;
            return Ok(true);
        }
        if self.epoch.is_some() && self.epoch.as_deref() != feed["epoch"].as_str() {
            return Err("another epoch without a reset".into());
        }
        if rev < self.rev {
            return Err(format!("the feed went back from {} to {rev}", self.rev).into());
        }
        self.epoch = feed["epoch"].as_str().map(str::to_owned);
        self.rev = rev;
        let (changes, deltas) = (rows(&feed["changes"]), rows(&feed["deltas"]));
        let engine = feed.get("engine").filter(|engine| !engine.is_null());
        let any = !changes.is_empty() || !deltas.is_empty() || engine.is_some();
        self.engine.extend(engine.cloned());
        changes.into_iter().try_for_each(|change| self.change(change))?;
        deltas.iter().try_for_each(|delta| self.delta(delta))?;
        Ok(any)
    }

    /// Items of a session in their order.
    pub fn transcript(&self, session: &str) -> Vec<&Value> {
        let mut items: Vec<_> = self.items.values().filter(|item| item["sessionId"] == session).collect();
        items.sort_by_key(|item| item["seq"].as_u64());
        items
    }

    /// Items of one kind, in their order.
    pub fn of_kind(&self, session: &str, kind: &str) -> Vec<&Value> {
        self.transcript(session).into_iter().filter(|item| item["kind"] == kind).collect()
    }

    /// Every unit of every note of a session.
    pub fn units(&self, session: &str) -> Vec<&Value> {
        let notes = self.of_kind(session, "machine_note");
        notes.into_iter().flat_map(|note| note["units"].as_array().into_iter().flatten()).collect()
    }

    /// What the model said, message by message.
    pub fn said(&self, session: &str) -> Vec<&str> {
        let messages = self.of_kind(session, "message").into_iter().filter(|item| item["author"] == "model");
        messages.filter(|item| item["streaming"] == false).filter_map(|item| item["text"].as_str()).collect()
    }

    /// The card of a call.
    pub fn card(&self, session: &str, call: &str) -> Option<&Value> {
        let found = self.of_kind(session, "tool_call").into_iter().find(|item| item["card"]["id"] == call);
        found.map(|item| &item["card"])
    }

    /// Turns of a session, in their order.
    pub fn turns_of(&self, session: &str) -> Vec<&Value> {
        let mut turns: Vec<_> = self.turns.values().filter(|turn| turn["sessionId"] == session).collect();
        turns.sort_by_key(|turn| turn["number"].as_u64());
        turns
    }

    /// Whether a session rests: some turns were taken and none runs.
    pub fn rests(&self, session: &str) -> bool {
        let turns = self.turns_of(session);
        !turns.is_empty() && turns.iter().all(|turn| turn["state"] != "running")
    }

    fn change(&mut self, change: Value) -> Result {
        self.log.push(change.clone());
        match change["type"].as_str() {
            Some("session") => keep(&mut self.sessions, &change["session"], "sessionId"),
            Some("turn") => keep(&mut self.turns, &change["turn"], "turnId"),
            Some("process") => keep(&mut self.processes, &change["process"], "processId"),
            Some("item") => {
                let item = &change["item"];
                if item["streaming"] == false {
                    self.settle(item)?;
                }
                keep(&mut self.items, item, "itemId")
            }
            Some("settings") => {
                self.settings_told += 1;
                Ok(())
            }
            Some("removed") => {
                let id = change["id"].as_str().unwrap_or_default();
                for rows in [&mut self.sessions, &mut self.turns, &mut self.items, &mut self.processes] {
                    rows.remove(id);
                }
                self.texts.remove(id);
                self.trees.remove(id);
                self.removed.insert(id.to_owned());
                Ok(())
            }
            // Clients ignore what they do not know.
            Some(_) => Ok(()),
            None => Err(format!("a change without a type: {change}").into()),
        }
    }

    /// A text that streamed must be the beginning of what it became.
    fn settle(&mut self, item: &Value) -> Result {
        let id = item["itemId"].as_str().unwrap_or_default();
        self.trees.remove(id);
        let (streamed, whole) = (self.texts.remove(id).unwrap_or_default(), item["text"].as_str().unwrap_or_default());
        if whole.starts_with(&streamed) {
            return Ok(());
        }
        Err(format!("an item streamed {streamed:?} and became {whole:?}").into())
    }

    fn delta(&mut self, delta: &Value) -> Result {
        let id = delta["itemId"].as_str().ok_or("a delta without an item")?.to_owned();
        if self.removed.contains(&id) || self.items.get(&id).is_some_and(|item| item["streaming"] == false) {
            // Its final row was newer than what this batch was asked for.
            return Ok(());
        }
        if let Some(blocks) = delta["blocks"].as_array() {
            let tree = self.trees.entry(id).or_default();
            let keep = usize::try_from(delta["keepBlocks"].as_u64().unwrap_or(0))?;
            if keep > tree.len() {
                return Err(format!("{keep} blocks shall stay, and there are {}", tree.len()).into());
            }
            tree.truncate(keep);
            tree.extend(blocks.iter().cloned());
            return Ok(());
        }
        let (offset, append) = (delta["offset"].as_u64().unwrap_or(0), delta["append"].as_str().unwrap_or_default());
        let text = self.texts.entry(id).or_default();
        if offset == 0 {
            text.clear();
        }
        if usize::try_from(offset)? != text.len() {
            return Err(format!("a delta at {offset}, and {} bytes are there", text.len()).into());
        }
        text.push_str(append);
        Ok(())
    }

    /// What a reset asks for. Turns are in no list, so those that were known stay.
    async fn read_all(&mut self) -> Result {
        self.resets += 1;
        for rows in [&mut self.sessions, &mut self.items, &mut self.processes] {
            rows.clear();
        }
        self.texts.clear();
        self.trees.clear();
        for session in rows(&self.line.call("list_sessions", json!({})).await?["sessions"]) {
            let mut after = json!(0);
            loop {
                let params = json!({
                    "sessionId": session["sessionId"], "afterSeq": after, "limit": 1000, "blocks": self.blocks,
                });
                let page = rows(&self.line.call("list_items", params).await?["items"]);
                let Some(last) = page.last() else { break };
                after = last["seq"].clone();
                for item in &page {
                    keep(&mut self.items, item, "itemId")?;
                }
            }
            keep(&mut self.sessions, &session, "sessionId")?;
        }
        let all = self.line.call("list_processes", json!({"includeFinished": true})).await?;
        rows(&all["processes"]).iter().try_for_each(|process| keep(&mut self.processes, process, "processId"))
    }

    fn words(&self) -> String {
        let brief = |item: &Value| {
            let text: String = item["text"].as_str().unwrap_or_default().chars().take(80).collect();
            let state = if item["card"].is_object() { &item["card"]["status"] } else { &item["state"] };
            format!("\n  {} {} {} {state} {text:?}", item["seq"], item["author"], item["kind"])
        };
        let mut items: Vec<_> = self.items.values().collect();
        items.sort_by_key(|item| (item["sessionId"].as_str(), item["seq"].as_u64()));
        let newest = items.len().saturating_sub(20);
        let items: String = items[newest..].iter().map(|item| brief(item)).collect();
        let turns: Vec<_> = self.turns.values().map(|turn| format!("{} {}", turn["cause"], turn["state"])).collect();
        let states: Vec<_> = self.processes.values().map(|process| process["state"].to_string()).collect();
        let (turns, states) = (turns.join(", "), states.join(", "));
        format!("At revision {}; turns: {turns}; processes: {states}; items:{items}", self.rev)
    }
}

fn rows(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

fn keep(rows: &mut BTreeMap<String, Value>, row: &Value, id: &str) -> Result {
    let id = row[id].as_str().ok_or_else(|| format!("a row without {id}: {row}"))?;
    rows.insert(id.to_owned(), row.clone());
    Ok(())
}
