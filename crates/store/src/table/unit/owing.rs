//! Reports as they begin to be owed, and as their work ends.

use gatehouse_domain::{
    Category, EpochMs, Exit, ProcessId, ProcessState, Producer, SessionId, StoppedBy, TurnId, UnitId, Wants, WatchNews,
};

use super::UnitsMut;
use crate::error::Result;
use crate::sql::{args, change, exit_columns, value};

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
}
