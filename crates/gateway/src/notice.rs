//! What happened while nobody looked, and who is silenced.

#[cfg(test)]
mod tests;
mod words; // a fact in two lines of plain text
mod write; // facts that are worth a notice

pub(crate) use words::{command_name, outcome};
pub(crate) use write::{asked, ended, failed_start, turn_ended};

use gatehouse_domain::{EpochMs, NoticeId, SessionId};
use gatehouse_store::{MuteRow, NoticeFull, NoticesSeen, Snapshot, Tx};

use crate::error::{Error, Result};
use crate::gateway::Gateway;

/// What a list of notices shows.
#[derive(Debug, Clone)]
pub struct NoticeList {
    /// The newest first.
    pub notices: Vec<NoticeFull>,
    /// How many are unread, of all.
    pub unread: u32,
    /// The system is told nothing until then.
    pub quiet_until: Option<EpochMs>,
    /// Who stands in the list and nothing more.
    pub muted: Vec<SilencedSource>,
}

/// A source that is muted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SilencedSource {
    /// The session.
    pub session: SessionId,
    /// Or one command of it.
    pub command: Option<String>,
    /// What it is called.
    pub title: String,
}

impl Gateway {
    /// The newest notices, and who is silenced.
    pub fn notices(&self, limit: u32) -> Result<NoticeList> {
        let list = self.core().store.read(|s| {
            Ok(NoticeList {
                notices: s.notices().newest(limit)?,
                unread: s.notices().unread()?,
                quiet_until: s.mutes().quiet_until()?,
                muted: s
                    .mutes()
                    .list()?
                    .into_iter()
                    .map(|row| silenced(s, row))
                    .collect::<gatehouse_store::Result<_>>()?,
            })
        })?;
        Ok(NoticeList { quiet_until: list.quiet_until.filter(|until| *until > self.now()), ..list })
    }

    /// Marks notices as seen, and with `and_older` those that were there before the last of them; without ids all of them.
    pub async fn mark_notices_read(&self, ids: Option<Vec<NoticeId>>, and_older: bool) -> Result<()> {
        let mark = move |tx: &Tx<'_>| {
            tx.notices_mut().mark_read(match &ids {
                None => NoticesSeen::All,
                Some(ids) if and_older => NoticesSeen::UpTo(ids),
                Some(ids) => NoticesSeen::These(ids),
            })
        };
        self.core().store.write(mark).await?;
        Ok(())
    }

    /// The system is told nothing until then, or is told again.
    pub async fn set_quiet(&self, until: Option<EpochMs>) -> Result<()> {
        let until = until.filter(|until| *until > self.now());
        self.core().store.write(move |tx| tx.mutes_mut().set_quiet(until)).await?;
        Ok(())
    }

    /// Mutes a session or one command of it, or lets it speak again.
    pub async fn set_muted(&self, session: SessionId, command: Option<String>, muted: bool) -> Result<()> {
        if command.as_deref().is_some_and(|command| command.trim().is_empty()) {
            return Err(Error::Invalid("An empty command cannot be muted. Nothing was changed.".into()));
        }
        self.core().require_session(session)?;
        let command = command.unwrap_or_default();
        self.core().store.write(move |tx| tx.mutes_mut().set(session, command.trim(), muted)).await?;
        Ok(())
    }
}

fn silenced(snap: &Snapshot<'_>, row: MuteRow) -> gatehouse_store::Result<SilencedSource> {
    let command = Some(row.command).filter(|command| !command.is_empty());
    let title = match &command {
        Some(command) => words::command_name(command),
        None => snap.sessions().get(row.session)?.map(|session| session.title).unwrap_or_default(),
    };
    Ok(SilencedSource { session: row.session, command, title })
}
