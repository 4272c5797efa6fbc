//! One channel: what is next for it, who sends it, and what came of it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use gatehouse_channel::{Channel, Letter, Link, SendOutcome};
use gatehouse_delivery::outbox::{Answerer, GiveUp, Moment, Obligation, Queued, Step, falls_with, step};
use gatehouse_domain::{EpochMs, ObligationId, OutboxState, Platform, SegmentKind, TurnId};
use gatehouse_store::{Snapshot, Tx};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::OnItsWay;
use super::files;
use super::letter::{Addressed, owed, progress, said};
use crate::core::Core;
use crate::error::Result;

/// A channel that has not answered by then has not answered.
const SEND_LIMIT: Duration = Duration::from_secs(60);
/// Getting ready is a courtesy.
const PRIME_LIMIT: Duration = Duration::from_secs(10);
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
                let (before, row) = (owed(&addressed.row), &addressed.row);
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
            let unfit = match claim.owed.kind {
                SegmentKind::Media => files::refused(&core, &claim.addressed.row.payload).await,
                SegmentKind::Text | SegmentKind::Edit | SegmentKind::Notice => None,
            };
            let outcome = match (unfit, claim.addressed.letter(&*channel, claim.owed)) {
                (Some(why), _) => SendOutcome::Declined { why },
                (None, Some(letter)) => {
                    prime(&*channel, &letter).await;
                    hand_over(&*channel, &letter).await
                }
                (None, None) => SendOutcome::Declined { why: "this channel cannot carry such files".to_owned() },
            };
            let relinked = link.has_changed().unwrap_or(false) && *link.borrow() == Link::Up;
            settle(&core, &claim, &outcome, relinked).await;
            drop(way);
        });
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
        let mut ours = Vec::new();
        let Some(channel) = core.outbox.channels.get(at) else { return Ok(Self { ours, connected: false }) };
        let serves = |name: &str| Platform::new(name).is_ok_and(|p| *channel.platform() == p || channel.fronts(&p));
        for platform in rows.outbox().platforms()?.iter().filter(|name| serves(name)) {
            let open = rows.outbox().open(platform, MOST_LOOKED_AT)?.into_iter().filter_map(Addressed::read);
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
    }
}

async fn prime(channel: &dyn Channel, letter: &Letter) {
    let ready = AssertUnwindSafe(channel.prime(&letter.target)).catch_unwind();
    if !matches!(tokio::time::timeout(PRIME_LIMIT, ready).await, Ok(Ok(()))) {
        tracing::warn!(platform = %channel.platform(), "A channel did not get ready for a place in time.");
    }
}

/// What the channel says of a letter, or that nobody knows.
pub(super) async fn hand_over(channel: &dyn Channel, letter: &Letter) -> SendOutcome {
    let sending = AssertUnwindSafe(channel.send(letter)).catch_unwind();
    match tokio::time::timeout(SEND_LIMIT, sending).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) => SendOutcome::Ambiguous { why: "the channel failed while it sent this".to_owned() },
        Err(_) => SendOutcome::Ambiguous { why: "the channel did not answer".to_owned() },
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
pub(super) fn fall(tx: &Tx<'_>, id: ObligationId, at: EpochMs) -> gatehouse_store::Result<()> {
    let Some(row) = tx.outbox().get(id)? else { return Ok(()) };
    let Some(turn) = row.turn.filter(|_| is_lost(row.state)) else { return Ok(()) };
    for fallen in fallen(tx, id, turn)? {
        tx.outbox_mut().fall(fallen, row.state, at)?;
    }
    Ok(())
}

fn fallen(tx: &Tx<'_>, id: ObligationId, turn: TurnId) -> gatehouse_store::Result<Vec<ObligationId>> {
    let rows: Vec<_> = tx.outbox().by_turn(turn)?.into_iter().filter_map(Addressed::read).collect();
    let queued: Vec<_> = rows.iter().map(Addressed::queued).collect();
    let at = rows.iter().position(|row| row.row.id == id);
    Ok(at.map(|at| falls_with(&queued, at)).unwrap_or_default().into_iter().map(|at| rows[at].row.id).collect())
}

const fn is_lost(state: OutboxState) -> bool {
    match state {
        OutboxState::Declined | OutboxState::Abandoned => true,
        OutboxState::Pending | OutboxState::Sending | OutboxState::Failed | OutboxState::Delivered => false,
    }
}
