//! Words owed to channels.

use gatehouse_domain::{
    Category, EpochMs, Fence, IncidentId, Marker, ObligationId, OutboxState, SegmentKind, SessionId, TurnId,
};
use rusqlite::Connection;

use super::incident::NewIncident;
use crate::error::Result;
use crate::sql::{all, args, change, first, record, values};
use crate::tx::Tx;

pub(crate) const ADDED: &str = "
CREATE TABLE outbox (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT, -- the order in which they are owed
    id           BLOB    NOT NULL UNIQUE,
    route        TEXT    NOT NULL,
    platform     TEXT    NOT NULL,
    origin       TEXT    NOT NULL,
    session      BLOB    NOT NULL REFERENCES session (id),
    turn         BLOB, -- absent: nobody's answer
    segment      INTEGER NOT NULL,
    kind         TEXT    NOT NULL,
    payload      TEXT    NOT NULL,
    category     TEXT    NOT NULL DEFAULT 'result', -- what sort of thing it tells: a channel may be spared diagnostics
    anchor       TEXT, -- absent: it quotes nothing
    ledger       TEXT    NOT NULL,
    live_message TEXT, -- absent: nothing of it was streamed
    state        TEXT    NOT NULL DEFAULT 'pending',
    marker       TEXT, -- absent: nobody can have seen it
    attempts     INTEGER NOT NULL DEFAULT 0,
    not_before   INTEGER, -- absent, when it has failed: with the next connection
    fence        INTEGER NOT NULL DEFAULT 0,
    last_error   TEXT    NOT NULL DEFAULT '',
    held         INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    UNIQUE (turn, segment)
) STRICT;
CREATE INDEX outbox_open ON outbox (platform, seq) WHERE state IN ('pending', 'sending', 'failed');
CREATE INDEX outbox_ended ON outbox (updated_at)
    WHERE state IN ('delivered', 'declined', 'abandoned', 'suppressed');
";

record! {
    /// Words owed to a channel.
    ObligationRow of "outbox" {
        /// Its id.
        id: ObligationId,
        /// The lane of the conversation.
        route: String,
        /// The platform that people see.
        platform: String,
        /// Where they go, as the text of an origin.
        origin: String,
        /// The session that owes them.
        session: SessionId,
        /// The turn whose answer they are; none for words of the gateway.
        turn: Option<TurnId>,
        /// Which part of the answer.
        segment: u32,
        /// What is carried.
        kind: SegmentKind,
        /// The words, or the files as text.
        payload: String,
        /// What sort of thing it tells.
        category: Category,
        /// What is quoted.
        anchor: Option<String>,
        /// For which message; empty where nobody wrote.
        ledger: String,
        /// The message in whose place the words go.
        live_message: Option<String>,
        /// Where it stands.
        state: OutboxState,
        /// Why it was not over with the last send.
        marker: Option<Marker>,
        /// How often it was sent again.
        attempts: u32,
        /// When a failed one is tried again.
        not_before: Option<EpochMs>,
        /// How often it was claimed.
        fence: Fence,
        /// What the channel said last.
        last_error: String,
        /// Waits for a person's word: a restored backup owes it, and it may have been told since.
        held: bool,
        /// Since when it is owed.
        created_at: EpochMs,
        /// When it last changed.
        updated_at: EpochMs,
    }
}

impl ObligationRow {
    /// Whether a person can send it: it is held, or was given up.
    pub fn waits_for_person(&self) -> bool {
        self.state == OutboxState::Abandoned || self.held && !self.state.is_final()
    }
}

/// Words owed to channels, to be read.
pub struct Outbox<'c> {
    pub(crate) conn: &'c Connection,
}

/// Partial indexes are found by these words.
const OPEN: &str = "state IN ('pending', 'sending', 'failed')";

impl Outbox<'_> {
    /// The row with this id.
    pub fn get(&self, id: ObligationId) -> Result<Option<ObligationRow>> {
        first(self.conn, "FROM outbox WHERE id = ?1", args![id])
    }

    /// All parts of an answer, in order.
    pub fn by_turn(&self, turn: TurnId) -> Result<Vec<ObligationRow>> {
        all(self.conn, "FROM outbox WHERE turn = ?1 ORDER BY segment", args![turn])
    }

    /// Platforms to which something is owed that may go.
    pub fn platforms(&self) -> Result<Vec<String>> {
        values(self.conn, &format!("SELECT DISTINCT platform FROM outbox WHERE {OPEN} AND held = 0"), [])
    }

    /// The oldest rows of a platform that are not over and may go, in the order in which they are owed.
    pub fn open(&self, platform: &str, most: u32) -> Result<Vec<ObligationRow>> {
        let tail = format!("FROM outbox WHERE platform = ?1 AND {OPEN} AND held = 0 ORDER BY seq LIMIT ?2");
        all(self.conn, &tail, args![platform, most])
    }

    /// Rows of which nobody knows whether the channel has them.
    pub fn sending(&self) -> Result<Vec<ObligationRow>> {
        all(self.conn, &format!("FROM outbox WHERE {OPEN} AND state = 'sending' AND held = 0 ORDER BY seq"), [])
    }

    /// Rows that wait for a person's word.
    pub fn held(&self) -> Result<Vec<ObligationRow>> {
        all(self.conn, &format!("FROM outbox WHERE {OPEN} AND held = 1 ORDER BY seq"), [])
    }
}

/// Words to be owed.
#[derive(Debug, Clone)]
pub struct NewObligation {
    /// The lane of the conversation.
    pub route: String,
    /// The platform that people see.
    pub platform: String,
    /// Where they go, as the text of an origin.
    pub origin: String,
    /// The session that owes them.
    pub session: SessionId,
    /// The turn whose answer they are.
    pub turn: Option<TurnId>,
    /// Which part of the answer.
    pub segment: u32,
    /// What is carried.
    pub kind: SegmentKind,
    /// The words, or the files as text.
    pub payload: String,
    /// What sort of thing it tells.
    pub category: Category,
    /// What is quoted.
    pub anchor: Option<String>,
    /// For which message.
    pub ledger: String,
    /// The message in whose place the words go.
    pub live_message: Option<String>,
    /// When.
    pub at: EpochMs,
}

/// Where an obligation stands from now on.
#[derive(Debug, Clone)]
pub struct Progress {
    /// What is carried.
    pub kind: SegmentKind,
    /// Where it stands.
    pub state: OutboxState,
    /// How often it was sent again.
    pub attempts: u32,
    /// When a failed one is tried again.
    pub not_before: Option<EpochMs>,
    /// Why it was not over with the last send.
    pub marker: Option<Marker>,
    /// How often it was claimed.
    pub fence: Fence,
    /// What the channel said; absent: nothing new.
    pub error: Option<String>,
    /// When.
    pub at: EpochMs,
}

/// Words owed to channels, to be changed. They have no key on the feed, but raise the revision, so whoever sends them
/// looks again.
pub struct OutboxMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl OutboxMut<'_> {
    /// Records words. What was recorded for the same part of the same answer stays as it is; whether it is new.
    pub fn owe(&self, new: &NewObligation) -> Result<bool> {
        let sql = "INSERT INTO outbox
                (id, route, platform, origin, session, turn, segment, kind, payload, category, anchor, ledger,
                live_message, created_at, updated_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?14) ON CONFLICT DO NOTHING";
        let owed = change(
            self.tx.conn,
            sql,
            args![
                ObligationId::from_uuid(self.tx.fresh()),
                new.route,
                new.platform,
                new.origin,
                new.session,
                new.turn,
                new.segment,
                new.kind,
                new.payload,
                new.category,
                new.anchor,
                new.ledger,
                new.live_message,
                new.at
            ],
        )?;
        self.touched(owed)
    }

    /// Moves an open row on for somebody who knows its fence; an older one changes nothing. An end without a delivery
    /// is an incident.
    pub fn advance(&self, id: ObligationId, fence: Fence, to: &Progress) -> Result<bool> {
        let sql = format!(
            "UPDATE outbox SET kind = ?3, state = ?4, attempts = ?5, not_before = ?6, marker = ?7, fence = ?8,
                last_error = coalesce(?9, last_error), updated_at = ?10
            WHERE id = ?1 AND fence = ?2 AND {OPEN}"
        );
        let changed = change(
            self.tx.conn,
            &sql,
            args![id, fence, to.kind, to.state, to.attempts, to.not_before, to.marker, to.fence, to.error, to.at],
        )?;
        if changed > 0 {
            self.tell_end(id, to.state, to.at)?;
        }
        self.touched(changed)
    }

    /// Ends an open row together with the words that it belongs to; whether it was open.
    pub fn fall(&self, id: ObligationId, state: OutboxState, at: EpochMs) -> Result<bool> {
        let sql = format!("UPDATE outbox SET state = ?2, not_before = NULL, updated_at = ?3 WHERE id = ?1 AND {OPEN}");
        self.touched(change(self.tx.conn, &sql, args![id, state, at])?)
    }

    /// A person lets a row go that is held, or sends one again that was given up, with the files that fell with it; whether
    /// it was one of those. What may have been seen says so, and its incident is closed.
    pub fn send_again(&self, id: ObligationId, at: EpochMs) -> Result<bool> {
        let Some(row) = self.tx.outbox().get(id)?.filter(ObligationRow::waits_for_person) else { return Ok(false) };
        for row in self.with_fallen(&row)? {
            let sql = "UPDATE outbox SET
                    marker = CASE WHEN held = 1 THEN 'restart' WHEN fence > 0 THEN 'reconnect' END,
                    state = CASE WHEN held = 1 OR fence > 0 THEN 'failed' ELSE 'pending' END,
                    held = 0, attempts = 0, not_before = ?2, created_at = ?2, updated_at = ?2
                WHERE id = ?1";
            change(self.tx.conn, sql, args![row.id, at])?;
            self.tx.incidents_mut().resolve_of(&row.id.to_string(), at)?;
        }
        self.tx.rev();
        self.tx.touch_incidents()?;
        Ok(true)
    }

    /// A person does not want a held row sent: it is over, with its files. Whether it was held.
    pub fn put_away(&self, id: ObligationId, at: EpochMs) -> Result<bool> {
        let Some(row) = self.tx.outbox().get(id)?.filter(|row| row.held && !row.state.is_final()) else {
            return Ok(false);
        };
        for row in self.with_fallen(&row)? {
            let sql = "UPDATE outbox SET state = 'abandoned', held = 0, not_before = NULL,
                    last_error = 'a person put it away', updated_at = ?2
                WHERE id = ?1";
            change(self.tx.conn, sql, args![row.id, at])?;
        }
        self.tx.rev();
        self.tx.touch_incidents()?;
        Ok(true)
    }

    /// The row, and the files that stand with its words.
    fn with_fallen(&self, row: &ObligationRow) -> Result<Vec<ObligationRow>> {
        let of_turn = match (row.kind, row.turn) {
            (SegmentKind::Text | SegmentKind::Edit, Some(turn)) => self.tx.outbox().by_turn(turn)?,
            (SegmentKind::Text | SegmentKind::Edit | SegmentKind::Media | SegmentKind::Notice, _) => Vec::new(),
        };
        let fallen = of_turn.into_iter().filter(|other| other.kind == SegmentKind::Media && other.held == row.held);
        Ok(std::iter::once(row.clone()).chain(fallen.filter(ObligationRow::waits_for_person)).collect())
    }

    /// Forgets rows that ended before.
    pub fn forget(&self, before: EpochMs) -> Result<usize> {
        let sql = "DELETE FROM outbox WHERE updated_at < ?1
            AND state IN ('delivered', 'declined', 'abandoned', 'suppressed')";
        change(self.tx.conn, sql, args![before])
    }

    fn tell_end(&self, id: ObligationId, state: OutboxState, at: EpochMs) -> Result<()> {
        let cause = match state {
            OutboxState::Declined => "outbox_declined",
            OutboxState::Abandoned => "outbox_abandoned",
            OutboxState::Pending
            | OutboxState::Sending
            | OutboxState::Failed
            | OutboxState::Delivered
            | OutboxState::Suppressed => return Ok(()),
        };
        let Some(row) = self.tx.outbox().get(id)? else { return Ok(()) };
        self.tx.incidents_mut().insert(&NewIncident {
            id: IncidentId::from_uuid(self.tx.fresh()),
            severity: "error".to_owned(),
            cause: cause.to_owned(),
            subject: id.to_string(),
            detail: format!("{}: {}", row.platform, row.last_error),
            at,
        })
    }

    fn touched(&self, changed: usize) -> Result<bool> {
        if changed > 0 {
            self.tx.rev();
        }
        Ok(changed > 0)
    }
}
