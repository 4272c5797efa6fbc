//! The pull feed: whole rows that changed, then words that still stream.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gatehouse_domain::{Epoch, ItemId, ProcessId, Rev};
use gatehouse_store::{
    ChangeKey, Changes, ItemFull, NoticeFull, ProcessRow, RowKind, SessionOverview, Snapshot, Trouble, TurnRow,
};
use gatehouse_text::markdown::Block;
use tokio_util::sync::CancellationToken;

use crate::core::Core;
use crate::engine::EngineNow;
use crate::error::{Error, Result};
use crate::live::LiveText;
use crate::restart::{self, Restarting};

/// Rows in one batch; a batch stays near 64 KiB because rows are bounded.
const BATCH: usize = 64;
/// Clients whose place is remembered; the longest silent one is forgotten first and simply attaches again.
const CLIENTS: usize = 64;

/// One call.
#[derive(Debug, Clone, Default)]
pub struct FeedRequest {
    /// The epoch of what the client has; absent = it trusts its revision.
    pub epoch: Option<String>,
    /// The revision of what the client has.
    pub after: Rev,
    /// How long to wait when there is nothing.
    pub wait: Duration,
    /// Who asks; a newer call of the same client ends the older one.
    pub client: Option<String>,
    /// Typed trees instead of text.
    pub blocks: bool,
}

/// One batch.
#[derive(Debug)]
pub struct FeedBatch {
    /// The store's incarnation.
    pub epoch: Epoch,
    /// Ask again from here.
    pub rev: Rev,
    /// Read everything again, then go on from `rev`.
    pub reset: bool,
    /// Whole rows.
    pub changes: Vec<FeedChange>,
    /// Words that still stream.
    pub deltas: Vec<LiveDelta>,
    /// What the embedded engine does, if the client was told something else.
    pub engine: Option<EngineNow>,
    /// The restart that is under way.
    pub restarting: Option<Restarting>,
    /// What is wrong with the data right now.
    pub trouble: Option<Trouble>,
}

/// A row as it is now, or is no more.
#[derive(Debug)]
pub enum FeedChange {
    /// A session, and the number of its processes that are being ended.
    Session(SessionOverview, u32),
    /// A turn.
    Turn(TurnRow),
    /// An item.
    Item(Box<ItemFull>),
    /// A process.
    Process(ProcessRow),
    /// A notice.
    Notice(Box<NoticeFull>),
    /// What is set, or what is silenced; the revision of the change.
    Settings(Rev),
    /// Which incidents are open, or which reports and words are held; how many there are now.
    Incidents(u32),
    /// A row that is gone.
    Removed {
        /// What it was.
        kind: RowKind,
        /// Which.
        id: String,
    },
}

/// Words for one streaming item.
#[derive(Debug)]
pub enum LiveDelta {
    /// Append at a byte offset.
    Text {
        /// The item.
        item: ItemId,
        /// Where.
        offset: u64,
        /// What.
        append: String,
    },
    /// Keep so many blocks from the front; these follow.
    Blocks {
        /// The item.
        item: ItemId,
        /// How many stay.
        keep: usize,
        /// What follows.
        blocks: Vec<Block>,
    },
}

/// How far each client has come with the words that stream. The lock is held for look-ups only.
#[derive(Debug, Default)]
pub(crate) struct FeedClients {
    places: Mutex<Places>,
}

#[derive(Debug, Default)]
struct Places {
    calls: u64,
    by_client: HashMap<String, Place>,
}

#[derive(Debug, Default)]
struct Place {
    last_call: u64,
    current: CancellationToken,
    texts: HashMap<ItemId, Sent>,
    outputs: u64,
    engine: u64,
    restarting: bool,
    trouble: Option<Trouble>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sent {
    version: u64,
    bytes: usize,
    parses: usize,
}

impl FeedClients {
    /// Begins a call: an older one of the same client ends.
    fn enter(&self, client: &str) -> CancellationToken {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.calls += 1;
        let call = places.calls;
        let current = CancellationToken::new();
        if let Some(older) = places.by_client.get_mut(client) {
            older.current.cancel();
            older.current = current.clone();
            older.last_call = call;
            return current;
        }
        if places.by_client.len() >= CLIENTS {
            let oldest = places.by_client.iter().min_by_key(|(_, p)| p.last_call).map(|(name, _)| name.clone());
            if let Some(oldest) = oldest {
                places.by_client.remove(&oldest);
            }
        }
        let place = Place { last_call: call, current: current.clone(), ..Place::default() };
        places.by_client.insert(client.to_owned(), place);
        current
    }

    fn with<T>(&self, client: &str, look: impl FnOnce(&mut Place) -> T) -> T {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        look(places.by_client.entry(client.to_owned()).or_default())
    }
}

/// Answers as soon as there is something, or when the wait is over.
pub(crate) async fn next(core: &Core, request: FeedRequest) -> Result<FeedBatch> {
    // Callers without a name share one place and end nobody.
    let client = request.client.clone().unwrap_or_default();
    let current = if request.client.is_some() { core.feeds.enter(&client) } else { CancellationToken::new() };
    let deadline = tokio::time::sleep(request.wait);
    tokio::pin!(deadline);
    let (mut rows, mut live, mut engine) = (core.store.watch(), core.live.watch(), core.engine.watch());
    let (mut restarting, mut trouble) = (core.restart.watch(), core.store.watch_trouble());
    loop {
        rows.borrow_and_update();
        live.borrow_and_update();
        engine.borrow_and_update();
        restarting.borrow_and_update();
        trouble.borrow_and_update();
        let batch = collect(core, &client, &request)?;
        let told = !batch.changes.is_empty() || !batch.deltas.is_empty() || batch.engine.is_some();
        let told = core.feeds.with(&client, |place| restart_news(place, &batch) | trouble_news(place, &batch)) || told;
        if batch.reset || told || batch.rev != request.after {
            return Ok(batch);
        }
        tokio::select! {
            () = &mut deadline => return Ok(batch),
            () = current.cancelled() => return Err(Error::Superseded),
            () = core.closing.cancelled() => return Err(Error::ShuttingDown),
            changed = rows.changed() => changed.map_err(|_| Error::ShuttingDown)?,
            changed = live.changed() => changed.map_err(|_| Error::ShuttingDown)?,
            changed = engine.changed() => changed.map_err(|_| Error::ShuttingDown)?,
            changed = restarting.changed() => changed.map_err(|_| Error::ShuttingDown)?,
            changed = trouble.changed() => changed.map_err(|_| Error::ShuttingDown)?,
        }
    }
}

fn collect(core: &Core, client: &str, request: &FeedRequest) -> Result<FeedBatch> {
    let epoch = core.store.epoch();
    let other_epoch = request.epoch.as_ref().is_some_and(|e| *e != epoch.to_string());
    if other_epoch {
        return reset(core, client, epoch);
    }
    let (keys, rev) = match core.store.changes_after(request.after, BATCH) {
        Changes::Since { keys, rev } => (keys, rev),
        Changes::TooOld | Changes::Future => return reset(core, client, epoch),
    };
    let mut changes = if keys.is_empty() { Vec::new() } else { core.store.read(|s| load(core, s, &keys))? };
    grown_outputs(core, client, &keys, &mut changes)?;
    let deltas = core.feeds.with(client, |place| deltas(core, place, request.blocks, rev));
    let engine = core.feeds.with(client, |place| engine_news(core, place));
    let (restarting, trouble) = (restart::now(core)?, core.store.trouble());
    Ok(FeedBatch { epoch, rev, reset: false, changes, deltas, engine, restarting, trouble })
}

/// A restart is told in every batch while it is under way; a client that waits is told when it begins.
const fn restart_news(place: &mut Place, batch: &FeedBatch) -> bool {
    let fresh = batch.restarting.is_some() && !place.restarting;
    place.restarting = batch.restarting.is_some();
    fresh
}

/// Trouble with the data is told in every batch while it lasts; a client that waits is told when it begins, becomes
/// another one, or is over.
fn trouble_news(place: &mut Place, batch: &FeedBatch) -> bool {
    let fresh = batch.trouble != place.trouble;
    place.trouble.clone_from(&batch.trouble);
    fresh
}

/// What was there at the start is told by its own command only.
fn engine_news(core: &Core, place: &mut Place) -> Option<EngineNow> {
    let told = core.engine.watch().borrow().clone();
    let fresh = place.engine != told.version;
    place.engine = told.version;
    fresh.then_some(told.now)
}

/// What the client has is of no use; what streams is sent to it again from the start.
fn reset(core: &Core, client: &str, epoch: Epoch) -> Result<FeedBatch> {
    core.feeds.with(client, |place| {
        place.texts.clear();
        place.engine = 0;
        place.outputs = core.live.version();
    });
    let (rev, restarting, trouble) = (core.store.rev(), restart::now(core)?, core.store.trouble());
    let (changes, deltas) = (Vec::new(), Vec::new());
    Ok(FeedBatch { epoch, rev, reset: true, changes, deltas, engine: None, restarting, trouble })
}

fn load(core: &Core, snap: &Snapshot<'_>, keys: &[ChangeKey]) -> gatehouse_store::Result<Vec<FeedChange>> {
    let mut changes = Vec::with_capacity(keys.len());
    for key in keys {
        // A row that is gone meanwhile has its own tombstone further on.
        changes.extend(match key {
            ChangeKey::Session(id) => {
                snap.sessions().overview(*id)?.map(|o| FeedChange::Session(o, core.live.reaping_of(*id)))
            }
            ChangeKey::Turn(id) => snap.turns().get(*id)?.map(FeedChange::Turn),
            ChangeKey::Item(id) => {
                snap.items().full(*id)?.map(|item| FeedChange::Item(Box::new(with_live_words(core, item))))
            }
            ChangeKey::Process(id) => snap.processes().get(*id)?.map(FeedChange::Process),
            ChangeKey::Notice(id) => snap.notices().get(*id)?.map(|notice| FeedChange::Notice(Box::new(notice))),
            ChangeKey::Settings => Some(FeedChange::Settings(snap.settings_rev()?)),
            ChangeKey::Incidents => {
                let held = snap.units().held()?.len() + snap.outbox().held()?.len();
                let held = u32::try_from(held).unwrap_or(u32::MAX);
                Some(FeedChange::Incidents(snap.incidents().open_count()?.saturating_add(held)))
            }
            ChangeKey::Removed { kind, id } => Some(FeedChange::Removed { kind: *kind, id: id.clone() }),
        });
    }
    Ok(changes)
}

/// A row that streams shows the words so far, not those that were last saved.
pub(crate) fn with_live_words(core: &Core, mut item: ItemFull) -> ItemFull {
    if item.row.streaming
        && let Some(text) = core.live.text(item.row.id)
    {
        item.row.text = text;
    }
    item
}

/// Output that grew is no durable change, but the rows of those processes look different now.
fn grown_outputs(core: &Core, client: &str, keys: &[ChangeKey], changes: &mut Vec<FeedChange>) -> Result<()> {
    let known = core.feeds.with(client, |place| std::mem::replace(&mut place.outputs, core.live.version()));
    let contained = |id: &ProcessId| keys.contains(&ChangeKey::Process(*id));
    let grown: Vec<_> = core.live.outputs_after(known).into_iter().filter(|id| !contained(id)).collect();
    if !grown.is_empty() {
        let rows = core
            .store
            .read(|s| grown.iter().map(|id| s.processes().get(*id)).collect::<gatehouse_store::Result<Vec<_>>>())?;
        changes.extend(rows.into_iter().flatten().map(FeedChange::Process));
    }
    Ok(())
}

fn deltas(core: &Core, place: &mut Place, blocks: bool, rev: Rev) -> Vec<LiveDelta> {
    core.live.with_texts(|texts| {
        // A text is here only after its row was written, so a batch that reaches the newest revision has told the row.
        if rev < core.store.rev() {
            return Vec::new();
        }
        place.texts.retain(|item, _| texts.contains_key(item));
        let streaming = texts.iter_mut().filter(|(_, live)| !live.closed);
        streaming.filter_map(|(item, live)| delta(*item, live, &mut place.texts, blocks)).collect()
    })
}

fn delta(item: ItemId, live: &mut LiveText, places: &mut HashMap<ItemId, Sent>, blocks: bool) -> Option<LiveDelta> {
    let fresh = !places.contains_key(&item);
    let sent = places.entry(item).or_default();
    if !fresh && sent.version == live.version {
        return None;
    }
    sent.version = live.version;
    if blocks {
        live.parse();
        let keep = if fresh { 0 } else { live.kept_since(sent.parses) };
        sent.parses = live.parses();
        Some(LiveDelta::Blocks { item, keep, blocks: live.blocks[keep..].to_vec() })
    } else if live.text.len() > sent.bytes {
        let append = live.text[sent.bytes..].to_owned();
        let offset = sent.bytes as u64;
        sent.bytes = live.text.len();
        Some(LiveDelta::Text { item, offset, append })
    } else {
        None
    }
}
