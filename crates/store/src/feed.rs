//! What changed since a revision: from memory while the asker keeps up, from the rows when it fell behind.

use std::collections::{HashSet, VecDeque};

use gatehouse_domain::{ItemId, NoticeId, ProcessId, Rev, SessionId, TurnId};
use rusqlite::Connection;
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::sql::Col;
use crate::table::profile_meta;

/// How many changes are kept in memory: some seconds of a busy house, at 40 bytes each.
pub const RING: usize = 16_384;

/// The kinds of rows on the feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// A session.
    Session,
    /// A turn.
    Turn,
    /// A transcript entry.
    Item,
    /// A process.
    Process,
    /// A notice.
    Notice,
}

impl RowKind {
    /// The stable text form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Turn => "turn",
            Self::Item => "item",
            Self::Process => "process",
            Self::Notice => "notice",
        }
    }
}

/// A row to be read again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ChangeKey {
    /// A session, or what its overview counts.
    Session(SessionId),
    /// A turn.
    Turn(TurnId),
    /// A transcript entry, or what is inside it.
    Item(ItemId),
    /// A process.
    Process(ProcessId),
    /// A notice.
    Notice(NoticeId),
    /// What is set, or what is silenced.
    Settings,
    /// Which incidents are open, or which reports wait for a person.
    Incidents,
    /// A row that is gone.
    Removed {
        /// What it was.
        kind: RowKind,
        /// Its id.
        id: String,
    },
}

/// The answer to "what changed since".
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changes {
    /// These rows. Each is named once, and read again it is at least as new as `rev`.
    Since {
        /// The rows, the longest unchanged first.
        keys: Vec<ChangeKey>,
        /// Everything up to here is contained: ask from here next time.
        rev: Rev,
    },
    /// It cannot be told any more: read everything again.
    TooOld,
    /// The asker knows a revision that this store has not reached: it speaks of another epoch.
    Future,
}

/// The newest changes, in memory.
pub(crate) struct Ring {
    changes: VecDeque<(Rev, ChangeKey)>,
    capacity: usize,
    /// Every change after this revision is in `changes`.
    floor: Rev,
    /// The newest committed revision.
    last: Rev,
}

impl Ring {
    pub(crate) const fn new(at: Rev, capacity: usize) -> Self {
        Self { changes: VecDeque::new(), capacity, floor: at, last: at }
    }

    pub(crate) fn push(&mut self, rev: Rev, keys: Vec<ChangeKey>) {
        self.changes.extend(keys.into_iter().map(|key| (rev, key)));
        self.last = rev;
        while self.changes.len() > self.capacity {
            if let Some((lost, _)) = self.changes.pop_front() {
                self.floor = lost;
            }
        }
    }

    /// The answer, unless the asker fell behind what is kept.
    pub(crate) fn after(&self, after: Rev, max: usize) -> Option<Changes> {
        if after > self.last {
            return Some(Changes::Future);
        }
        if after < self.floor {
            return None;
        }
        let from = self.changes.partition_point(|(rev, _)| *rev <= after);
        Some(batch(self.changes.range(from..).cloned(), self.last, max))
    }
}

/// Takes whole revisions until `max` keys are reached, and at least one: a revision is never split.
fn batch(changes: impl Iterator<Item = (Rev, ChangeKey)>, last: Rev, max: usize) -> Changes {
    let mut taken: Vec<(Rev, ChangeKey)> = Vec::new();
    let mut distinct = HashSet::new();
    let mut whole = (0, 0); // how many of `taken`, and of them distinct, belong to complete revisions
    let mut upto = last;
    for (rev, key) in changes {
        if let Some((previous, _)) = taken.last()
            && *previous != rev
        {
            whole = (taken.len(), distinct.len());
            upto = *previous;
            if whole.1 >= max {
                taken.truncate(whole.0);
                return Changes::Since { keys: newest(taken), rev: upto };
            }
        }
        distinct.insert(key.clone());
        taken.push((rev, key));
        if distinct.len() > max && whole.0 > 0 {
            taken.truncate(whole.0);
            return Changes::Since { keys: newest(taken), rev: upto };
        }
    }
    Changes::Since { keys: newest(taken), rev: last }
}

/// Each key once, where it stood last.
fn newest(changes: Vec<(Rev, ChangeKey)>) -> Vec<ChangeKey> {
    let mut seen = HashSet::new();
    let mut keys: Vec<ChangeKey> =
        changes.into_iter().rev().filter_map(|(_, key)| seen.insert(key.clone()).then_some(key)).collect();
    keys.reverse();
    keys
}

const BEHIND: &str = "
SELECT rev, kind, id FROM (
    SELECT * FROM (SELECT rev, 'session' AS kind, id FROM session WHERE rev > ?1 ORDER BY rev LIMIT ?2)
    UNION ALL
    SELECT * FROM (SELECT rev, 'turn', id FROM turn WHERE rev > ?1 ORDER BY rev LIMIT ?2)
    UNION ALL
    SELECT * FROM (SELECT rev, 'item', id FROM item WHERE rev > ?1 ORDER BY rev LIMIT ?2)
    UNION ALL
    SELECT * FROM (SELECT rev, 'process', id FROM process WHERE rev > ?1 ORDER BY rev LIMIT ?2)
    UNION ALL
    SELECT * FROM (SELECT rev, 'notice', id FROM notice WHERE rev > ?1 ORDER BY rev LIMIT ?2)
    UNION ALL
    SELECT settings_rev, 'settings', zeroblob(16) FROM profile_meta WHERE settings_rev > ?1
    UNION ALL
    SELECT settings_rev, 'incidents', zeroblob(16) FROM profile_meta WHERE settings_rev > ?1
    UNION ALL
    SELECT * FROM (SELECT rev, 'removed ' || kind, id FROM tombstone WHERE rev > ?1 ORDER BY rev LIMIT ?2)
) ORDER BY rev LIMIT ?2";

/// The answer from the rows, for an asker that fell behind.
pub(crate) fn behind(conn: &Connection, after: Rev, max: usize) -> Result<Changes> {
    let last = profile_meta::rev(conn)?;
    if after > last {
        return Ok(Changes::Future);
    }
    let mut limit = max.saturating_add(1);
    loop {
        let found = changed_rows(conn, after, limit)?;
        let complete = found.len() < limit;
        let one_revision = found.first().map(|c| c.0) == found.last().map(|c| c.0);
        // A full answer that holds one revision only may have cut it in two: read it whole.
        if complete || !one_revision {
            return Ok(batch_of_rows(found, last, max, complete));
        }
        limit = limit.saturating_mul(4);
    }
}

fn batch_of_rows(mut found: Vec<(Rev, ChangeKey)>, last: Rev, max: usize, complete: bool) -> Changes {
    let mut upto = last;
    if !complete && let Some(cut) = found.last().map(|c| c.0) {
        // The last revision may be incomplete, so it is left for the next answer.
        found.retain(|(rev, _)| *rev < cut);
        upto = found.last().map_or(last, |c| c.0);
    }
    batch(found.into_iter(), upto, max)
}

fn changed_rows(conn: &Connection, after: Rev, limit: usize) -> Result<Vec<(Rev, ChangeKey)>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = conn.prepare_cached(BEHIND)?;
    let mut rows = statement.query(rusqlite::params![Col(&after), limit])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let rev = row.get::<_, Col<Rev>>(0)?.0;
        let id = Uuid::from_bytes(row.get(2)?);
        found.push((rev, key(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?, id)?));
    }
    Ok(found)
}

fn key(kind: &str, id: Uuid) -> Result<ChangeKey> {
    let removed = |kind| ChangeKey::Removed { kind, id: id.to_string() };
    match kind {
        "session" => Ok(ChangeKey::Session(SessionId::from_uuid(id))),
        "turn" => Ok(ChangeKey::Turn(TurnId::from_uuid(id))),
        "item" => Ok(ChangeKey::Item(ItemId::from_uuid(id))),
        "process" => Ok(ChangeKey::Process(ProcessId::from_uuid(id))),
        "notice" => Ok(ChangeKey::Notice(NoticeId::from_uuid(id))),
        "settings" => Ok(ChangeKey::Settings),
        "incidents" => Ok(ChangeKey::Incidents),
        "removed session" => Ok(removed(RowKind::Session)),
        "removed turn" => Ok(removed(RowKind::Turn)),
        "removed item" => Ok(removed(RowKind::Item)),
        "removed process" => Ok(removed(RowKind::Process)),
        "removed notice" => Ok(removed(RowKind::Notice)),
        other => Err(Error::BadRow { detail: format!("unknown kind on the feed: {other:?}") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(n: u128) -> ChangeKey {
        ChangeKey::Item(ItemId::from_uuid(Uuid::from_u128(n)))
    }

    fn since(keys: &[u128], rev: u64) -> Option<Changes> {
        Some(Changes::Since { keys: keys.iter().map(|n| item(*n)).collect(), rev: Rev(rev) })
    }

    #[test]
    fn names_each_row_once_and_never_splits_a_revision() {
        let mut ring = Ring::new(Rev(10), 8);
        ring.push(Rev(11), vec![item(1), item(2), item(3)]);
        ring.push(Rev(12), vec![item(1)]);
        ring.push(Rev(13), vec![item(4)]);
        assert_eq!(ring.after(Rev(10), 100), since(&[2, 3, 1, 4], 13));
        assert_eq!(ring.after(Rev(10), 1), since(&[1, 2, 3], 11));
        assert_eq!(ring.after(Rev(10), 3), since(&[1, 2, 3], 11));
        assert_eq!(ring.after(Rev(11), 1), since(&[1], 12));
        assert_eq!(ring.after(Rev(12), 5), since(&[4], 13));
        assert_eq!(ring.after(Rev(13), 5), since(&[], 13));
        assert_eq!(ring.after(Rev(14), 5), Some(Changes::Future));
        assert_eq!(ring.after(Rev(9), 5), None);
    }

    #[test]
    fn forgets_whole_revisions() {
        let mut ring = Ring::new(Rev(0), 2);
        ring.push(Rev(1), vec![item(1), item(2)]);
        ring.push(Rev(2), vec![item(3)]);
        assert_eq!(ring.after(Rev(0), 5), None);
        assert_eq!(ring.after(Rev(1), 5), since(&[3], 2));
    }
}
