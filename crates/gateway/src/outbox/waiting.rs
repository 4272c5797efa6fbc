//! Words to channels about which a person decides: those of a restored backup, and those that were given up.

use gatehouse_channel::read_origin;
use gatehouse_domain::{EpochMs, ObligationId, Origin, SegmentKind, SessionId, Target};
use gatehouse_store::ObligationRow;

use super::files;
use crate::error::Result;
use crate::gateway::Gateway;

/// Words of an answer, or files of it, that did not go by themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingLetter {
    /// Its id, by which an incident names it.
    pub id: ObligationId,
    /// The conversation that owes it.
    pub session: SessionId,
    /// The platform that people see.
    pub platform: String,
    /// The chat, as people call it where that is known.
    pub chat: String,
    /// The words; empty for files.
    pub text: String,
    /// The names of its files.
    pub files: Vec<String>,
    /// Since when it is owed.
    pub since: EpochMs,
    /// A restored backup owes it: it may have been told since.
    pub held: bool,
    /// A person can send it.
    pub can_be_sent: bool,
}

impl WaitingLetter {
    pub(crate) fn of(row: ObligationRow) -> Self {
        let (letter, session) = (row.id, row.session);
        let origin = read_origin(&row.origin)
            .inspect_err(|error| tracing::warn!(%letter, %session, "Words wait whose chat nobody can name: {error:#}"))
            .ok();
        let can_be_sent = row.waits_for_person();
        let (text, files) = match row.kind {
            SegmentKind::Media => (String::new(), files::names(&row.payload)),
            SegmentKind::Text | SegmentKind::Edit | SegmentKind::Notice => (row.payload, Vec::new()),
        };
        Self {
            id: row.id,
            session: row.session,
            platform: row.platform,
            chat: origin.map(|origin| called(&origin)).unwrap_or_default(),
            text,
            files,
            since: row.created_at,
            held: row.held,
            can_be_sent,
        }
    }
}

fn called(origin: &Origin) -> String {
    let named = origin.chat_name.clone().or_else(|| origin.participant_name.clone());
    let id = || Target::of(origin).map(|target| target.chat.to_string());
    named.filter(|name| !name.trim().is_empty()).or_else(id).unwrap_or_default()
}

impl Gateway {
    /// What became of the words that a turn owed to a channel.
    pub fn letters_of(&self, turn: gatehouse_domain::TurnId) -> Result<Vec<ObligationRow>> {
        Ok(self.core().store.read(|s| s.outbox().by_turn(turn))?)
    }
}
