//! What is true but not durable: words that still stream, output that still grows, stops that still run.
//!
//! Everything here can be lost in a crash without breaking a promise: partial words are saved about once a second,
//! output lies in its run directory, and a stop is resumed from the process's row.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gatehouse_domain::{EpochMs, ItemId, ProcessId, SessionId};
use gatehouse_text::markdown::{Block, Stream};
use tokio::sync::watch;

/// The lock of [`Live`] is held for look-ups, appends and the parse of one frame's words, never over an await.
#[derive(Debug)]
pub(crate) struct Live {
    state: Mutex<State>,
    version: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    version: u64,
    texts: HashMap<ItemId, LiveText>,
    outputs: HashMap<ProcessId, LiveOutput>,
    reaping: HashMap<SessionId, u32>,
    left_behind: HashMap<ProcessId, Vec<u32>>,
    ports: HashMap<ProcessId, Vec<u16>>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("version", &self.version).finish_non_exhaustive()
    }
}

/// Words of one streaming item.
pub(crate) struct LiveText {
    pub version: u64,
    /// Its row is about to be final: nothing more is told about it from here.
    pub closed: bool,
    pub text: String,
    parser: Stream,
    parsed: usize,
    /// The typed tree up to `parsed`.
    pub blocks: Vec<Block>,
    /// How many blocks each parse left alone, in order.
    keeps: Vec<usize>,
}

impl LiveText {
    /// Brings the tree up to the text. Called when somebody looks, so many deltas cost one parse.
    pub fn parse(&mut self) {
        if self.parsed == self.text.len() {
            return;
        }
        let update = self.parser.push(&self.text[self.parsed..]);
        self.parsed = self.text.len();
        self.blocks.truncate(update.keep);
        self.blocks.extend(update.blocks);
        self.keeps.push(update.keep);
    }

    /// How many parses there were.
    pub fn parses(&self) -> usize {
        self.keeps.len()
    }

    /// How many blocks from the front are as they were after so many parses.
    pub fn kept_since(&self, parses: usize) -> usize {
        self.keeps[parses..].iter().copied().min().unwrap_or(self.blocks.len())
    }
}

/// How far one process's output has come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LiveOutput {
    pub version: u64,
    pub total: u64,
    pub at: EpochMs,
}

impl Default for Live {
    fn default() -> Self {
        Self { state: Mutex::default(), version: watch::Sender::new(0) }
    }
}

impl Live {
    /// Wakes whenever anything here changes.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    pub fn begin_text(&self, item: ItemId) {
        self.change(|state, version| {
            let live = LiveText {
                version,
                closed: false,
                text: String::new(),
                parser: Stream::new(),
                parsed: 0,
                blocks: Vec::new(),
                keeps: Vec::new(),
            };
            state.texts.insert(item, live);
        });
    }

    pub fn append(&self, item: ItemId, delta: &str) {
        self.change(|state, version| {
            if let Some(live) = state.texts.get_mut(&item) {
                live.text.push_str(delta);
                live.version = version;
            }
        });
    }

    /// The words so far.
    pub fn text(&self, item: ItemId) -> Option<String> {
        self.lock().texts.get(&item).map(|live| live.text.clone())
    }

    /// The item's row is about to hold the whole text.
    pub fn close_text(&self, item: ItemId) {
        if let Some(live) = self.lock().texts.get_mut(&item) {
            live.closed = true;
        }
    }

    /// The item's row holds the whole text now.
    pub fn end_text(&self, item: ItemId) {
        self.change(|state, _| state.texts.remove(&item));
    }

    /// Looks at every streaming item.
    pub fn with_texts<T>(&self, look: impl FnOnce(&mut HashMap<ItemId, LiveText>) -> T) -> T {
        look(&mut self.lock().texts)
    }

    pub fn grew(&self, process: ProcessId, total: u64, at: EpochMs) {
        self.change(|state, version| {
            let live = state.outputs.entry(process).or_insert(LiveOutput { version, total, at });
            if total >= live.total {
                *live = LiveOutput { version, total, at };
            }
        });
    }

    pub fn output(&self, process: ProcessId) -> Option<LiveOutput> {
        self.lock().outputs.get(&process).copied()
    }

    /// Processes whose output grew after `version`.
    pub fn outputs_after(&self, version: u64) -> Vec<ProcessId> {
        self.lock().outputs.iter().filter(|(_, live)| live.version > version).map(|(id, _)| *id).collect()
    }

    /// The process's row holds the final total now.
    pub fn end_output(&self, process: ProcessId) {
        let mut state = self.lock();
        state.outputs.remove(&process);
        state.ports.remove(&process);
    }

    /// On which ports it was last seen to serve.
    pub fn serves(&self, process: ProcessId, ports: &[u16]) {
        let mut state = self.lock();
        if ports.is_empty() {
            state.ports.remove(&process);
        } else if state.ports.get(&process).is_none_or(|known| known != ports) {
            state.ports.insert(process, ports.to_vec());
        }
    }

    pub fn ports(&self, process: ProcessId) -> Option<Vec<u16>> {
        self.lock().ports.get(&process).cloned()
    }

    /// Who lives on after the direct child's end; nobody once the tree is empty.
    pub fn leave_behind(&self, process: ProcessId, survivors: Vec<u32>) {
        let mut state = self.lock();
        if survivors.is_empty() {
            state.left_behind.remove(&process);
        } else {
            state.left_behind.insert(process, survivors);
        }
    }

    pub fn left_behind(&self, process: ProcessId) -> Vec<u32> {
        self.lock().left_behind.get(&process).cloned().unwrap_or_default()
    }

    pub fn version(&self) -> u64 {
        self.lock().version
    }

    /// Adds to the number of processes that a session's stopped turns still wait for.
    pub fn reaping(&self, session: SessionId, change: i32) {
        self.change(|state, _| {
            let count = state.reaping.entry(session).or_default();
            *count = count.saturating_add_signed(change);
            if *count == 0 {
                state.reaping.remove(&session);
            }
        });
    }

    pub fn reaping_of(&self, session: SessionId) -> u32 {
        self.lock().reaping.get(&session).copied().unwrap_or(0)
    }

    fn change<T>(&self, apply: impl FnOnce(&mut State, u64) -> T) -> T {
        let mut state = self.lock();
        state.version += 1;
        let version = state.version;
        let result = apply(&mut state, version);
        drop(state);
        self.version.send_replace(version);
        result
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic while the lock was held leaves whole values behind: every write is one assignment or insert.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
