//! The notices that a planned restart owes: who asked is told with a line in their session, and each chat that takes words
//! of the house through its channel, as soon as that is connected.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::select_all;
use gatehouse_channel::{Channel, Letter, Link, Parcel, SendOutcome};
use gatehouse_delivery::outbox::{
    Answerer, NoticeDelivery, NoticePlan, Standing as Line, Wanted, after_private, answerer, plan_notice,
};
use gatehouse_delivery::owed::{Owed, STALE, Standing, Step, reach, words};
use gatehouse_domain::{EpochMs, NoticeId, OwedKind, OwedState, ProfileName, SessionId, Target};
use gatehouse_store::NoticeOwedRow;

use super::begin::line;
use crate::core::Core;
use crate::error::Result;

/// What is settled is remembered for so long.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Tells those who asked for the restart, in the transaction that writes down that they were told.
pub(crate) async fn requesters(core: &Core) -> Result<()> {
    let now = core.now();
    let open = core.store.read(|s| s.notices_owed().open())?;
    let mine = open.into_iter().filter(|row| row.kind == OwedKind::Requester);
    // Who asked from outside is told there, like any other chat.
    let mut told = Vec::new();
    for row in mine {
        if outside(core, &row)?.is_none() {
            told.push((row.id, is_stale(&row, now), session_line(core, &row)));
        }
    }
    core.store
        .write(move |tx| {
            tx.notices_owed_mut().forget(EpochMs(now.0.saturating_sub(millis(KEPT))))?;
            for (id, stale, line) in &told {
                let known = match line {
                    Some(line) => tx.sessions().get(line.session)?.is_some(),
                    None => false,
                };
                let state = match line {
                    _ if *stale => OwedState::Expired,
                    Some(line) if known => {
                        tx.items_mut().insert(line)?;
                        OwedState::Sent
                    }
                    Some(_) | None => OwedState::Suppressed,
                };
                tx.notices_owed_mut().settle(*id, state, "")?;
            }
            Ok(())
        })
        .await?;
    Ok(())
}

fn session_line(core: &Core, row: &NoticeOwedRow) -> Option<gatehouse_store::NewItem> {
    row.target.parse::<SessionId>().ok().map(|session| line(core, session, &row.body))
}

const fn is_stale(row: &NoticeOwedRow, now: EpochMs) -> bool {
    now.0.saturating_sub(row.owed_since.0) >= millis(STALE)
}

const fn millis(span: Duration) -> i64 {
    // Spans of days.
    span.as_secs().cast_signed() * 1_000
}

/// Tells the chats, until nothing is owed or the house closes.
pub(crate) async fn homes(core: Arc<Core>) {
    let closing = core.closing.clone();
    tokio::select! {
        () = closing.cancelled() => {}
        ended = tell_homes(&core) => if let Err(error) = ended {
            tracing::error!("What a restart owes cannot be told; the next start tries again: {error:#}");
        }
    }
}

async fn tell_homes(core: &Core) -> Result<()> {
    let mut links: Vec<_> = core.outbox.channels().iter().map(|channel| channel.link()).collect();
    let mut not_before = HashMap::new();
    loop {
        links.iter_mut().for_each(|link| drop(link.borrow_and_update()));
        let Some(again) = round(core, &mut not_before).await? else { return Ok(()) };
        let wait = Duration::from_millis(again.since(core.now()));
        // A channel that is gone changes no more.
        let changed = links.iter_mut().map(|link| {
            Box::pin(async {
                if link.changed().await.is_err() {
                    std::future::pending().await
                }
            })
        });
        let changed: Vec<_> = changed.collect();
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = any(changed) => {}
        }
    }
}

async fn any<F: Future<Output = ()> + Unpin>(futures: Vec<F>) {
    if futures.is_empty() {
        return std::future::pending().await;
    }
    select_all(futures).await;
}

/// Does for each notice what is next; when to look again, if anything is still owed.
async fn round(core: &Core, not_before: &mut HashMap<NoticeId, EpochMs>) -> Result<Option<EpochMs>> {
    let mut again: Option<EpochMs> = None;
    let open = core.store.read(|s| s.notices_owed().open())?;
    for row in open {
        let target = place(core, &row)?;
        let mut owed = owed_of(&row, not_before);
        let mut step = look(core, target.as_ref(), owed);
        while step == Step::Send {
            let Some((channel, target)) = target.as_ref().and_then(|target| way(core, target)) else { break };
            owed = send(core, &row, owed, channel, target).await?;
            step = look(core, Some(target), owed);
        }
        not_before.insert(row.id, owed.not_before);
        match step {
            Step::End(state) => settle(core, row.id, state, "").await?,
            Step::Wait(at) => again = Some(again.map_or(at, |sooner| sooner.min(at))),
            Step::Rest | Step::Send => {}
        }
    }
    Ok(again)
}

fn owed_of(row: &NoticeOwedRow, not_before: &HashMap<NoticeId, EpochMs>) -> Owed {
    let not_before = not_before.get(&row.id).copied().unwrap_or(row.owed_since);
    Owed { state: row.state, attempts: row.attempts, since: row.owed_since, not_before }
}

/// Where a notice goes, if it is still wanted there.
fn place(core: &Core, row: &NoticeOwedRow) -> Result<Option<Target>> {
    match row.kind {
        OwedKind::Home => Ok(reach(&core.config().homes(), &row.target).cloned()),
        OwedKind::Requester => {
            let wanted =
                |target: &Target| core.config().channel(&target.platform).is_none_or(|set| set.restart_notification);
            Ok(outside(core, row)?.filter(wanted))
        }
    }
}

fn outside(core: &Core, row: &NoticeOwedRow) -> Result<Option<Target>> {
    let session = row.target.parse::<SessionId>().ok();
    session.map_or(Ok(None), |session| super::outside(core, session))
}

fn look(core: &Core, target: Option<&Target>, owed: Owed) -> Step {
    let link = target.and_then(|target| match channel_for(core, target) {
        Answerer::Channel(_) => Some(Link::Up),
        Answerer::Down(_) => Some(Link::Down),
        Answerer::Nobody => None,
    });
    owed.next(Standing { now: core.now(), link, wanted: target.is_some() })
}

/// The channel that speaks there.
fn way<'a>(core: &'a Core, target: &'a Target) -> Option<(&'a dyn Channel, &'a Target)> {
    match channel_for(core, target) {
        Answerer::Channel(at) => core.outbox.channels().get(at).map(|channel| (&**channel, target)),
        Answerer::Down(_) | Answerer::Nobody => None,
    }
}

/// Which channel of this profile speaks there. No other profile's ever does.
fn channel_for(core: &Core, target: &Target) -> Answerer {
    let Ok(profile) = ProfileName::new(core.profile.clone()) else { return Answerer::Nobody };
    let lines: Vec<_> = core
        .outbox
        .channels()
        .iter()
        .map(|channel| Line {
            profile: &profile,
            platform: channel.platform(),
            fronts: channel.fronts(&target.platform),
            link: *channel.link().borrow(),
        })
        .collect();
    answerer(&lines, Wanted { profile: &profile, platform: &target.platform, via_relay: false })
}

/// Hands one notice over. It counts as sent before, so that an end of the gateway in between tells nobody twice.
async fn send(core: &Core, row: &NoticeOwedRow, owed: Owed, channel: &dyn Channel, target: &Target) -> Result<Owed> {
    let id = row.id;
    core.store.write(move |tx| tx.notices_owed_mut().hand_over(id)).await?;
    let setting = core.config().channel(&target.platform).map(|set| set.notice_delivery).unwrap_or_default();
    let outcome = hand_over(channel, target, &row.body, setting).await;
    let owed = owed.handed_over().answered(&outcome, core.now());
    if owed.state == OwedState::Owed {
        tracing::warn!(target = row.target, "A restart could not be told: {}.", words(&outcome));
    }
    settle(core, id, owed.state, words(&outcome)).await?;
    Ok(owed)
}

async fn hand_over(channel: &dyn Channel, target: &Target, body: &str, setting: NoticeDelivery) -> SendOutcome {
    let letter = |parcel| Letter { target: target.clone(), anchor: None, notify: false, parcel };
    let aloud = letter(Parcel::Text(body.to_owned()));
    channel.prime(target).await;
    match plan_notice(setting, channel.capabilities(), target, false) {
        NoticePlan::Skip => SendOutcome::NothingToSend,
        NoticePlan::Public => channel.send(&aloud).await,
        NoticePlan::Private(to) => {
            let outcome = channel.send(&letter(Parcel::PrivateNotice { to, text: body.to_owned() })).await;
            match after_private(&outcome) {
                NoticePlan::Public => channel.send(&aloud).await,
                NoticePlan::Skip | NoticePlan::Private(_) => outcome,
            }
        }
    }
}

async fn settle(core: &Core, id: NoticeId, state: OwedState, why: &str) -> Result<()> {
    let why = why.to_owned();
    core.store.write(move |tx| tx.notices_owed_mut().settle(id, state, &why)).await?;
    Ok(())
}
