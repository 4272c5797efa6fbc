//! Task cards: the live view of one tool call. A card changes its item's revision, it has none of its own.

use gatehouse_domain::{CallId, CardAnnotation, CardStatus, EpochMs, Exit, ItemId, ProcessId, SessionId, TurnId};
use rusqlite::Connection;

use crate::error::Result;
use crate::sql::{all, args, change, exit_columns, first, missing, record};
use crate::tx::Tx;

pub(crate) const INITIAL: &str = "
CREATE TABLE card (
    item         BLOB    PRIMARY KEY NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    session      BLOB    NOT NULL,
    turn         BLOB,
    call_id      TEXT    NOT NULL,
    tool         TEXT    NOT NULL,
    arguments    TEXT    NOT NULL,
    title        TEXT    NOT NULL,
    details      TEXT    NOT NULL DEFAULT '',
    status       TEXT    NOT NULL DEFAULT 'pending',
    annotation   TEXT,
    output       TEXT    NOT NULL DEFAULT '',
    output_bytes INTEGER NOT NULL DEFAULT 0,
    result       TEXT,
    process      BLOB,
    exit_kind    TEXT,
    exit_number  INTEGER NOT NULL DEFAULT 0,
    background   INTEGER NOT NULL DEFAULT 0,
    started_at   INTEGER NOT NULL,
    ended_at     INTEGER
) STRICT;
CREATE INDEX card_turn ON card (turn);
CREATE INDEX card_process ON card (process) WHERE process IS NOT NULL;
";

record! {
    /// A task card.
    CardRow of "card" {
        /// The entry it is shown in.
        item: ItemId,
        /// Whose transcript.
        session: SessionId,
        /// The turn that called.
        turn: Option<TurnId>,
        /// The provider's name for the call.
        call_id: CallId,
        /// Which tool.
        tool: String,
        /// What it was called with.
        arguments: String,
        /// What it does, in a line.
        title: String,
        /// More about it.
        details: String,
        /// How it stands.
        status: CardStatus,
        /// What the status does not say.
        annotation: Option<CardAnnotation>,
        /// The end of what it put out.
        output: String,
        /// How much it put out.
        output_bytes: u64,
        /// What the model was told.
        result: Option<String>,
        /// The process it started.
        process: Option<ProcessId>,
        /// How that ended.
        exit: Option<Exit> = "exit_kind", "exit_number",
        /// Whether the turn went on without waiting for it.
        background: bool,
        /// When it began.
        started_at: EpochMs,
        /// When it ended.
        ended_at: Option<EpochMs>,
    }
}

/// Task cards, to be read.
pub struct Cards<'c> {
    pub(crate) conn: &'c Connection,
}

impl Cards<'_> {
    /// The card inside this entry.
    pub fn get(&self, item: ItemId) -> Result<Option<CardRow>> {
        first(self.conn, "FROM card WHERE item = ?1", args![item])
    }

    /// The cards of a turn, in the order of its calls.
    pub fn by_turn(&self, turn: TurnId) -> Result<Vec<CardRow>> {
        all(self.conn, "FROM card JOIN item ON item.id = card.item WHERE card.turn = ?1 ORDER BY item.seq", args![turn])
    }

    /// The card that started a process.
    pub fn by_process(&self, process: ProcessId) -> Result<Option<CardRow>> {
        first(self.conn, "FROM card WHERE process = ?1", args![process])
    }
}

/// A card to be made, pending.
#[derive(Debug, Clone)]
pub struct NewCard {
    /// The entry it is shown in.
    pub item: ItemId,
    /// Whose transcript.
    pub session: SessionId,
    /// The turn that calls.
    pub turn: Option<TurnId>,
    /// The provider's name for the call.
    pub call_id: CallId,
    /// Which tool.
    pub tool: String,
    /// What it is called with.
    pub arguments: String,
    /// What it does, in a line.
    pub title: String,
    /// More about it.
    pub details: String,
    /// Whether the turn goes on without waiting for it.
    pub background: bool,
    /// When.
    pub at: EpochMs,
}

/// How a card ends.
#[derive(Debug, Clone)]
pub struct CardClose {
    /// How it stands now.
    pub status: CardStatus,
    /// What the status does not say.
    pub annotation: Option<CardAnnotation>,
    /// The end of what it put out.
    pub output: String,
    /// How much it put out.
    pub output_bytes: u64,
    /// How its process ended.
    pub exit: Option<Exit>,
    /// When.
    pub at: EpochMs,
}

/// Task cards, to be changed.
pub struct CardsMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl CardsMut<'_> {
    /// Makes a card inside an entry that is there already.
    pub fn insert(&self, new: &NewCard) -> Result<()> {
        change(
            self.tx.conn,
            "INSERT INTO card (item, session, turn, call_id, tool, arguments, title, details, background, started_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            args![
                new.item,
                new.session,
                new.turn,
                new.call_id,
                new.tool,
                new.arguments,
                new.title,
                new.details,
                new.background,
                new.at
            ],
        )?;
        self.tx.touch_item(new.item)
    }

    /// From pending to in progress; whether it was pending.
    pub fn begin(&self, item: ItemId, at: EpochMs) -> Result<bool> {
        let sql = "UPDATE card SET status = 'in_progress', started_at = ?2 WHERE item = ?1 AND status = 'pending'";
        self.moved(item, change(self.tx.conn, sql, args![item, at])?)
    }

    /// Says what the status does not, or takes that back.
    pub fn annotate(&self, item: ItemId, annotation: Option<CardAnnotation>) -> Result<()> {
        let sql = "UPDATE card SET annotation = ?2 WHERE item = ?1";
        self.one(item, change(self.tx.conn, sql, args![item, annotation])?)
    }

    /// Adds a line to what is said about the call.
    pub fn note(&self, item: ItemId, line: &str) -> Result<()> {
        let sql = "UPDATE card SET details = CASE details WHEN '' THEN ?2 ELSE details || char(10) || ?2 END
            WHERE item = ?1";
        self.one(item, change(self.tx.conn, sql, args![item, line])?)
    }

    /// Ties the card to the process it started.
    pub fn attach(&self, item: ItemId, process: ProcessId, background: bool) -> Result<()> {
        let sql = "UPDATE card SET process = ?2, background = ?3 WHERE item = ?1";
        self.one(item, change(self.tx.conn, sql, args![item, process, background])?)
    }

    /// Keeps what the model was told.
    pub fn set_result(&self, item: ItemId, result: &str) -> Result<()> {
        let sql = "UPDATE card SET result = ?2 WHERE item = ?1";
        self.one(item, change(self.tx.conn, sql, args![item, result])?)
    }

    /// Ends the card; whether it was pending or in progress. An ended card never changes its status again.
    pub fn close(&self, item: ItemId, close: &CardClose) -> Result<bool> {
        let (kind, number) = exit_columns(close.exit);
        let changed = change(
            self.tx.conn,
            "UPDATE card SET status = ?2, annotation = ?3, output = ?4, output_bytes = ?5, exit_kind = ?6,
                 exit_number = ?7, ended_at = ?8
             WHERE item = ?1 AND status IN ('pending', 'in_progress')",
            args![item, close.status, close.annotation, close.output, close.output_bytes, kind, number, close.at],
        )?;
        self.moved(item, changed)
    }

    fn one(&self, item: ItemId, changed: usize) -> Result<()> {
        if self.moved(item, changed)? { Ok(()) } else { Err(missing("card", item)) }
    }

    fn moved(&self, item: ItemId, changed: usize) -> Result<bool> {
        if changed > 0 {
            self.tx.touch_item(item)?;
        }
        Ok(changed > 0)
    }
}
