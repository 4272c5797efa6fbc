//! Transcript entries, and the search over their text.

use gatehouse_domain::{AdmissionId, Author, EpochMs, FailureCode, ItemId, ItemKind, Rev, SessionId, TurnId};
use rusqlite::Connection;

use super::approval::ApprovalRow;
use super::card::CardRow;
use super::task::{TaskRow, Tasks};
use super::tombstone;
use super::unit::{UnitRow, Units};
use crate::error::Result;
use crate::feed::{ChangeKey, RowKind};
use crate::health::index;
use crate::sql::{Cursor, Record, all, args, change, first, missing, record, value};
use crate::tx::Tx;

pub(crate) const INITIAL: &str = "
CREATE TABLE item (
    n         INTEGER PRIMARY KEY AUTOINCREMENT, -- what the search index points at
    id        BLOB    NOT NULL UNIQUE,
    session   BLOB    NOT NULL REFERENCES session (id),
    seq       INTEGER NOT NULL,
    turn      BLOB,
    author    TEXT    NOT NULL,
    kind      TEXT    NOT NULL,
    text      TEXT    NOT NULL DEFAULT '',
    streaming INTEGER NOT NULL DEFAULT 0,
    failure   TEXT,
    retryable INTEGER NOT NULL DEFAULT 0,
    admission BLOB,
    at        INTEGER NOT NULL,
    rev       INTEGER NOT NULL,
    UNIQUE (session, seq)
) STRICT;
CREATE INDEX item_rev ON item (rev);
CREATE INDEX item_streaming ON item (session) WHERE streaming = 1;

-- Filled by hand: a trigger makes SQLite write the index out after every single row.
CREATE VIRTUAL TABLE item_fts USING fts5 (text, content = 'item', content_rowid = 'n');
";

/// Files that an answer names, as whoever looked at them writes them down.
pub(crate) const WITH_FILES: &str = "
ALTER TABLE item ADD COLUMN files TEXT NOT NULL DEFAULT '';
";

record! {
    /// A transcript entry.
    ItemRow of "item" {
        /// Its id.
        id: ItemId,
        /// Whose transcript.
        session: SessionId,
        /// Its place in it, from 1.
        seq: u64,
        /// The turn that made it or answers it.
        turn: Option<TurnId>,
        /// Who made it.
        author: Author,
        /// What it is.
        kind: ItemKind,
        /// Its words; a card's and an approval's are in their own rows.
        text: String,
        /// Whether more words are to come.
        streaming: bool,
        /// Why its turn gave no answer.
        failure: Option<FailureCode>,
        /// Whether trying again makes sense.
        retryable: bool,
        /// The input it came from.
        admission: Option<AdmissionId>,
        /// When it was made.
        at: EpochMs,
        /// The revision of its last change.
        rev: Rev,
        /// The files that it names, as text; empty where it names none.
        files: String,
    }
}

/// An entry with everything that is shown inside it.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemFull {
    /// The entry.
    pub row: ItemRow,
    /// The task card, for a tool call.
    pub card: Option<CardRow>,
    /// The question, for an approval.
    pub approval: Option<ApprovalRow>,
    /// The reports told, for a machine note.
    pub units: Vec<UnitRow>,
    /// The tasks handed on, for a delegation; those that its reports tell of, for a machine note.
    pub tasks: Vec<TaskRow>,
}

/// A place where words were found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The transcript.
    pub session: SessionId,
    /// The place in it.
    pub seq: u64,
    /// The words around it.
    pub snippet: String,
}

/// Transcript entries, to be read.
pub struct Items<'c> {
    pub(crate) conn: &'c Connection,
}

const FULL: &str = "FROM item LEFT JOIN card ON card.item = item.id LEFT JOIN approval ON approval.item = item.id";

impl Items<'_> {
    /// The entry with this id.
    pub fn get(&self, id: ItemId) -> Result<Option<ItemRow>> {
        first(self.conn, "FROM item WHERE id = ?1", args![id])
    }

    /// The entry with this id and everything inside it.
    pub fn full(&self, id: ItemId) -> Result<Option<ItemFull>> {
        Ok(self.fulls("WHERE item.id = ?1", args![id])?.pop())
    }

    /// At most `limit` entries in ascending order: those right after `after`; else the last ones before `before`;
    /// else the newest. With both bounds, those right after `after` that are before `before`.
    pub fn page(
        &self,
        session: SessionId,
        after: Option<u64>,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<ItemFull>> {
        // No sequence number reaches SQLite's largest integer, so it stands for "no bound".
        let before = before.unwrap_or(i64::MAX as u64);
        match after {
            Some(after) => self.fulls(
                "WHERE item.session = ?1 AND item.seq > ?2 AND item.seq < ?3 ORDER BY item.seq LIMIT ?4",
                args![session, after, before, limit],
            ),
            None => {
                let mut newest = self.fulls(
                    "WHERE item.session = ?1 AND item.seq < ?2 ORDER BY item.seq DESC LIMIT ?3",
                    args![session, before, limit],
                )?;
                newest.reverse();
                Ok(newest)
            }
        }
    }

    /// The whole transcript in ascending order.
    pub fn transcript(&self, session: SessionId) -> Result<Vec<ItemFull>> {
        self.fulls("WHERE item.session = ?1 ORDER BY item.seq", args![session])
    }

    /// Entries whose words were still coming when last written.
    pub fn streaming(&self) -> Result<Vec<ItemRow>> {
        all(self.conn, "FROM item WHERE streaming = 1 ORDER BY item.session, item.seq", [])
    }

    /// Finished entries of one session, or of all, that hold every word of `query`, the newest first: ranking would read
    /// every match. The last word may be a beginning.
    pub fn search(&self, query: &str, session: Option<SessionId>, limit: u32) -> Result<Vec<Hit>> {
        let Some(expression) = match_expression(query) else { return Ok(Vec::new()) };
        let mut statement = self.conn.prepare_cached(
            "SELECT item.session, item.seq, snippet(item_fts, 0, '', '', '…', 16)
             FROM item_fts JOIN item ON item.n = item_fts.rowid
             WHERE item_fts MATCH ?1 AND item.kind <> 'hidden' AND (?3 IS NULL OR item.session = ?3)
             ORDER BY item_fts.rowid DESC LIMIT ?2",
        )?;
        let rows = statement.query_map(args![expression, limit, session], |row| {
            let mut cursor = Cursor::new(row);
            Ok(Hit { session: cursor.next()?, seq: cursor.next()?, snippet: cursor.next()? })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    fn fulls(&self, tail: &str, params: &[&dyn rusqlite::ToSql]) -> Result<Vec<ItemFull>> {
        let (item, card, approval) = (ItemRow::COLUMNS, CardRow::COLUMNS, ApprovalRow::COLUMNS);
        let mut statement = self.conn.prepare_cached(&format!("SELECT {item}, {card}, {approval} {FULL} {tail}"))?;
        let rows = statement.query_map(params, |row| {
            let mut cursor = Cursor::new(row);
            Ok(ItemFull {
                row: ItemRow::read(&mut cursor)?,
                card: cursor.joined()?,
                approval: cursor.joined()?,
                units: Vec::new(),
                tasks: Vec::new(),
            })
        })?;
        let mut found: Vec<ItemFull> = rows.collect::<rusqlite::Result<_>>()?;
        let (units, tasks) = (Units { conn: self.conn }, Tasks { conn: self.conn });
        for full in &mut found {
            if full.row.kind == ItemKind::Delegation {
                full.tasks = tasks.of(full.row.id)?;
            }
            if let Some(admission) = full.row.admission.filter(|_| full.row.kind == ItemKind::MachineNote) {
                full.units = units.by_admission(admission)?;
            }
            for delegation in full.units.iter().filter_map(|unit| unit.delegation) {
                full.tasks.extend(tasks.of(delegation)?);
            }
        }
        Ok(found)
    }
}

/// The words of `query` as FTS5 strings, so that none of them can be an operator; none if there is no word.
fn match_expression(query: &str) -> Option<String> {
    let words =
        query.split(|c: char| c.is_whitespace() || c == '\0').filter(|word| word.contains(char::is_alphanumeric));
    let quoted: Vec<String> = words.map(|word| format!("\"{}\"", word.replace('"', "\"\""))).collect();
    (!quoted.is_empty()).then(|| quoted.join(" ") + "*")
}

/// An entry to be made.
#[derive(Debug, Clone)]
pub struct NewItem {
    /// Its id.
    pub id: ItemId,
    /// Whose transcript.
    pub session: SessionId,
    /// The turn that makes it or answers it.
    pub turn: Option<TurnId>,
    /// Who makes it.
    pub author: Author,
    /// What it is.
    pub kind: ItemKind,
    /// Its words so far.
    pub text: String,
    /// Whether more are to come.
    pub streaming: bool,
    /// Why its turn gave no answer.
    pub failure: Option<FailureCode>,
    /// Whether trying again makes sense.
    pub retryable: bool,
    /// The input it comes from.
    pub admission: Option<AdmissionId>,
    /// When.
    pub at: EpochMs,
}

impl NewItem {
    /// Words of the house to the person of a session, which no model reads.
    pub const fn notice(id: ItemId, session: SessionId, text: String, at: EpochMs) -> Self {
        Self {
            id,
            session,
            turn: None,
            author: Author::System,
            kind: ItemKind::Notice,
            text,
            streaming: false,
            failure: None,
            retryable: false,
            admission: None,
            at,
        }
    }
}

/// Transcript entries, to be changed.
pub struct ItemsMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl ItemsMut<'_> {
    /// Appends an entry; its place in the transcript.
    pub fn insert(&self, new: &NewItem) -> Result<u64> {
        let rev = self.tx.rev();
        // Not one statement with RETURNING: that, too, makes SQLite write the search index out each time.
        let next = "SELECT last_seq + 1 FROM session WHERE id = ?1";
        let seq: u64 = value(self.tx.conn, next, args![new.session])?.ok_or_else(|| missing("session", new.session))?;
        let taken = "UPDATE session SET last_seq = ?2, last_at = ?3, rev = ?4 WHERE id = ?1";
        change(self.tx.conn, taken, args![new.session, seq, new.at, rev])?;
        change(
            self.tx.conn,
            "INSERT INTO item (id, session, seq, turn, author, kind, text, streaming, failure, retryable, admission,
                 at, rev)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            args![
                new.id,
                new.session,
                seq,
                new.turn,
                new.author,
                new.kind,
                new.text,
                new.streaming,
                new.failure,
                new.retryable,
                new.admission,
                new.at,
                rev
            ],
        )?;
        self.index(self.tx.conn.last_insert_rowid(), &new.text, new.streaming)?;
        self.tx.mark(ChangeKey::Item(new.id));
        self.tx.mark_session(new.session);
        Ok(seq)
    }

    /// Replaces the words.
    pub fn set_text(&self, id: ItemId, text: &str, streaming: bool) -> Result<()> {
        let n = self.unindex(id)?;
        let sql = "UPDATE item SET text = ?2, streaming = ?3 WHERE n = ?1";
        change(self.tx.conn, sql, args![n, text, streaming])?;
        self.index(n, text, streaming)?;
        self.tx.touch_item(id)
    }

    /// Notes the files that an answer names.
    pub fn set_files(&self, id: ItemId, files: &str) -> Result<()> {
        if change(self.tx.conn, "UPDATE item SET files = ?2 WHERE id = ?1", args![id, files])? == 0 {
            return Err(missing("item", id));
        }
        self.tx.touch_item(id)
    }

    /// Removes the entry and what is inside it; a tombstone stays.
    pub fn remove(&self, id: ItemId) -> Result<()> {
        let n = self.unindex(id)?;
        let session = value(self.tx.conn, "DELETE FROM item WHERE n = ?1 RETURNING session", args![n])?
            .ok_or_else(|| missing("item", id))?;
        tombstone::insert(self.tx.conn, RowKind::Item, id.uuid(), self.tx.rev())?;
        self.tx.mark(ChangeKey::Removed { kind: RowKind::Item, id: id.to_string() });
        self.tx.touch_session(session)
    }

    /// Makes words findable once no more are to come.
    fn index(&self, n: i64, text: &str, streaming: bool) -> Result<()> {
        if streaming || text.is_empty() {
            return Ok(());
        }
        // An index that was built anew meanwhile holds the row already.
        self.keep_index("INSERT INTO item_fts (rowid, text) VALUES (?1, ?2)", n, text).map(|_| ())
    }

    /// Takes an entry's words out of the index, which needs the very words that went in; the entry's number.
    fn unindex(&self, id: ItemId) -> Result<i64> {
        let mut statement = self.tx.conn.prepare_cached("SELECT n, text, streaming FROM item WHERE id = ?1")?;
        let mut rows = statement.query(args![id])?;
        let row = rows.next()?.ok_or_else(|| missing("item", id))?;
        let (n, text, streaming): (i64, String, bool) = (row.get(0)?, row.get(1)?, row.get(2)?);
        if !streaming && !text.is_empty() {
            let sql = "INSERT INTO item_fts (item_fts, rowid, text) VALUES ('delete', ?1, ?2)";
            if !self.keep_index(sql, n, &text)? {
                // Built anew, it holds the words as they still stand in the row.
                self.keep_index(sql, n, &text)?;
            }
        }
        Ok(n)
    }

    /// Changes the index; false when that was damaged and was mended instead.
    fn keep_index(&self, sql: &str, n: i64, text: &str) -> Result<bool> {
        if !self.tx.index().takes_words() {
            return Ok(true);
        }
        // Written out at once, while a failure can be mended: later it would be that of any statement or of the commit.
        let written = change(self.tx.conn, sql, args![n, text]).and_then(|_| index::write_out(self.tx.conn));
        match written {
            Err(error) if index::is_its_own(&error) => self.tx.index().mend(self.tx.conn).map(|()| false),
            other => other.map(|()| true),
        }
    }
}
