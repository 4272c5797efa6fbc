//! Who is owed what.

use gatehouse_domain::{AdmissionId, EpochMs, IncidentId, LONGEST_WAIT, OVERDUE, ProcessId, SessionId, TurnId, UnitId};

use super::{UnitRow, Units};
use crate::error::Result;
use crate::sql::{all, args, first, value, values};

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
