//! What happened while nobody looked, and who is silenced.

mod words; // a fact in two lines of plain text
mod write; // facts that are worth a notice

pub(crate) use words::outcome;
pub(crate) use write::{asked, ended, failed_start, turn_ended};

use gatehouse_domain::{EpochMs, NoticeId, Rev, SessionId};
use gatehouse_store::{MuteRow, NoticeFull, Snapshot};

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

/// Notices that were written.
#[derive(Debug, Clone)]
pub struct NoticesSince {
    /// Ask again from here.
    pub rev: Rev,
    /// Each as it is now, the longest unchanged first.
    pub notices: Vec<NoticeFull>,
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

    /// Waits for notices that were written after a revision, new ones and those that are read now. For a shell that
    /// tells the system: begin with [`Gateway::rev`]. Nothing is done while no row is written, and it ends with
    /// [`Error::ShuttingDown`].
    pub async fn notices_after(&self, after: Rev) -> Result<NoticesSince> {
        let core = self.core();
        let mut rows = core.store.watch();
        let mut from = after;
        loop {
            let now = *rows.borrow_and_update();
            // A revision that this store has not reached is of another one: what comes from here on is new.
            from = from.min(now);
            let notices = core.store.read(|s| s.notices().after(from))?;
            if !notices.is_empty() {
                let newest = notices.iter().map(|notice| notice.row.rev).max().unwrap_or(now);
                return Ok(NoticesSince { rev: newest.max(now), notices });
            }
            from = now;
            tokio::select! {
                () = core.closing.cancelled() => return Err(Error::ShuttingDown),
                changed = rows.changed() => changed.map_err(|_| Error::ShuttingDown)?,
            }
        }
    }

    /// Marks notices as seen, or all of them.
    pub async fn mark_notices_read(&self, ids: Option<Vec<NoticeId>>) -> Result<()> {
        self.core().store.write(move |tx| tx.notices_mut().mark_read(ids.as_deref())).await?;
        Ok(())
    }

    /// Until when the system is told nothing; absent when it is told.
    pub fn quiet_until(&self) -> Result<Option<EpochMs>> {
        let until = self.core().store.read(|s| s.mutes().quiet_until())?;
        Ok(until.filter(|until| *until > self.now()))
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
