//! One channel: what is next for it, who sends it, and what came of it.

use std::sync::Arc;
use std::time::Duration;

use gatehouse_channel::{Channel, Link, SendOutcome};
use gatehouse_delivery::outbox::{Answerer, GiveUp, Moment, Obligation, Queued, Step, falls_with, marked, step};
use gatehouse_domain::{EpochMs, ObligationId, OutboxState, Platform, SegmentKind};
use gatehouse_store::{Snapshot, Tx};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::OnItsWay;
use super::letter::{Addressed, owed, progress, said};
use super::{files, hand};
use crate::core::Core;
use crate::error::Result;

/// Letters of one channel that are on their way at once, each to another chat.
const MOST_ON_THEIR_WAY: usize = 8;
/// So many open rows of a platform are looked at; what is behind them comes up when they are over.
const MOST_LOOKED_AT: u32 = 500;
/// A sleeping computer's timers stand still, so the wall is looked at this often while something waits for its time.
const LOOK: Duration = Duration::from_secs(60);
/// A store that cannot be written is tried again so often.
const AGAIN: Duration = Duration::from_secs(1);

/// Until the house closes.
pub(super) async fn run(core: Arc<Core>, at: usize) {
    let Some(channel) = core.outbox.channels.get(at).cloned() else { return };
    let mut lane = Lane { link: channel.link(), core, at, channel, on_their_way: JoinSet::new(), relinked: true };
    let mut rows = lane.core.store.watch();
    loop {
        rows.mark_unchanged();
        let rest = match lane.advance().await {
            Ok(rest) => rest,
            Err(error) => {
                tracing::error!(platform = %lane.channel.platform(), "What is owed cannot be sent yet: {error:#}");
                Some(AGAIN)
            }
        };
        let closing = lane.core.closing.clone();
        tokio::select! {
            () = closing.cancelled() => return,
            changed = rows.changed() => if changed.is_err() { return },
            () = lane.something() => {}
            () = sleep(rest) => {}
        }
    }
}

/// How long it is until then, at most until the next look.
fn span(now: EpochMs, until: EpochMs) -> Duration {
    Duration::from_millis(until.since(now)).min(LOOK)
}

async fn sleep(rest: Option<Duration>) {
    match rest {
        Some(rest) => tokio::time::sleep(rest).await,
        None => std::future::pending().await,
    }
}

struct Lane {
    core: Arc<Core>,
    at: usize,
    channel: Arc<dyn Channel>,
    link: watch::Receiver<Link>,
    /// The connection was made, for the first time or anew, and the rows do not know it yet.
    relinked: bool,
    on_their_way: JoinSet<()>,
}

/// What came of a look that may claim.
enum Looked {
    Sent(Box<Claim>),
    GaveUp,
    Rest(Option<EpochMs>),
}

/// A row that is claimed in the rows, and what it says.
struct Claim {
    addressed: Addressed,
    owed: Obligation,
}

impl Lane {
    /// Waits for an end of a send or a change of the connection.
    async fn something(&mut self) {
        let ended = async {
            match self.on_their_way.join_next().await {
                Some(_) => {}
                None => std::future::pending().await,
            }
        };
        let linked = async {
            if self.link.changed().await.is_err() {
                // The channel is gone; its rows wait for another one.
                std::future::pending::<()>().await;
            }
        };
        let changed = tokio::select! {
            () = ended => false,
            () = linked => true,
        };
        // A change that ends where it began was a reconnect too.
        self.relinked |= changed;
    }

    /// Sends what can be sent; how long nothing will happen by itself.
    async fn advance(&mut self) -> Result<Option<Duration>> {
        if self.relinked && *self.link.borrow_and_update() == Link::Up {
            self.linked().await?;
            self.relinked = false;
        }
        loop {
            while self.on_their_way.try_join_next().is_some() {}
            if self.on_their_way.len() >= MOST_ON_THEIR_WAY {
                return Ok(None);
            }
            let now = self.core.now();
            if let Step::Rest(until) = self.core.store.read(|rows| Ok(self.view(rows)?.step(now)))? {
                return Ok(until.map(|at| span(now, at)));
            }
            let Some(way) = self.core.outbox.set_out() else { return Ok(None) };
            match self.claim().await? {
                Looked::Sent(claim) => self.send(*claim, way),
                Looked::GaveUp => {}
                Looked::Rest(until) => return Ok(until.map(|at| span(now, at))),
            }
        }
    }

    /// What waits for a connection is due.
    async fn linked(&self) -> Result<()> {
        let (core, at, now) = (Arc::clone(&self.core), self.at, self.core.now());
        let linked = self.core.store.write(move |tx| {
            for addressed in View::of(&core, at, tx)?.ours {
                let (before, row) = (addressed.owed(), &addressed.row);
                let after = before.linked(now);
                if after != before {
                    tx.outbox_mut().advance(row.id, row.fence, &progress(after, None, now))?;
                }
            }
            Ok(())
        });
        Ok(linked.await?)
    }

    fn view(&self, rows: &Snapshot<'_>) -> gatehouse_store::Result<View> {
        View::of(&self.core, self.at, rows)
    }

    /// One transaction: what is next is chosen, and its row says that it is on its way.
    async fn claim(&self) -> Result<Looked> {
        let (core, at, now) = (Arc::clone(&self.core), self.at, self.core.now());
        let claimed = self.core.store.write(move |tx| {
            let mut view = View::of(&core, at, tx)?;
            let (index, after, why) = match view.step(now) {
                Step::Send(index, claimed) => (index, claimed, None),
                Step::GiveUp(index, given_up, why) => (index, given_up, Some(why)),
                Step::Rest(until) => return Ok(Looked::Rest(until)),
            };
            let (id, fence) = (view.ours[index].row.id, view.ours[index].row.fence);
            tx.outbox_mut().advance(id, fence, &progress(after, why.map(|why| gave_up(why).to_owned()), now))?;
            if why.is_some() {
                fall(tx, id, now)?;
                return Ok(Looked::GaveUp);
            }
            Ok(Looked::Sent(Box::new(Claim { addressed: view.ours.swap_remove(index), owed: after })))
        });
        Ok(claimed.await?)
    }

    fn send(&mut self, claim: Claim, way: OnItsWay) {
        let (core, channel) = (Arc::clone(&self.core), Arc::clone(&self.channel));
        let mut link = channel.link();
        link.mark_unchanged();
        self.on_their_way.spawn(async move {
            let outcome = hand_over(&core, &*channel, &claim).await;
            let relinked = link.has_changed().unwrap_or(false) && *link.borrow() == Link::Up;
            settle(&core, &claim, &outcome, relinked).await;
            drop(way);
        });
    }
}

/// What the channel says of a claimed row.
async fn hand_over(core: &Arc<Core>, channel: &dyn Channel, claim: &Claim) -> SendOutcome {
    let Claim { addressed, owed } = claim;
    let unfit = match owed.kind {
        SegmentKind::Notice => {
            let words = marked(&addressed.row.payload, owed.says());
            return hand::notice(core, channel, &addressed.target, &words).await;
        }
        SegmentKind::Media => files::refused(core, &addressed.row.payload).await,
        SegmentKind::Text | SegmentKind::Edit => None,
    };
    match (unfit, addressed.letter(channel, *owed)) {
        (Some(why), _) => SendOutcome::Declined { why },
        (None, Some(letter)) => {
            hand::prime(channel, &letter.target).await;
            hand::over(channel, &letter).await
        }
        (None, None) => SendOutcome::Declined { why: "this channel cannot carry such files".to_owned() },
    }
}

/// The open rows that concern a channel: its own, and those that another one of the same platforms sends right now,
/// because a chat hears one thing after the other.
struct View {
    ours: Vec<Addressed>,
    connected: bool,
}

impl View {
    fn of(core: &Core, at: usize, rows: &Snapshot<'_>) -> gatehouse_store::Result<Self> {
        let (mut ours, config) = (Vec::new(), core.config());
        let Some(channel) = core.outbox.channels.get(at) else { return Ok(Self { ours, connected: false }) };
        let serves = |name: &str| Platform::new(name).is_ok_and(|p| *channel.platform() == p || channel.fronts(&p));
        for platform in rows.outbox().platforms()?.iter().filter(|name| serves(name)) {
            let open = rows.outbox().open(platform, MOST_LOOKED_AT)?.into_iter();
            let open = open.filter_map(|row| Addressed::read(row, &config));
            ours.extend(open.filter(|row| row.row.state == OutboxState::Sending || is_for(core, at, row)));
        }
        Ok(Self { ours, connected: *channel.link().borrow() == Link::Up })
    }

    fn step(&self, now: EpochMs) -> Step {
        let queued: Vec<Queued<'_>> = self.ours.iter().map(Addressed::queued).collect();
        step(&queued, now, self.connected)
    }
}

fn is_for(core: &Core, at: usize, row: &Addressed) -> bool {
    match core.outbox.answerer(&row.row.route, &row.origin) {
        Answerer::Channel(index) | Answerer::Down(index) => index == at,
        Answerer::Nobody => false,
    }
}

pub(super) const fn gave_up(why: GiveUp) -> &'static str {
    match why {
        GiveUp::Spent => "sent as often as it may be, and never taken",
        GiveUp::TooOld => "not sent for a day",
        GiveUp::Muted => "this channel is spared such words",
    }
}

/// Writes down what came of a send, however long that takes: until then the row says that it is on its way.
async fn settle(core: &Arc<Core>, claim: &Claim, outcome: &SendOutcome, relinked: bool) {
    let (id, fence) = (claim.addressed.row.id, claim.owed.fence);
    loop {
        let (outcome, now) = (outcome.clone(), core.now());
        let written = core.store.write(move |tx| {
            let Some(row) = tx.outbox().get(id)? else { return Ok(()) };
            let Some(after) = owed(&row).settled(fence, &outcome, Moment { now, relinked }) else { return Ok(()) };
            tx.outbox_mut().advance(id, fence, &progress(after, said(&outcome), now))?;
            fall(tx, id, now)
        });
        match written.await {
            Ok(()) => return,
            Err(error) => tracing::error!(%id, "What came of a letter cannot be recorded yet: {error:#}"),
        }
        tokio::select! {
            () = core.closing.cancelled() => return,
            () = tokio::time::sleep(AGAIN) => {}
        }
    }
}

/// What makes no sense without words that did not go ends with them.
pub(super) fn fall(tx: &Tx<'_>, id: ObligationId, now: EpochMs) -> gatehouse_store::Result<()> {
    let Some(row) = tx.outbox().get(id)? else { return Ok(()) };
    let Some(turn) = row.turn.filter(|_| is_lost(row.state)) else { return Ok(()) };
    let rows = tx.outbox().by_turn(turn)?;
    let Some(at) = rows.iter().position(|row| row.id == id) else { return Ok(()) };
    let of_turn: Vec<_> = rows.iter().map(owed).collect();
    for fallen in falls_with(&of_turn, at) {
        tx.outbox_mut().fall(rows[fallen].id, row.state, now)?;
    }
    Ok(())
}

const fn is_lost(state: OutboxState) -> bool {
    match state {
        OutboxState::Declined | OutboxState::Abandoned => true,
        OutboxState::Pending
        | OutboxState::Sending
        | OutboxState::Failed
        | OutboxState::Delivered
        | OutboxState::Suppressed => false,
    }
}
