//! Units: reports owed to a conversation.

use gatehouse_domain::{
    AdmissionId, Category, ConsumedBy, DeliveryState, DropReason, EpochMs, Exit, IncidentId, ItemId, ProcessId,
    ProcessState, Producer, SessionId, StoppedBy, TaskState, TurnId, UnitId, Wants, WatchNews, WorkState,
};
use rusqlite::Connection;

use crate::error::Result;
use crate::sql::record;
use crate::tx::Tx;

mod delegation; // what was handed on to other agents
mod owing; // what is owed, and that there is something to tell
mod reading; // who is owed what
mod settling; // what becomes of a report

pub use delegation::Handed;
pub(crate) use delegation::OF_DELEGATIONS;
pub use owing::{NewUnit, News, Report};

pub(crate) const INITIAL: &str = "
CREATE TABLE unit (
    id           BLOB    PRIMARY KEY NOT NULL,
    producer     TEXT    NOT NULL,
    identity     TEXT    NOT NULL UNIQUE, -- what is reported: the same thing is never owed twice
    session      BLOB    NOT NULL REFERENCES session (id),
    root         BLOB    NOT NULL,
    route        TEXT    NOT NULL,
    process      BLOB,
    turn         BLOB,
    turn_number  INTEGER,
    work         TEXT    NOT NULL DEFAULT 'running',
    delivery     TEXT    NOT NULL DEFAULT 'pending',
    consumed     TEXT,
    dropped      TEXT,
    admission    BLOB,
    attempts     INTEGER NOT NULL DEFAULT 0,
    next_at      INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL,
    finished_at  INTEGER,
    state        TEXT,
    exit_kind    TEXT,
    exit_number  INTEGER NOT NULL DEFAULT 0,
    stopped_by   TEXT,
    duration_ms  INTEGER NOT NULL DEFAULT 0,
    command      TEXT    NOT NULL,
    output_tail  TEXT    NOT NULL DEFAULT '',
    output_bytes INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX unit_process ON unit (process) WHERE process IS NOT NULL;
CREATE INDEX unit_admission ON unit (admission) WHERE admission IS NOT NULL;
CREATE INDEX unit_pending ON unit (session, work) WHERE delivery = 'pending';
";

/// What a process says while it runs.
pub(crate) const WITH_NEWS: &str = "
ALTER TABLE unit ADD COLUMN news TEXT; -- absent: no watch tells it
ALTER TABLE unit ADD COLUMN pattern TEXT NOT NULL DEFAULT '';
ALTER TABLE unit ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE unit ADD COLUMN matched INTEGER NOT NULL DEFAULT 0;
ALTER TABLE unit ADD COLUMN suppressed INTEGER NOT NULL DEFAULT 0;
";

/// What a report asks for, and how delivery goes about it.
pub(crate) const SCHEDULED: &str = "
ALTER TABLE unit ADD COLUMN wants TEXT NOT NULL DEFAULT 'turn';
ALTER TABLE unit ADD COLUMN category TEXT NOT NULL DEFAULT 'result';
ALTER TABLE unit ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0; -- paces; attempts decides
ALTER TABLE unit ADD COLUMN known_at INTEGER NOT NULL DEFAULT 0; -- when the gateway learned of the end
ALTER TABLE unit ADD COLUMN held INTEGER NOT NULL DEFAULT 0; -- of a backup: a person decides
ALTER TABLE unit ADD COLUMN incident BLOB; -- of a dropped report: what tells a person of it
UPDATE unit SET known_at = coalesce(finished_at, 0);
UPDATE unit SET incident = (SELECT incident.id FROM incident WHERE incident.resolved_at IS NULL
    AND unhex(replace(incident.subject, '-', '')) = unit.id) WHERE delivery = 'dropped';
CREATE INDEX unit_root ON unit (root) WHERE delivery = 'pending';
CREATE INDEX unit_due ON unit (session, finished_at, id, next_at)
    WHERE work = 'finished' AND delivery = 'pending' AND held = 0;
CREATE INDEX unit_known ON unit (known_at, session) WHERE work = 'finished' AND delivery = 'pending' AND held = 0;
CREATE INDEX unit_held ON unit (created_at, id) WHERE delivery = 'pending' AND held = 1;
CREATE INDEX unit_incident ON unit (incident) WHERE incident IS NOT NULL;
";

record! {
    /// A report owed.
    UnitRow of "unit" {
        /// Its id.
        id: UnitId,
        /// What owes it.
        producer: Producer,
        /// What is reported, as a unique name.
        identity: String,
        /// To whom.
        session: SessionId,
        /// The first session of that lineage.
        root: SessionId,
        /// The lane.
        route: String,
        /// The process it reports on.
        process: Option<ProcessId>,
        /// The turn that started the work.
        turn: Option<TurnId>,
        /// That turn's number.
        turn_number: Option<u64>,
        /// Whether there is something to report yet.
        work: WorkState,
        /// What became of the report.
        delivery: DeliveryState,
        /// Which other way told it.
        consumed: Option<ConsumedBy>,
        /// Why it cannot be told.
        dropped: Option<DropReason>,
        /// The input it became part of.
        admission: Option<AdmissionId>,
        /// How often delivery was tried in earnest.
        attempts: u32,
        /// Not before.
        next_at: EpochMs,
        /// When it began to be owed.
        created_at: EpochMs,
        /// When the work ended.
        finished_at: Option<EpochMs>,
        /// How the process ended.
        state: Option<ProcessState>,
        /// How its child ended.
        exit: Option<Exit> = "exit_kind", "exit_number",
        /// Who asked for its end.
        stopped_by: Option<StoppedBy>,
        /// How long it took.
        duration_ms: u64,
        /// What ran.
        command: String,
        /// The end of what it put out.
        output_tail: String,
        /// How much it put out.
        output_bytes: u64,
        /// What its watch tells.
        news: Option<WatchNews>,
        /// What was seen.
        pattern: String,
        /// Which hit or sign of life of its process it is, or which task has failed.
        number: u32,
        /// How many lines were seen.
        matched: u32,
        /// How many were seen before and not told.
        suppressed: u64,
        /// What it asks for.
        wants: Wants,
        /// What sort of thing it tells.
        category: Category,
        /// How often its conversation could not take it.
        refusals: u32,
        /// When the gateway learned that the work had ended.
        known_at: EpochMs,
        /// It comes from a backup, and waits for a person's word.
        held: bool,
        /// What tells a person that it was dropped.
        incident: Option<IncidentId>,
        /// The delegation it reports on, by the entry that shows it.
        delegation: Option<ItemId>,
        /// How the tasks of that ended, once all of them have.
        outcome: Option<TaskState>,
    }
}

/// Units, to be read.
pub struct Units<'c> {
    pub(crate) conn: &'c Connection,
}

/// Units, to be changed.
pub struct UnitsMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl UnitsMut<'_> {
    /// What changes a report changes its session too; whether a report was changed.
    fn touched(&self, session: Option<SessionId>) -> Result<bool> {
        session.map_or(Ok(false), |session| self.tx.touch_session(session).map(|()| true))
    }
}
