//! Units: reports owed to a conversation.

use gatehouse_domain::{
    AdmissionId, ConsumedBy, DeliveryState, DropReason, EpochMs, Exit, IncidentId, ProcessId, ProcessState, Producer,
    SessionId, StoppedBy, TurnId, UnitId, WatchNews, WorkState,
};
use rusqlite::Connection;

use super::incident::NewIncident;
use crate::error::Result;
use crate::sql::{all, args, change, exit_columns, first, record, value, values};
use crate::tx::Tx;

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
        /// How often delivery was tried.
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
        /// Which hit or sign of life of its process it is.
        number: u32,
        /// How many lines were seen.
        matched: u32,
        /// How many were seen before and not told.
        suppressed: u64,
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

    /// What can be told to a session now, in the order in which the work ended.
    pub fn due(&self, session: SessionId) -> Result<Vec<UnitRow>> {
        all(
            self.conn,
            "FROM unit WHERE session = ?1 AND work = 'finished' AND delivery = 'pending' ORDER BY finished_at, id",
            args![session],
        )
    }

    /// The sessions that can be told something now.
    pub fn sessions_due(&self) -> Result<Vec<SessionId>> {
        let sql = "SELECT DISTINCT session FROM unit WHERE work = 'finished' AND delivery = 'pending' ORDER BY session";
        values(self.conn, sql, [])
    }

    /// How many reports the session is still owed whose work goes on.
    pub fn owed_elsewhere(&self, session: SessionId) -> Result<u32> {
        let sql = "SELECT count(*) FROM unit WHERE session = ?1 AND work = 'running' AND delivery = 'pending'";
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
    /// To whom.
    pub session: SessionId,
    /// The first session of that lineage.
    pub root: SessionId,
    /// The lane.
    pub route: String,
    /// The process it reports on.
    pub process: Option<ProcessId>,
    /// The turn that starts the work.
    pub turn: Option<TurnId>,
    /// What runs.
    pub command: String,
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
                 created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, (SELECT number FROM turn WHERE turn.id = ?8), ?9, ?10)",
            args![
                new.id,
                new.producer,
                new.identity,
                new.session,
                new.root,
                new.route,
                new.process,
                new.turn,
                new.command,
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
        let sql = "UPDATE unit SET output_tail = ?2, output_bytes = ?3, duration_ms = ?4, number = ?5, finished_at = ?6
            WHERE id = ?1 AND delivery = 'pending' RETURNING session";
        let params = args![id, report.output_tail, report.output_bytes, report.duration_ms, news.number, report.at];
        self.touched(value(self.tx.conn, sql, params)?)
    }

    /// Completes the report; whether the work was still running.
    pub fn finish(&self, id: UnitId, report: &Report) -> Result<bool> {
        let (kind, number) = exit_columns(report.exit);
        let sql = "UPDATE unit SET work = 'finished', state = ?2, exit_kind = ?3, exit_number = ?4, stopped_by = ?5,
                duration_ms = ?6, output_tail = ?7, output_bytes = ?8, finished_at = ?9
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
            report.at
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

    /// Notes that it cannot be told, and opens an incident; whether it was still owed. The incident carries the
    /// time of the work's end, since that is what nobody was told.
    pub fn drop_(&self, id: UnitId, reason: DropReason) -> Result<bool> {
        let sql = "UPDATE unit SET delivery = 'dropped', dropped = ?2
            WHERE id = ?1 AND delivery = 'pending' RETURNING session";
        if !self.touched(value(self.tx.conn, sql, args![id, reason])?)? {
            return Ok(false);
        }
        if let Some(unit) = self.tx.units().get(id)? {
            self.tx.incidents_mut().insert(&NewIncident {
                id: IncidentId::from_uuid(self.tx.fresh()),
                severity: "warning".to_owned(),
                cause: format!("report_dropped_{reason}"),
                subject: id.to_string(),
                detail: unit.command,
                at: unit.finished_at.unwrap_or(unit.created_at),
            })?;
        }
        Ok(true)
    }

    fn touched(&self, session: Option<SessionId>) -> Result<bool> {
        session.map_or(Ok(false), |session| self.tx.touch_session(session).map(|()| true))
    }
}
