//! Who is silenced: sources that stand in the list of notices and nothing more, and the hours in which nobody speaks.

use gatehouse_domain::{EpochMs, ProcessId, SessionId};
use rusqlite::Connection;

use super::profile_meta;
use crate::error::Result;
use crate::feed::ChangeKey;
use crate::sql::{all, args, change, record, values};
use crate::tx::Tx;

pub(crate) const ADDED: &str = "
CREATE TABLE mute (
    session BLOB NOT NULL REFERENCES session (id),
    command TEXT NOT NULL, -- empty: the whole session
    PRIMARY KEY (session, command)
) STRICT, WITHOUT ROWID;
";

record! {
    /// A source that is muted.
    MuteRow of "mute" {
        /// The session.
        session: SessionId,
        /// One command of it; empty for the whole session.
        command: String,
    }
}

/// Who is silenced, to be read.
pub struct Mutes<'c> {
    pub(crate) conn: &'c Connection,
}

impl Mutes<'_> {
    /// Every muted source.
    pub fn list(&self) -> Result<Vec<MuteRow>> {
        all(self.conn, "FROM mute ORDER BY session, command", [])
    }

    /// Until when the system is told nothing.
    pub fn quiet_until(&self) -> Result<Option<EpochMs>> {
        profile_meta::quiet_until(self.conn)
    }
}

/// Who is silenced, to be changed. Every change is one of the settings, so that windows read again.
pub struct MutesMut<'a> {
    pub(crate) tx: &'a Tx<'a>,
}

impl MutesMut<'_> {
    /// Mutes a session (an empty command) or one command of it, or lets it speak again; whether that changed anything.
    pub fn set(&self, session: SessionId, command: &str, muted: bool) -> Result<bool> {
        let sql = if muted {
            "INSERT INTO mute (session, command) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
        } else {
            "DELETE FROM mute WHERE session = ?1 AND command = ?2"
        };
        if change(self.tx.conn, sql, args![session, command])? == 0 {
            return Ok(false);
        }
        self.tx.touch_session(session)?;
        self.mark_processes(session, command)?;
        self.tx.touch_settings()?;
        Ok(true)
    }

    /// The system is told nothing until then.
    pub fn set_quiet(&self, until: Option<EpochMs>) -> Result<()> {
        profile_meta::set_quiet_until(self.tx.conn, until)?;
        self.tx.touch_settings()
    }

    /// The processes whose row says something else now. When a whole session is muted, those that are over are left
    /// as they are: they have nothing more to say, and there may be thousands.
    fn mark_processes(&self, session: SessionId, command: &str) -> Result<()> {
        let sql = "
            UPDATE process SET muted = NOT muted, rev = ?3
            WHERE session = ?1
                AND (command = ?2 OR ?2 = '' AND (muted OR state IN ('starting', 'running', 'stopping')))
                AND muted <> EXISTS (SELECT 1 FROM mute
                    WHERE mute.session = process.session AND mute.command IN ('', process.command))
            RETURNING id";
        let changed: Vec<ProcessId> = values(self.tx.conn, sql, args![session, command, self.tx.rev()])?;
        changed.into_iter().for_each(|id| self.tx.mark(ChangeKey::Process(id)));
        Ok(())
    }
}
