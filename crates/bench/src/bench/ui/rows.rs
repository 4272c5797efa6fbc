//! A profile with one session of a million entries, and one of none.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gatehouse_domain::{Author, EpochMs, IdSource, ItemId, ItemKind, SessionId};
use gatehouse_store::{NewItem, NewSession, Store};
use uuid::Uuid;

use crate::error::{Doing, Result};

/// What the sessions are called.
pub(super) const LONG: &str = "A million entries";
pub(super) const EMPTY: &str = "No entries";

const ENTRIES: u64 = 1_000_000;
/// So many share a transaction.
const BATCH: u64 = 20_000;
/// The first entry's time; a second passes from each to the next.
const BEGIN_MS: u64 = 1_700_000_000_000;

/// Ids in their order, without a clock.
#[derive(Debug, Default)]
struct Counter(AtomicU64);

impl IdSource for Counter {
    fn fresh(&self) -> Uuid {
        let n = self.0.fetch_add(1, Ordering::Relaxed);
        let version_and_variant = (7 << 76) | (2 << 62);
        Uuid::from_u128(u128::from(BEGIN_MS + n / 1000) << 80 | version_and_variant | u128::from(n))
    }
}

/// What stands in the last entry.
pub(super) fn last_words() -> String {
    words(ENTRIES - 1)
}

fn words(n: u64) -> String {
    format!("Entry {n} of a long conversation")
}

/// Writes both sessions into a new profile of `home`.
pub(super) async fn write(home: &Path) -> Result<()> {
    let ids = Arc::new(Counter::default());
    let store = Store::open(&home.join("profiles").join("default"), Arc::clone(&ids) as Arc<dyn IdSource>)
        .doing("making a store")?;
    let long = SessionId::from_uuid(ids.fresh());
    let empty = SessionId::from_uuid(ids.fresh());
    let sessions = [(empty, EMPTY), (long, LONG)].map(|(id, title)| NewSession {
        id,
        title: title.to_owned(),
        client_key: None,
        route: format!("desktop:{id}"),
        delegated_from: None,
        at: EpochMs(BEGIN_MS.cast_signed()),
    });
    store
        .write(move |tx| sessions.iter().try_for_each(|session| tx.sessions_mut().insert(session).map(drop)))
        .await
        .doing("writing sessions")?;
    for first in (0..ENTRIES).step_by(BATCH as usize) {
        let ids = Arc::clone(&ids);
        let insert = move |tx: &gatehouse_store::Tx<'_>| {
            (first..first + BATCH).try_for_each(|n| tx.items_mut().insert(&entry(&ids, long, n)).map(drop))
        };
        store.write(insert).await.doing("writing entries")?;
    }
    store.close();
    Ok(())
}

/// People and models take turns; every tenth answer is long.
fn entry(ids: &Counter, session: SessionId, n: u64) -> NewItem {
    let author = if n.is_multiple_of(2) { Author::Human } else { Author::Model };
    let text =
        if n % 20 == 1 { format!("{}\n\n{}", words(n), "It goes on for a while. ".repeat(30)) } else { words(n) };
    NewItem {
        id: ItemId::from_uuid(ids.fresh()),
        session,
        turn: None,
        author,
        kind: ItemKind::Message,
        text,
        streaming: false,
        failure: None,
        retryable: false,
        admission: None,
        at: EpochMs((BEGIN_MS + n * 1000).cast_signed()),
    }
}
