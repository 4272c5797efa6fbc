//! A planned restart: somebody asks, turns that run get their time, the shell starts the program again, and who asked or
//! takes words of the house is told that it is back.

mod begin; // what a start makes of the starts before it
mod tell; // who asked is told
#[cfg(test)]
mod tests;

use std::sync::OnceLock;
use std::time::Duration;

use gatehouse_delivery::owed::{owed_to, place};
use gatehouse_domain::{EpochMs, OwedKind, SessionId, Target};
use gatehouse_store::{NewNoticeOwed, Tx};
use tokio::sync::{OnceCell, watch};
use tokio_util::sync::CancellationToken;

pub(crate) use begin::{After, begin, tell_loop};
pub(crate) use tell::{asked_outside, requesters};

use crate::core::Core;
use crate::error::{Error, Result};
use crate::gateway::Gateway;
use crate::outbox::came_from;

/// Running turns get so long to end.
pub(crate) const DRAIN_LIMIT: Duration = Duration::from_secs(20);
/// What is said afterwards.
const BACK: &str = "The gateway is back.";

/// A restart that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restarting {
    /// It does not wait for turns any longer then.
    pub by: EpochMs,
    /// Turns that are still at work.
    pub turns: u32,
}

/// The one restart that a run of the gateway can have.
#[derive(Debug)]
pub(crate) struct RestartDesk {
    /// This run's number among the starts.
    boot: OnceLock<u64>,
    /// Until when turns may take, once somebody has asked.
    by: watch::Sender<Option<EpochMs>>,
    /// Cancelled when nobody waits for turns any more.
    hurry: CancellationToken,
    drained: OnceCell<()>,
}

impl Default for RestartDesk {
    fn default() -> Self {
        Self {
            boot: OnceLock::new(),
            by: watch::Sender::new(None),
            hurry: CancellationToken::new(),
            drained: OnceCell::new(),
        }
    }
}

impl RestartDesk {
    /// This run's number among the starts, once it is written down.
    pub fn number(&self) -> Option<u64> {
        self.boot.get().copied()
    }

    /// Wakes whoever shows it.
    pub fn watch(&self) -> watch::Receiver<Option<EpochMs>> {
        self.by.subscribe()
    }
}

/// What there is to show of a restart, if one is under way.
pub(crate) fn now(core: &Core) -> Result<Option<Restarting>> {
    let by = *core.restart.by.borrow();
    by.map(|by| Ok(Restarting { by, turns: at_work(core)? })).transpose()
}

/// Turns that run and do not wait for a person: such a one would wait in vain, nobody's answer begins anything now. What
/// was handed on and finds nobody who begins it any more waits for the next start.
fn at_work(core: &Core) -> Result<u32> {
    let (running, asked) = core.store.read(|s| Ok((s.turns().all_running()?, s.approvals().all_pending()?)))?;
    let waits = |session: SessionId| asked.iter().any(|question| question.session == session);
    let at_work = running.iter().filter(|turn| core.actors.has(turn.session) && !waits(turn.session));
    Ok(u32::try_from(at_work.count()).unwrap_or(u32::MAX))
}

/// Where a conversation is held, if that is not in a window.
fn outside(core: &Core, session: SessionId) -> Result<Option<Target>> {
    let latest = core.store.read(|s| match s.sessions().get(session)? {
        Some(row) => s.incoming().latest(&row.route),
        None => Ok(None),
    })?;
    Ok(latest.as_ref().and_then(came_from).and_then(|origin| Target::of(&origin)))
}

impl Gateway {
    /// Plans a restart: nothing new begins from here on, and the shell starts the program again when the running turns
    /// have ended or had their time; `now` waits for none of them. Who asked in a session is told there afterwards.
    /// Whether they were the first: a second one is under way with the first.
    pub async fn restart(&self, requester: Option<SessionId>, now: bool) -> Result<bool> {
        let core = self.core();
        let first = self.plan(requester).await?;
        if first {
            tracing::info!("A restart was asked for.");
            let by = core.now().0.saturating_add(i64::try_from(DRAIN_LIMIT.as_millis()).unwrap_or(i64::MAX));
            core.restart.by.send_replace(Some(EpochMs(by)));
            core.draining.cancel();
        }
        if now {
            core.restart.hurry.cancel();
        }
        Ok(first)
    }

    /// Written before anything is stopped, so that a start after a kill knows it too.
    async fn plan(&self, requester: Option<SessionId>) -> Result<bool> {
        let core = self.core();
        if core.draining.is_cancelled() && core.restart.by.borrow().is_none() {
            return Err(Error::ShuttingDown);
        }
        let (at, number) = (core.now(), self.boot()?);
        let mut homes = owed_to(&core.config().homes(), OwedKind::Home);
        if let Some(target) = requester.map(|session| outside(core, session)).transpose()?.flatten() {
            // A chat reads it once.
            homes.retain(|home| *home != place(&target.platform, &target.chat));
        }
        let owed = Owed { homes, restart: number, at };
        let planned = core.store.write(move |tx| {
            let first = tx.boots_mut().plan(number, at)?;
            if first {
                owed.record(tx, requester)?;
            }
            Ok(first)
        });
        Ok(planned.await?)
    }

    /// Somebody who keeps this program running ends it, and is going to start it again: who takes words of the house is
    /// told afterwards. Turns that are cut off are nobody's plan.
    pub async fn ended_by_keeper(&self) -> Result<()> {
        let core = self.core();
        let owed =
            Owed { homes: owed_to(&core.config().homes(), OwedKind::Home), restart: self.boot()?, at: core.now() };
        core.store.write(move |tx| owed.record(tx, None)).await?;
        Ok(())
    }

    /// Answers once somebody has asked for a restart.
    pub async fn restart_asked(&self) {
        let mut asked = self.core().restart.watch();
        // The sender is our own.
        let _asked = asked.wait_for(Option::is_some).await;
    }

    /// Answers once nobody waits for turns any longer before the restart.
    pub async fn restart_hurried(&self) {
        self.core().restart.hurry.cancelled().await;
    }

    /// Nothing new begins from here on; answers when running turns have ended or had their time.
    pub async fn drain(&self) {
        let core = self.core();
        core.draining.cancel();
        let ends = async {
            self.turns_end().await;
            core.outbox.letters_end().await;
        };
        let drained = core.restart.drained.get_or_init(|| async {
            tokio::select! {
                () = ends => {}
                () = core.restart.hurry.cancelled() => tracing::info!("Turns are not waited for."),
                () = tokio::time::sleep(DRAIN_LIMIT) => {
                    tracing::warn!("Some turns or letters did not end in time; the next start takes them up.");
                }
            }
        });
        drained.await;
    }

    async fn turns_end(&self) {
        let mut rows = self.core().store.watch();
        loop {
            rows.borrow_and_update();
            match at_work(self.core()) {
                Ok(0) => return,
                Ok(_) => {}
                Err(error) => return tracing::error!("Running turns cannot be listed: {error:#}"),
            }
            if rows.changed().await.is_err() {
                return;
            }
        }
    }

    fn boot(&self) -> Result<u64> {
        self.core().restart.number().ok_or(Error::ShuttingDown)
    }
}

/// To whom a restart owes a notice.
struct Owed {
    homes: Vec<String>,
    restart: u64,
    at: EpochMs,
}

impl Owed {
    fn record(self, tx: &Tx<'_>, requester: Option<SessionId>) -> gatehouse_store::Result<()> {
        let notice = |kind, target| NewNoticeOwed {
            kind,
            target,
            restart: self.restart,
            cause: String::new(),
            body: BACK.into(),
            at: self.at,
        };
        if let Some(session) = requester {
            tx.notices_owed_mut().owe(&notice(OwedKind::Requester, session.to_string()))?;
        }
        for home in &self.homes {
            tx.notices_owed_mut().owe(&notice(OwedKind::Home, home.clone()))?;
        }
        Ok(())
    }
}
