//! Notices that are owed to chats which take words of the house: that a planned restart is over, and what is wrong with
//! the data. Each is told through its channel, as soon as that is connected.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::select_all;
use gatehouse_channel::Channel;
use gatehouse_delivery::owed::{Owed, Standing, Step, owed_to, place, reach, words};
use gatehouse_domain::{EpochMs, NoticeId, OwedKind, OwedState, Target};
use gatehouse_store::{NewNoticeOwed, NoticeOwedRow};

use crate::core::Core;
use crate::error::Result;
use crate::household::{Claim, Turn};
use crate::outbox::hand;
use crate::restart;

mod desk; // what is owed, in the rows or in memory
mod trouble; // what is wrong with the data, as long as it is
mod way; // which channel speaks there

use desk::Desk;
use trouble::{Trouble, Watch};

/// Why a chat is not told what it knows.
const TOLD: &str = "another profile has told it";
/// Rows that cannot be read or written are tried again after so long.
const AGAIN: Duration = Duration::from_secs(30);

/// Until the house closes.
pub(crate) async fn tell(core: Arc<Core>) {
    let closing = core.closing.clone();
    tokio::select! {
        () = closing.cancelled() => {}
        () = run(&core) => {}
    }
}

async fn run(core: &Core) {
    let mut teller = Teller { core, desk: Desk::of(core), watch: Watch::default() };
    let mut links: Vec<_> = core.outbox.channels().iter().map(|channel| channel.link()).collect();
    let (mut trouble, mut rows) = (core.store.watch_trouble(), core.store.watch());
    let mut told = core.told.watch();
    let has_channels = !links.is_empty();
    loop {
        links.iter_mut().for_each(|link| drop(link.borrow_and_update()));
        trouble.mark_unchanged();
        rows.mark_unchanged();
        told.mark_unchanged();
        let again = teller.round().await.unwrap_or_else(|error| {
            tracing::error!("What is owed to chats cannot be told yet: {error:#}");
            Some(core.now().after(AGAIN))
        });
        let linked = links.iter_mut().map(|link| Box::pin(heard(link.changed())));
        let linked: Vec<_> = linked.collect();
        tokio::select! {
            () = sleep(again.map(|at| Duration::from_millis(at.since(core.now())))) => {}
            () = any(linked) => {}
            () = heard(trouble.changed()) => {}
            // Another profile may have told a chat of ours.
            () = heard(told.changed()) => {}
            // Damage of the index and of a copy is told by an incident. Rows change all the time, so where nobody could be
            // told of it, nobody looks.
            () = heard(rows.changed()), if has_channels => {}
        }
    }
}

/// Whoever is gone changes no more.
async fn heard<E>(change: impl Future<Output = std::result::Result<(), E>>) {
    if change.await.is_err() {
        std::future::pending().await
    }
}

async fn any<F: Future<Output = ()> + Unpin>(futures: Vec<F>) {
    if futures.is_empty() {
        return std::future::pending().await;
    }
    select_all(futures).await;
}

async fn sleep(rest: Option<Duration>) {
    match rest {
        Some(rest) => tokio::time::sleep(rest).await,
        None => std::future::pending().await,
    }
}

struct Teller<'c> {
    core: &'c Core,
    desk: Desk<'c>,
    watch: Watch,
}

impl Teller<'_> {
    /// Does for each notice what is next; when to look again.
    async fn round(&mut self) -> Result<Option<EpochMs>> {
        let seen = self.watch.look(self.core);
        for trouble in &seen.news {
            self.warn(trouble).await?;
        }
        let mut again = seen.again;
        for row in self.desk.open()? {
            if let Some(at) = self.notice(&row).await? {
                again = Some(again.map_or(at, |sooner: EpochMs| sooner.min(at)));
            }
        }
        Ok(again)
    }

    /// Owes a warning to each chat that takes words of the house, once in this run.
    async fn warn(&mut self, trouble: &Trouble) -> Result<()> {
        let mut told: HashSet<String> = HashSet::new();
        for target in owed_to(&self.core.config().homes(), OwedKind::Trouble) {
            if told.insert(target.clone()) {
                let new = NewNoticeOwed {
                    kind: OwedKind::Trouble,
                    target,
                    restart: self.run_number(),
                    cause: trouble.cause.code().to_owned(),
                    body: format!("The data of the profile {} is in trouble. {}", self.core.profile, trouble.words),
                    at: self.core.now(),
                };
                self.desk.owe(new).await?;
            }
        }
        Ok(())
    }

    fn run_number(&self) -> u64 {
        self.core.restart.number().unwrap_or(0)
    }

    /// Does what is next about one; when to look at it again, if it is still owed.
    async fn notice(&mut self, row: &NoticeOwedRow) -> Result<Option<EpochMs>> {
        if row.kind != OwedKind::Trouble && row.restart == self.run_number() {
            // The restart that it tells of is still to come.
            return Ok(None);
        }
        if let Some(why) = self.is_unwanted(row)? {
            self.desk.settle(row.id, OwedState::Suppressed, why).await?;
            return Ok(None);
        }
        let target = self.place(row)?;
        // Trouble is news of one profile, and nobody else's.
        let chat = target.as_ref().filter(|_| row.kind != OwedKind::Trouble);
        let chat = chat.map(|target| place(&target.platform, &target.chat));
        if chat.as_ref().is_some_and(|chat| self.core.told.is_told(chat)) {
            self.desk.settle(row.id, OwedState::Suppressed, TOLD).await?;
            return Ok(None);
        }
        let mut owed = self.desk.owed(row);
        let mut step = look(self.core, target.as_ref(), owed);
        while step == Step::Send {
            let Some((channel, target)) = target.as_ref().and_then(|target| way::to(self.core, target)) else { break };
            if row.kind == OwedKind::Trouble && !trouble::lasts(self.core, &row.cause).await {
                self.desk.settle(row.id, OwedState::Suppressed, "it passed before it was told").await?;
                return Ok(None);
            }
            let mut turn = match chat.as_ref().map(|chat| self.core.told.claim(chat)) {
                Some(Claim::Mine(turn)) => Some(turn),
                // What becomes of it wakes us.
                Some(Claim::UnderWay | Claim::Told) => return Ok(None),
                None => None,
            };
            owed = self.send(row, owed, channel, target, turn.as_mut()).await?;
            step = look(self.core, Some(target), owed);
        }
        self.desk.wait(row.id, owed.not_before);
        match step {
            Step::End(state) => self.desk.settle(row.id, state, "").await?,
            Step::Wait(at) => return Ok(Some(at)),
            Step::Rest | Step::Send => {}
        }
        Ok(None)
    }

    /// Why it is not told, whatever its channel does.
    fn is_unwanted(&self, row: &NoticeOwedRow) -> Result<Option<&'static str>> {
        let of_this_run = row.restart == self.run_number();
        Ok(match row.kind {
            // This run says it itself, if it is still so.
            OwedKind::Trouble if !of_this_run => Some("the program was started again since"),
            OwedKind::Trouble if self.place(row)?.is_none() => Some("such words are muted there"),
            OwedKind::Trouble | OwedKind::Home | OwedKind::Requester => None,
        })
    }

    /// Where a notice goes, if it is still wanted there.
    fn place(&self, row: &NoticeOwedRow) -> Result<Option<Target>> {
        let config = self.core.config();
        match row.kind {
            OwedKind::Home | OwedKind::Trouble => Ok(reach(&config.homes(), row.kind, &row.target).cloned()),
            OwedKind::Requester => {
                let wanted =
                    |target: &Target| config.channel(&target.platform).is_none_or(|set| set.restart_notification);
                Ok(restart::asked_outside(self.core, row)?.filter(wanted))
            }
        }
    }

    /// Hands one notice over. It counts as sent before, so that an end of the gateway in between tells nobody twice.
    async fn send(
        &mut self,
        row: &NoticeOwedRow,
        owed: Owed,
        channel: &dyn Channel,
        to: &Target,
        mut turn: Option<&mut Turn>,
    ) -> Result<Owed> {
        self.desk.hand_over(row.id).await?;
        if let Some(turn) = turn.as_deref_mut() {
            turn.counts_as_told(true);
        }
        let outcome = hand::notice(self.core, channel, to, &row.body).await;
        let owed = owed.handed_over().answered(&outcome, self.core.now());
        if owed.state == OwedState::Owed {
            tracing::warn!(target = row.target, "A notice could not be told: {}.", words(&outcome));
        }
        if let Some(turn) = turn {
            turn.counts_as_told(owed.state == OwedState::Sent);
        }
        self.desk.settle(row.id, owed.state, words(&outcome)).await?;
        Ok(owed)
    }
}

fn look(core: &Core, target: Option<&Target>, owed: Owed) -> Step {
    let link = target.and_then(|target| way::link(core, target));
    owed.next(Standing { now: core.now(), link, wanted: target.is_some() })
}

/// A name for a notice that no row has.
fn fresh(core: &Core) -> NoticeId {
    NoticeId::from_uuid(core.ids.fresh())
}
