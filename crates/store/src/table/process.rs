//! Processes: tracked background commands.

use gatehouse_domain::{Attention, EpochMs, Exit, ItemId, ProcessId, ProcessState, Rev, SessionId, StoppedBy, TurnId};
use rusqlite::Connection;

use super::tombstone;
use crate::error::Result;
use crate::feed::{ChangeKey, RowKind};
use crate::sql::{all, args, change, exit_columns, first, missing, record, value};
use crate::tx::Tx;

pub(crate) const INITIAL: &str = "
CREATE TABLE process (
    id              BLOB    PRIMARY KEY NOT NULL,
    session         BLOB    NOT NULL REFERENCES session (id),
    turn            BLOB,
    turn_number     INTEGER,
    card            BLOB,
    command         TEXT    NOT NULL,
    cwd             TEXT    NOT NULL,
    state           TEXT    NOT NULL DEFAULT 'starting',
    attention       TEXT,
    pid             INTEGER,
    start_ticks     INTEGER,
    boot_id         TEXT,
    exit_kind       TEXT,
    exit_number     INTEGER NOT NULL DEFAULT 0,
    stopped_by      TEXT,
    reason          TEXT,
    notify          INTEGER NOT NULL,
    persist         INTEGER NOT NULL,
    client_key      TEXT,
    started_at      INTEGER NOT NULL,
    ended_at        INTEGER,
    output_bytes    INTEGER NOT NULL DEFAULT 0,
    last_output_at  INTEGER,
    descendants     INTEGER NOT NULL DEFAULT 0,
    escape_possible INTEGER NOT NULL DEFAULT 0,
    rev             INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX process_client_key ON process (session, client_key) WHERE client_key IS NOT NULL;
CREATE INDEX process_session ON process (session);
CREATE INDEX process_turn ON process (turn) WHERE turn IS NOT NULL;
CREATE INDEX process_live ON process (state) WHERE state IN ('starting', 'running', 'stopping');
CREATE INDEX process_descendants ON process (descendants) WHERE descendants > 0;
CREATE INDEX process_rev ON process (rev);
";

/// Whether its notice stands in the list and nothing more.
pub(crate) const WITH_MUTED: &str = "
ALTER TABLE process ADD COLUMN muted INTEGER NOT NULL DEFAULT 0;
";

/// How it was started, so that it can be started again in the same way.
pub(crate) const WITH_MANNER: &str = "
ALTER TABLE process ADD COLUMN pty_rows INTEGER; -- both absent: no terminal
ALTER TABLE process ADD COLUMN pty_cols INTEGER;
ALTER TABLE process ADD COLUMN stdin INTEGER NOT NULL DEFAULT 0;
ALTER TABLE process ADD COLUMN max_runtime_ms INTEGER; -- absent: as long as it likes
ALTER TABLE process ADD COLUMN restart_of BLOB;
ALTER TABLE process ADD COLUMN hidden_input INTEGER NOT NULL DEFAULT 0;
CREATE INDEX process_over ON process (ended_at) WHERE ended_at IS NOT NULL;
";

/// The line that tells a person, while it runs, what it has written.
pub(crate) const WITH_LINE: &str = "
ALTER TABLE process ADD COLUMN line BLOB;
";

/// So many lines of it somebody has waited for.
pub(crate) const WITH_MATCHES: &str = "
ALTER TABLE process ADD COLUMN matches INTEGER NOT NULL DEFAULT 0;
";

/// What a client calls a start stands in its admission.
pub(crate) const WITHOUT_KEY: &str = "
DROP INDEX process_client_key;
ALTER TABLE process DROP COLUMN client_key;
";

record! {
    /// A process.
    ProcessRow of "process" {
        /// Its id.
        id: ProcessId,
        /// Whose.
        session: SessionId,
        /// The turn that started it.
        turn: Option<TurnId>,
        /// That turn's number.
        turn_number: Option<u64>,
        /// The card of the call that started it.
        card: Option<ItemId>,
        /// What runs.
        command: String,
        /// Where.
        cwd: String,
        /// Where it stands.
        state: ProcessState,
        /// Why it deserves a look.
        attention: Option<Attention>,
        /// The direct child's pid.
        pid: Option<u32>,
        /// When the child started, in the kernel's ticks since boot.
        start_ticks: Option<u64>,
        /// Which boot that was.
        boot_id: Option<String>,
        /// How the child ended.
        exit: Option<Exit> = "exit_kind", "exit_number",
        /// Who asked for its end.
        stopped_by: Option<StoppedBy>,
        /// Why it could not start, or got lost.
        reason: Option<String>,
        /// Whether its end is reported.
        notify: bool,
        /// Whether it outlives its turn's abandonment.
        persist: bool,
        /// When it was recorded.
        started_at: EpochMs,
        /// When the child ended.
        ended_at: Option<EpochMs>,
        /// How much it put out.
        output_bytes: u64,
        /// When it last put something out.
        last_output_at: Option<EpochMs>,
        /// How many of its descendants live.
        descendants: u32,
        /// Whether a descendant may have slipped away unseen.
        escape_possible: bool,
        /// Its session is muted, or its command there. Kept in the row, which is read far more often than muted.
        muted: bool,
        /// The height of its terminal, if it has one.
        pty_rows: Option<u32>,
        /// And the width.
        pty_cols: Option<u32>,
        /// Its input can be written to without a terminal.
        stdin: bool,
        /// It is stopped after so long.
        max_runtime_ms: Option<u64>,
        /// The process that it took the place of.
        restart_of: Option<ProcessId>,
        /// It reads without showing what is typed.
        hidden_input: bool,
        /// The entry that tells what it has written so far, while it runs.
        line: Option<ItemId>,
        /// So many of its lines matched what is waited for, told or not.
        matches: u64,
        /// The revision of its last change.
        rev: Rev,
    }
}

/// Processes, to be read.
pub struct Processes<'c> {
    pub(crate) conn: &'c Connection,
}

impl Processes<'_> {
    /// The process with this id.
    pub fn get(&self, id: ProcessId) -> Result<Option<ProcessRow>> {
        first(self.conn, "FROM process WHERE id = ?1", args![id])
    }

    /// Processes of a session, or of all, the newest first; the finished ones (nothing of them lives) on request.
    pub fn list(&self, session: Option<SessionId>, include_finished: bool) -> Result<Vec<ProcessRow>> {
        all(
            self.conn,
            "FROM process WHERE (?1 IS NULL OR session = ?1)
                 AND (?2 OR state IN ('starting', 'running', 'stopping') OR descendants > 0)
             ORDER BY started_at DESC, id DESC",
            args![session, include_finished],
        )
    }

    /// Processes whose direct child is not over.
    pub fn live(&self) -> Result<Vec<ProcessRow>> {
        all(self.conn, "FROM process WHERE state IN ('starting', 'running', 'stopping') ORDER BY started_at, id", [])
    }

    /// Processes that are not over, or left descendants behind.
    pub fn unsettled(&self) -> Result<Vec<ProcessRow>> {
        all(
            self.conn,
            "FROM process WHERE state IN ('starting', 'running', 'stopping') OR descendants > 0
             ORDER BY started_at, id",
            [],
        )
    }

    /// Processes of which nothing lives, the first that ended first; those that ended before this moment.
    pub fn over_before(&self, moment: EpochMs) -> Result<Vec<ProcessRow>> {
        all(
            self.conn,
            "FROM process WHERE ended_at < ?1 AND descendants = 0
                 AND state IN ('exited', 'killed', 'lost', 'failed_start')
             ORDER BY ended_at, id",
            args![moment],
        )
    }

    /// When the first process ended of which nothing lives.
    pub fn first_over(&self) -> Result<Option<EpochMs>> {
        let sql = "SELECT ended_at FROM process WHERE ended_at IS NOT NULL AND descendants = 0
                AND state IN ('exited', 'killed', 'lost', 'failed_start')
            ORDER BY ended_at LIMIT 1";
        value(self.conn, sql, [])
    }

    /// A turn's processes that are not over, or left descendants behind.
    pub fn unsettled_of_turn(&self, turn: TurnId) -> Result<Vec<ProcessRow>> {
        all(
            self.conn,
            "FROM process WHERE turn = ?1 AND (state IN ('starting', 'running', 'stopping') OR descendants > 0)
             ORDER BY started_at, id",
            args![turn],
        )
    }

    /// How many processes of a session, or of all, are not over.
    pub fn count_live(&self, session: Option<SessionId>) -> Result<u32> {
        let sql = "SELECT count(*) FROM process
            WHERE (?1 IS NULL OR session = ?1) AND state IN ('starting', 'running', 'stopping')";
        Ok(value(self.conn, sql, args![session])?.unwrap_or(0))
    }
}

/// A process to be recorded before it is started.
#[derive(Debug, Clone)]
pub struct NewProcess {
    /// Its id.
    pub id: ProcessId,
    /// Whose.
    pub session: SessionId,
    /// The turn that starts it.
    pub turn: Option<TurnId>,
    /// The card of the call that starts it.
    pub card: Option<ItemId>,
    /// What is to run.
    pub command: String,
    /// Where.
    pub cwd: String,
    /// Whether its end is reported.
    pub notify: bool,
    /// Whether it outlives its turn's abandonment.
    pub persist: bool,
    /// Rows and columns of its terminal, if it has one.
    pub pty: Option<(u32, u32)>,
    /// Its input can be written to without a terminal.
    pub stdin: bool,
    /// It is stopped after so long.
    pub max_runtime_ms: Option<u64>,
    /// The process that it takes the place of.
    pub restart_of: Option<ProcessId>,
    /// When.
    pub at: EpochMs,
}

/// How a process ends.
#[derive(Debug, Clone)]
pub struct ProcessEnd {
    /// Which final state.
    pub state: ProcessState,
    /// How the child ended.
    pub exit: Option<Exit>,
    /// Why it could not start, or got lost.
    pub reason: Option<String>,
    /// When.
    pub ended_at: EpochMs,
    /// How much it put out.
    pub output_bytes: u64,
    /// How many of its descendants live on.
    pub descendants: u32,
    /// Whether a descendant may have slipped away unseen.
    pub escape_possible: bool,
}

/// Processes, to be changed.
pub struct ProcessesMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl ProcessesMut<'_> {
    /// Records a process, starting.
    pub fn insert(&self, new: &NewProcess) -> Result<()> {
        change(
            self.tx.conn,
            "INSERT INTO process (id, session, turn, turn_number, card, command, cwd, notify, persist, started_at,
                 rev, muted, pty_rows, pty_cols, stdin, max_runtime_ms, restart_of)
             VALUES (?1, ?2, ?3, (SELECT number FROM turn WHERE turn.id = ?3), ?4, ?5, ?6, ?7, ?8, ?9, ?10,
                 EXISTS (SELECT 1 FROM mute WHERE mute.session = ?2 AND mute.command IN ('', ?5)),
                 ?11, ?12, ?13, ?14, ?15)",
            args![
                new.id,
                new.session,
                new.turn,
                new.card,
                new.command,
                new.cwd,
                new.notify,
                new.persist,
                new.at,
                self.tx.rev(),
                new.pty.map(|(rows, _)| rows),
                new.pty.map(|(_, cols)| cols),
                new.stdin,
                new.max_runtime_ms,
                new.restart_of
            ],
        )?;
        self.tx.mark(ChangeKey::Process(new.id));
        self.tx.touch_session(new.session)
    }

    /// It runs; whether nobody knew yet. A start that somebody asked to stop meanwhile stays stopping.
    pub fn launched(&self, id: ProcessId, pid: u32, start_ticks: u64, boot_id: &str, cwd: &str) -> Result<bool> {
        let sql = "UPDATE process SET state = iif(state = 'starting', 'running', state),
                pid = ?2, start_ticks = ?3, boot_id = ?4, cwd = ?5
            WHERE id = ?1 AND state IN ('starting', 'stopping') AND pid IS NULL";
        self.moved(id, change(self.tx.conn, sql, args![id, pid, start_ticks, boot_id, cwd])?)
    }

    /// To stopping; whether it was starting or running. The first who asks is the one remembered.
    pub fn stopping(&self, id: ProcessId, by: StoppedBy) -> Result<bool> {
        let sql = "UPDATE process SET state = 'stopping', stopped_by = ?2
            WHERE id = ?1 AND state IN ('starting', 'running')";
        self.moved(id, change(self.tx.conn, sql, args![id, by])?)
    }

    /// Ends it; whether it was live. `end.state` must be a final one. Who asked to stop it is forgotten when it was not
    /// the stop that ended it.
    pub fn ended(&self, id: ProcessId, end: &ProcessEnd) -> Result<bool> {
        debug_assert!(end.state.is_final(), "a process cannot end as {}", end.state);
        let (kind, number) = exit_columns(end.exit);
        let changed = change(
            self.tx.conn,
            "UPDATE process SET state = ?2, exit_kind = ?3, exit_number = ?4, reason = ?5, ended_at = ?6,
                 output_bytes = ?7, descendants = ?8, escape_possible = ?9, attention = NULL, hidden_input = 0, line = NULL,
                 stopped_by = iif(?2 = 'killed', stopped_by, NULL)
             WHERE id = ?1 AND state IN ('starting', 'running', 'stopping')",
            args![
                id,
                end.state,
                kind,
                number,
                end.reason,
                end.ended_at,
                end.output_bytes,
                end.descendants,
                end.escape_possible
            ],
        )?;
        self.moved(id, changed)
    }

    /// Notes how many of its descendants live.
    pub fn set_descendants(&self, id: ProcessId, descendants: u32) -> Result<()> {
        self.one(id, change(self.tx.conn, "UPDATE process SET descendants = ?2 WHERE id = ?1", args![id, descendants])?)
    }

    /// Notes that a descendant may have slipped away unseen.
    pub fn set_escape_possible(&self, id: ProcessId) -> Result<()> {
        self.one(id, change(self.tx.conn, "UPDATE process SET escape_possible = 1 WHERE id = ?1", args![id])?)
    }

    /// Notes how much it has put out.
    pub fn set_output(&self, id: ProcessId, bytes: u64, at: EpochMs) -> Result<()> {
        let sql = "UPDATE process SET output_bytes = ?2, last_output_at = ?3 WHERE id = ?1";
        self.one(id, change(self.tx.conn, sql, args![id, bytes, at])?)
    }

    /// Notes why a process that lives deserves a look, or that it no longer does; whether that is new.
    pub fn set_attention(&self, id: ProcessId, attention: Option<Attention>, hidden_input: bool) -> Result<bool> {
        let sql = "UPDATE process SET attention = ?2, hidden_input = ?3
            WHERE id = ?1 AND state IN ('starting', 'running', 'stopping')
                AND (attention IS NOT ?2 OR hidden_input != ?3)";
        self.moved(id, change(self.tx.conn, sql, args![id, attention, hidden_input])?)
    }

    /// Its end is reported from now on; whether it was not before.
    pub fn set_notify(&self, id: ProcessId) -> Result<bool> {
        self.moved(id, change(self.tx.conn, "UPDATE process SET notify = 1 WHERE id = ?1 AND notify = 0", args![id])?)
    }

    /// So many of its lines matched what is waited for; whether that is news.
    pub fn set_matches(&self, id: ProcessId, matches: u64) -> Result<bool> {
        let sql = "UPDATE process SET matches = ?2 WHERE id = ?1 AND matches != ?2";
        self.moved(id, change(self.tx.conn, sql, args![id, matches])?)
    }

    /// Which entry tells what it has written so far.
    pub fn set_line(&self, id: ProcessId, line: ItemId) -> Result<()> {
        self.one(id, change(self.tx.conn, "UPDATE process SET line = ?2 WHERE id = ?1", args![id, line])?)
    }

    /// It got a pipe to read from where a terminal was asked for.
    pub fn without_terminal(&self, id: ProcessId) -> Result<bool> {
        let sql =
            "UPDATE process SET pty_rows = NULL, pty_cols = NULL, stdin = 1 WHERE id = ?1 AND pty_rows IS NOT NULL";
        self.moved(id, change(self.tx.conn, sql, args![id])?)
    }

    /// Its terminal has another size.
    pub fn set_size(&self, id: ProcessId, rows: u32, cols: u32) -> Result<()> {
        let sql = "UPDATE process SET pty_rows = ?2, pty_cols = ?3 WHERE id = ?1 AND pty_rows IS NOT NULL";
        change(self.tx.conn, sql, args![id, rows, cols]).map(|_| ())
    }

    /// Forgets a process of which nothing lives and nothing is owed; whether it did.
    pub fn remove(&self, id: ProcessId) -> Result<bool> {
        let sql = "DELETE FROM process WHERE id = ?1 AND descendants = 0
                AND state IN ('exited', 'killed', 'lost', 'failed_start')
                AND NOT EXISTS (SELECT 1 FROM unit LEFT JOIN admission ON admission.id = unit.admission
                    WHERE unit.process = ?1 AND (unit.delivery = 'pending' OR admission.status IN ('queued', 'started')))
            RETURNING session";
        let Some(session) = value(self.tx.conn, sql, args![id])? else { return Ok(false) };
        change(self.tx.conn, "DELETE FROM watch WHERE process = ?1", args![id])?;
        tombstone::insert(self.tx.conn, RowKind::Process, id.uuid(), self.tx.rev())?;
        self.tx.mark(ChangeKey::Removed { kind: RowKind::Process, id: id.to_string() });
        self.tx.touch_session(session)?;
        Ok(true)
    }

    fn one(&self, id: ProcessId, changed: usize) -> Result<()> {
        if self.moved(id, changed)? { Ok(()) } else { Err(missing("process", id)) }
    }

    fn moved(&self, id: ProcessId, changed: usize) -> Result<bool> {
        if changed == 0 {
            return Ok(false);
        }
        let sql = "UPDATE process SET rev = ?2 WHERE id = ?1 RETURNING session";
        let session = value(self.tx.conn, sql, args![id, self.tx.rev()])?.ok_or_else(|| missing("process", id))?;
        self.tx.mark(ChangeKey::Process(id));
        self.tx.touch_session(session)?;
        Ok(true)
    }
}
