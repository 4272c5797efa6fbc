//! Watches: what a process may say while it runs, and how much of that it has said. No window shows them, so they are on
//! no feed.

use gatehouse_domain::{EpochMs, ProcessId};
use rusqlite::Connection;

use crate::error::Result;
use crate::sql::{args, change, first, record};
use crate::tx::Tx;

pub(crate) const ADDED: &str = "
CREATE TABLE watch (
    process      BLOB    PRIMARY KEY NOT NULL,
    patterns     TEXT    NOT NULL, -- one in a line
    heartbeat_ms INTEGER,          -- absent: no sign of life is asked for
    read_to      INTEGER NOT NULL DEFAULT 0,
    line_told    INTEGER NOT NULL DEFAULT 0,
    hits         INTEGER NOT NULL DEFAULT 0,
    suppressed   INTEGER NOT NULL DEFAULT 0,
    strikes      INTEGER NOT NULL DEFAULT 0,
    struck       INTEGER NOT NULL DEFAULT 0,
    free_at      INTEGER NOT NULL DEFAULT 0,
    disabled     INTEGER NOT NULL DEFAULT 0,
    beats        INTEGER NOT NULL DEFAULT 0,
    beat_total   INTEGER NOT NULL DEFAULT 0
) STRICT;
";

record! {
    /// What a process may say, and has said.
    WatchRow of "watch" {
        /// Whose.
        process: ProcessId,
        /// What is looked for, one in a line.
        patterns: String,
        /// How often a sign of life is wanted.
        heartbeat_ms: Option<u64>,
        /// Where to go on in its output.
        read_to: u64,
        /// The rest of the line there was told.
        line_told: bool,
        /// Hits that were told.
        hits: u32,
        /// What was seen since the last of them and not told.
        suppressed: u64,
        /// Spacings in a row with something in them that was not told.
        strikes: u32,
        /// Whether the spacing that runs has it.
        struck: bool,
        /// When it is over.
        free_at: EpochMs,
        /// Nothing is looked for any more.
        disabled: bool,
        /// Signs of life that were told.
        beats: u32,
        /// How much of the output they showed.
        beat_total: u64,
    }
}

/// Watches, to be read.
pub struct Watches<'c> {
    pub(crate) conn: &'c Connection,
}

impl Watches<'_> {
    /// What this process may say; `None` if nothing was asked for.
    pub fn get(&self, process: ProcessId) -> Result<Option<WatchRow>> {
        first(self.conn, "FROM watch WHERE process = ?1", args![process])
    }
}

/// Watches, to be changed.
pub struct WatchesMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl WatchesMut<'_> {
    /// Keeps what a process may say and has said.
    pub fn put(&self, row: &WatchRow) -> Result<()> {
        change(
            self.tx.conn,
            "INSERT INTO watch (process, patterns, heartbeat_ms, read_to, line_told, hits, suppressed, strikes, struck,
                 free_at, disabled, beats, beat_total)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
             ON CONFLICT (process) DO UPDATE SET read_to = ?4, line_told = ?5, hits = ?6, suppressed = ?7, strikes = ?8,
                 struck = ?9, free_at = ?10, disabled = ?11, beats = ?12, beat_total = ?13",
            args![
                row.process,
                row.patterns,
                row.heartbeat_ms,
                row.read_to,
                row.line_told,
                row.hits,
                row.suppressed,
                row.strikes,
                row.struck,
                row.free_at,
                row.disabled,
                row.beats,
                row.beat_total
            ],
        )
        .map(|_| ())
    }
}
