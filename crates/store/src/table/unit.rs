//! Units: reports owed to a conversation.

use gatehouse_domain::{
    AdmissionId, Category, ConsumedBy, DeliveryState, DropReason, EpochMs, Exit, IncidentId, ItemId, LONGEST_WAIT,
    OVERDUE, ProcessId, ProcessState, Producer, SessionId, StoppedBy, TaskState, TurnId, UnitId, Wants, WatchNews,
    WorkState,
};
use rusqlite::Connection;

use super::incident::NewIncident;
use crate::error::Result;
use crate::sql::{all, args, change, exit_columns, first, record, value, values};
use crate::tx::Tx;

mod delegation; // what was handed on to other agents

pub use delegation::Handed;
pub(crate) use delegation::OF_DELEGATIONS;

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

impl Units<'_> {
    /// The unit with this id.
    pub fn get(&self, id: UnitId) -> Result<Option<UnitRow>> {
        first(self.conn, "FROM unit WHERE id = ?1", args![id])
    }

    /// The units about a process, in the order in which they began to be owed.
    pub fn by_process(&self, process: ProcessId) -> Result<Vec<UnitRow>> {
        all(self.conn, "FROM unit WHERE process = ?1 ORDER BY created_at, id", args![process])
    }

    /// What a turn started and owes, or owed.
    pub fn of_turn(&self, turn: TurnId) -> Result<Vec<UnitRow>> {
        all(self.conn, "FROM unit WHERE turn = ?1 ORDER BY created_at, id", args![turn])
    }

    /// What can be told to a session now, in the order in which the work ended. What is overdue cannot.
    pub fn due(&self, session: SessionId, now: EpochMs) -> Result<Vec<UnitRow>> {
        all(
            self.conn,
            "FROM unit WHERE session = ?1 AND work = 'finished' AND delivery = 'pending' AND held = 0
                AND NOT (next_at > ?2 AND next_at <= ?3) AND known_at >= ?4 ORDER BY finished_at, id",
            args![session, now, now.after(LONGEST_WAIT), now.before(OVERDUE)],
        )
    }

    /// When the next report of a session can be told that was put off.
    pub fn next_due(&self, session: SessionId, now: EpochMs) -> Result<Option<EpochMs>> {
        let sql = "SELECT min(next_at) FROM unit INDEXED BY unit_due
            WHERE session = ?1 AND work = 'finished' AND delivery = 'pending' AND held = 0
                AND next_at > ?2 AND next_at <= ?3";
        Ok(value(self.conn, sql, args![session, now, now.after(LONGEST_WAIT)])?.flatten())
    }

    /// The sessions that are owed something that can be told.
    pub fn sessions_due(&self) -> Result<Vec<SessionId>> {
        // From one session to the next, so that it costs what there are sessions, however much each is owed.
        let sql = "WITH RECURSIVE
            due AS NOT MATERIALIZED (
                SELECT session FROM unit INDEXED BY unit_due
                WHERE work = 'finished' AND delivery = 'pending' AND held = 0),
            found (session) AS (
                SELECT min(session) FROM due
                UNION ALL
                SELECT (SELECT min(due.session) FROM due WHERE due.session > found.session)
                FROM found WHERE found.session IS NOT NULL)
            SELECT session FROM found WHERE session IS NOT NULL ORDER BY session";
        values(self.conn, sql, [])
    }

    /// Sessions that are owed a report that nobody could be told since this time; those that a person decides about do
    /// not count.
    pub fn sessions_overdue(&self, since: EpochMs) -> Result<Vec<SessionId>> {
        let sql = "SELECT DISTINCT session FROM unit INDEXED BY unit_known
            WHERE work = 'finished' AND delivery = 'pending' AND held = 0 AND known_at < ?1 ORDER BY session";
        values(self.conn, sql, args![since])
    }

    /// How many dropped reports an incident tells of.
    pub fn count_of(&self, incident: IncidentId) -> Result<u32> {
        let sql = "SELECT count(*) FROM unit WHERE incident = ?1";
        Ok(value(self.conn, sql, args![incident])?.unwrap_or(0))
    }

    /// Reports of a lineage that nobody was told, whether or not their work has ended.
    pub fn pending_of(&self, root: SessionId) -> Result<Vec<UnitRow>> {
        all(self.conn, "FROM unit WHERE root = ?1 AND delivery = 'pending' ORDER BY created_at, id", args![root])
    }

    /// Reports that wait for a person's word, the oldest first.
    pub fn held(&self) -> Result<Vec<UnitRow>> {
        all(self.conn, "FROM unit WHERE delivery = 'pending' AND held = 1 ORDER BY created_at, id", [])
    }

    /// How many reports the session is still owed that ask for a turn and whose work goes on.
    pub fn owed_elsewhere(&self, session: SessionId) -> Result<u32> {
        let sql = "SELECT count(*) FROM unit
            WHERE session = ?1 AND work = 'running' AND delivery = 'pending' AND wants = 'turn'";
        Ok(value(self.conn, sql, args![session])?.unwrap_or(0))
    }

    /// The reports that became part of an input, in the order in which the work ended.
    pub fn by_admission(&self, admission: AdmissionId) -> Result<Vec<UnitRow>> {
        all(self.conn, "FROM unit WHERE admission = ?1 ORDER BY finished_at, id", args![admission])
    }
}

/// A report to be owed.
#[derive(Debug, Clone)]
pub struct NewUnit {
    /// Its id.
    pub id: UnitId,
    /// What owes it.
    pub producer: Producer,
    /// What is reported, as a unique name.
    pub identity: String,
    /// To whom; its lineage and its lane are those of that session.
    pub session: SessionId,
    /// The process it reports on.
    pub process: Option<ProcessId>,
    /// The turn that starts the work.
    pub turn: Option<TurnId>,
    /// What runs.
    pub command: String,
    /// What it asks for.
    pub wants: Wants,
    /// When.
    pub at: EpochMs,
}

/// What there is to tell once the work has ended.
#[derive(Debug, Clone)]
pub struct Report {
    /// How the process ended.
    pub state: Option<ProcessState>,
    /// How its child ended.
    pub exit: Option<Exit>,
    /// Who asked for its end.
    pub stopped_by: Option<StoppedBy>,
    /// How long it took.
    pub duration_ms: u64,
    /// The end of what it put out.
    pub output_tail: String,
    /// How much it put out.
    pub output_bytes: u64,
    /// When it ended.
    pub at: EpochMs,
    /// When the gateway learned of it.
    pub known_at: EpochMs,
}

impl Report {
    /// A command that failed, and one that only gives a sign of life, are not what somebody waits for.
    const fn category(&self) -> Category {
        match (self.state, self.exit) {
            (Some(ProcessState::Exited), Some(Exit::Code(0))) => Category::Result,
            _ => Category::Diagnostic,
        }
    }
}

/// What a process says while it runs, besides the lines that go with it.
#[derive(Debug, Clone, Default)]
pub struct News {
    /// What its watch tells; nothing for a sign of life.
    pub news: Option<WatchNews>,
    /// What was seen.
    pub pattern: String,
    /// Which hit or sign of life it is.
    pub number: u32,
    /// How many lines were seen.
    pub matched: u32,
    /// How many were seen before and not told.
    pub suppressed: u64,
}

/// Units, to be changed.
pub struct UnitsMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl UnitsMut<'_> {
    /// Owes a report. An error if the same thing is owed already.
    pub fn owe(&self, new: &NewUnit) -> Result<()> {
        change(
            self.tx.conn,
            "INSERT INTO unit (id, producer, identity, session, root, route, process, turn, turn_number, command,
                 wants, created_at)
             SELECT ?1, ?2, ?3, session.id, session.root, session.route, ?5, ?6,
                 (SELECT number FROM turn WHERE turn.id = ?6), ?7, ?8, ?9
             FROM session WHERE session.id = ?4",
            args![
                new.id,
                new.producer,
                new.identity,
                new.session,
                new.process,
                new.turn,
                new.command,
                new.wants,
                new.at
            ],
        )?;
        self.tx.touch_session(new.session)
    }

    /// Owes a report that is complete at once. One that is owed already under this name is left as it is; whether it
    /// is new.
    pub fn tell(&self, new: &NewUnit, news: &News, report: &Report) -> Result<bool> {
        let sql = "SELECT id FROM unit WHERE identity = ?1";
        if value::<UnitId>(self.tx.conn, sql, args![new.identity])?.is_some() {
            return Ok(false);
        }
        self.owe(new)?;
        let sql = "UPDATE unit SET news = ?2, pattern = ?3, number = ?4, matched = ?5, suppressed = ?6 WHERE id = ?1";
        let params = args![new.id, news.news, news.pattern, news.number, news.matched, news.suppressed];
        change(self.tx.conn, sql, params)?;
        self.finish(new.id, report)
    }

    /// Puts a newer report in the place of one that nobody was told; whether it still was so.
    pub fn renew(&self, id: UnitId, news: &News, report: &Report) -> Result<bool> {
        let sql =
            "UPDATE unit SET output_tail = ?2, output_bytes = ?3, duration_ms = ?4, number = ?5, finished_at = ?6,
                known_at = ?7
            WHERE id = ?1 AND delivery = 'pending' RETURNING session";
        let (tail, bytes) = (&report.output_tail, report.output_bytes);
        let params = args![id, tail, bytes, report.duration_ms, news.number, report.at, report.known_at];
        self.touched(value(self.tx.conn, sql, params)?)
    }

    /// Completes the report; whether the work was still running.
    pub fn finish(&self, id: UnitId, report: &Report) -> Result<bool> {
        let (kind, number) = exit_columns(report.exit);
        let sql = "UPDATE unit SET work = 'finished', state = ?2, exit_kind = ?3, exit_number = ?4, stopped_by = ?5,
                duration_ms = ?6, output_tail = ?7, output_bytes = ?8, finished_at = ?9, known_at = ?10, category = ?11
            WHERE id = ?1 AND work = 'running' RETURNING session";
        let params = args![
            id,
            report.state,
            kind,
            number,
            report.stopped_by,
            report.duration_ms,
            report.output_tail,
            report.output_bytes,
            report.at,
            report.known_at,
            report.category()
        ];
        self.touched(value(self.tx.conn, sql, params)?)
    }

    /// Makes reports part of an input; how many of them were complete and still owed.
    pub fn deliver(&self, ids: &[UnitId], admission: AdmissionId) -> Result<usize> {
        let sql = "UPDATE unit SET delivery = 'delivered', admission = ?2, attempts = attempts + 1
            WHERE id = ?1 AND work = 'finished' AND delivery = 'pending' RETURNING session";
        let mut delivered = 0;
        for id in ids {
            delivered += usize::from(self.touched(value(self.tx.conn, sql, args![id, admission])?)?);
        }
        Ok(delivered)
    }

    /// Takes a report back out of an input that waits in the queue; whether it was in one.
    pub fn recall(&self, id: UnitId) -> Result<bool> {
        let sql = "UPDATE unit SET delivery = 'pending', admission = NULL
            WHERE id = ?1 AND delivery = 'delivered'
                AND admission IN (SELECT id FROM admission WHERE status = 'queued') RETURNING session";
        self.touched(value(self.tx.conn, sql, args![id])?)
    }

    /// Hands reports that nobody was told to another session of the same person; how many it still could.
    pub fn move_to(&self, ids: &[UnitId], session: SessionId) -> Result<usize> {
        let sql = "UPDATE unit SET session = ?2 WHERE id = ?1 AND delivery = 'pending' RETURNING session";
        let mut moved = 0;
        for id in ids {
            moved += usize::from(self.touched(value(self.tx.conn, sql, args![id, session])?)?);
        }
        Ok(moved)
    }

    /// A line in the transcript has told it; whether nobody was told yet.
    pub fn told(&self, id: UnitId) -> Result<bool> {
        let sql = "UPDATE unit SET delivery = 'delivered' WHERE id = ?1 AND work = 'finished' AND delivery = 'pending'
            RETURNING session";
        self.touched(value(self.tx.conn, sql, args![id])?)
    }

    /// It asks for a turn from now on; whether it asked for less.
    pub fn promote(&self, id: UnitId) -> Result<bool> {
        let sql = "UPDATE unit SET wants = 'turn' WHERE id = ?1 AND wants <> 'turn' AND delivery = 'pending'
            RETURNING session";
        self.touched(value(self.tx.conn, sql, args![id])?)
    }

    /// Its conversation could not take it: it is tried again at that time. One that was tried in earnest counts.
    pub fn refused(&self, id: UnitId, next_at: EpochMs, in_earnest: bool) -> Result<bool> {
        let sql = "UPDATE unit SET refusals = refusals + 1, attempts = attempts + ?3, next_at = ?2
            WHERE id = ?1 AND delivery = 'pending' RETURNING session";
        self.touched(value(self.tx.conn, sql, args![id, next_at, in_earnest])?)
    }

    /// A person lets a report go on that was held, or dropped, into the session that they choose; whether it could. With
    /// it go those that its incident also tells of, and that incident is closed.
    pub fn release(&self, id: UnitId, session: SessionId, at: EpochMs) -> Result<bool> {
        let Some(unit) = self.tx.units().get(id)? else { return Ok(false) };
        let sql = "UPDATE unit SET delivery = 'pending', dropped = NULL, held = 0, next_at = 0, refusals = 0,
                attempts = 0, session = ?2, root = (SELECT root FROM session WHERE session.id = ?2),
                route = (SELECT route FROM session WHERE session.id = ?2), known_at = ?3, wants = 'turn', incident = NULL
            WHERE (id = ?1 OR incident = ?4) AND work = 'finished'
                AND (delivery = 'dropped' OR delivery = 'pending' AND held = 1)";
        if change(self.tx.conn, sql, args![id, session, at, unit.incident])? == 0 {
            return Ok(false);
        }
        self.tx.touch_session(session)?;
        if let Some(incident) = unit.incident {
            self.tx.incidents_mut().resolve(incident, at)?;
        }
        self.tx.touch_incidents()?;
        Ok(true)
    }

    /// Notes that another way told it; whether nobody was told yet. A report whose input still waits in the queue was
    /// told to nobody: it leaves that input, and an input that is left without reports is withdrawn.
    pub fn consume(&self, id: UnitId, by: ConsumedBy) -> Result<bool> {
        let Some(unit) = self.tx.units().get(id)? else { return Ok(false) };
        let sql = "UPDATE unit SET delivery = 'consumed', consumed = ?2, admission = NULL
            WHERE id = ?1 AND (delivery = 'pending' OR delivery = 'delivered' AND admission IN (
                SELECT id FROM admission WHERE status = 'queued')) RETURNING session";
        if !self.touched(value(self.tx.conn, sql, args![id, by])?)? {
            return Ok(false);
        }
        if unit.held {
            self.tx.touch_incidents()?;
        }
        if let Some(admission) = unit.admission
            && self.tx.units().by_admission(admission)?.is_empty()
        {
            self.tx.admissions_mut().cancel(admission)?;
        }
        Ok(true)
    }

    /// Takes a consumption back whose reason did not come true: the work goes on, and its report is owed again.
    pub fn owe_again(&self, id: UnitId) -> Result<bool> {
        let sql = "UPDATE unit SET delivery = 'pending', consumed = NULL
            WHERE id = ?1 AND work = 'running' AND delivery = 'consumed' RETURNING session";
        self.touched(value(self.tx.conn, sql, args![id])?)
    }

    /// Notes that it cannot be told, and opens an incident; whether it was still owed.
    pub fn drop_(&self, id: UnitId, reason: DropReason) -> Result<bool> {
        let Some(unit) = self.tx.units().get(id)? else { return Ok(false) };
        let incident = IncidentId::from_uuid(self.tx.fresh());
        let sql = "UPDATE unit SET delivery = 'dropped', dropped = ?2, incident = ?3
            WHERE id = ?1 AND delivery = 'pending' RETURNING session";
        if !self.touched(value(self.tx.conn, sql, args![id, reason, incident])?)? {
            return Ok(false);
        }
        self.tell_dropped(incident, reason, unit)?;
        Ok(true)
    }

    /// Gives up everything that a session could not be told since this time; how many reports that were. However many,
    /// one incident tells of them, and shows the newest.
    pub fn give_up(&self, session: SessionId, since: EpochMs) -> Result<usize> {
        let tail = "FROM unit WHERE session = ?1 AND work = 'finished' AND delivery = 'pending' AND held = 0
            AND known_at < ?2 ORDER BY finished_at DESC, id DESC LIMIT 1";
        let Some(newest) = first::<UnitRow>(self.tx.conn, tail, args![session, since])? else { return Ok(0) };
        let incident = IncidentId::from_uuid(self.tx.fresh());
        let reason = DropReason::Expired;
        let sql = "UPDATE unit SET delivery = 'dropped', dropped = ?3, incident = ?4
            WHERE session = ?1 AND work = 'finished' AND delivery = 'pending' AND held = 0 AND known_at < ?2";
        let given_up = change(self.tx.conn, sql, args![session, since, reason, incident])?;
        self.tx.touch_session(session)?;
        self.tell_dropped(incident, reason, newest)?;
        Ok(given_up)
    }

    /// The incident carries the time of the work's end, since that is what nobody was told.
    fn tell_dropped(&self, id: IncidentId, reason: DropReason, unit: UnitRow) -> Result<()> {
        self.tx.incidents_mut().insert(&NewIncident {
            id,
            severity: "warning".to_owned(),
            cause: format!("report_dropped_{reason}"),
            subject: unit.id.to_string(),
            detail: unit.command,
            at: unit.finished_at.unwrap_or(unit.created_at),
        })
    }

    fn touched(&self, session: Option<SessionId>) -> Result<bool> {
        session.map_or(Ok(false), |session| self.tx.touch_session(session).map(|()| true))
    }
}
