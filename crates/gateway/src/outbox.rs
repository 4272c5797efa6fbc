//! Words owed to channels leave the house.
//!
//! What is owed is written with the answer itself. One lane for each channel takes it from the rows: it claims a row,
//! sends only then, and writes down what came of it. What a crash leaves on its way is told with a marker.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use gatehouse_channel::{Channel, Letter};
use gatehouse_delivery::outbox::{Answerer, Standing, Wanted, answerer};
use gatehouse_domain::Origin;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::core::Core;
use crate::error::Result;

mod files; // the files of an answer as text, and back
pub(crate) mod first_words; // shown while the agent is still at work
pub(crate) mod hand; // what is handed over, and what the channel says
mod keep; // what nobody sends, and what is over
mod lane; // one channel
mod letter; // a row as policy sees it, and as it is handed over
mod owing; // what a turn that ends owes
mod waiting; // what a person decides about

pub(crate) use keep::keep;
pub(crate) use owing::{Ending, Owed, came_from, owe_notice};
pub use waiting::WaitingLetter;

/// The channels of this profile, and what is on its way to them.
pub(crate) struct Outbox {
    channels: Vec<Arc<dyn Channel>>,
    /// Lanes whose last message an authenticated relay brought in this run of the gateway. It is never written down.
    relayed: Mutex<HashSet<String>>,
    /// Letters between their claim and the row that says what came of them.
    on_their_way: watch::Sender<usize>,
    /// Cancelled when nothing more is claimed.
    closed: CancellationToken,
    /// Messages come in one after the other: a second hand-in of one finds the first.
    pub door: tokio::sync::Mutex<()>,
}

/// A letter on its way: a shutdown waits for it.
struct OnItsWay(watch::Sender<usize>);

impl Drop for OnItsWay {
    fn drop(&mut self) {
        self.0.send_modify(|letters| *letters = letters.saturating_sub(1));
    }
}

impl Outbox {
    pub fn new(channels: Vec<Arc<dyn Channel>>) -> Self {
        Self {
            channels,
            relayed: Mutex::default(),
            on_their_way: watch::Sender::new(0),
            closed: CancellationToken::new(),
            door: tokio::sync::Mutex::default(),
        }
    }

    /// Every channel of this profile.
    pub fn channels(&self) -> &[Arc<dyn Channel>] {
        &self.channels
    }

    /// Who answers on this lane. Every channel here belongs to the profile that the origin names.
    pub fn answerer(&self, route: &str, origin: &Origin) -> Answerer {
        let via_relay = self.relayed.lock().unwrap_or_else(PoisonError::into_inner).contains(route);
        self.would_answer(origin, via_relay)
    }

    /// Who would answer there.
    pub fn would_answer(&self, origin: &Origin, via_relay: bool) -> Answerer {
        let standing = |channel: &Arc<dyn Channel>| {
            let (fronts, link) = (channel.fronts(&origin.platform), *channel.link().borrow());
            (Arc::clone(channel), fronts, link)
        };
        let now: Vec<_> = self.channels.iter().map(standing).collect();
        let standings = now.iter().map(|(channel, fronts, link)| Standing {
            profile: &origin.profile,
            platform: channel.platform(),
            fronts: *fronts,
            link: *link,
        });
        let wanted = Wanted { profile: &origin.profile, platform: &origin.platform, via_relay };
        answerer(&standings.collect::<Vec<_>>(), wanted)
    }

    /// Remembers what brought a lane's last message.
    pub fn came_through(&self, route: &str, relay: bool) {
        let mut relayed = self.relayed.lock().unwrap_or_else(PoisonError::into_inner);
        if relay {
            relayed.insert(route.to_owned());
        } else {
            relayed.remove(route);
        }
    }

    /// Words that are owed to nobody: sent once, and what becomes of them is logged.
    pub fn say(&self, core: &Arc<Core>, route: &str, letter: Letter, origin: &Origin) {
        let Answerer::Channel(at) = self.answerer(route, origin) else { return };
        let Some(channel) = self.channels.get(at).cloned() else { return };
        let closing = core.closing.clone();
        core.actors.tasks.spawn(async move {
            tokio::select! {
                () = closing.cancelled() => {}
                outcome = hand::over(&*channel, &letter) => tracing::debug!(?outcome, "Words that are not owed."),
            }
        });
    }

    /// Claims nothing more, and waits for what is on its way.
    pub async fn letters_end(&self) {
        self.closed.cancel();
        let mut letters = self.on_their_way.subscribe();
        // The sender lives in `self`, so this cannot fail.
        let _ended = letters.wait_for(|letters| *letters == 0).await;
    }

    /// Notes a letter before its claim; nothing once no more may leave.
    fn set_out(&self) -> Option<OnItsWay> {
        self.on_their_way.send_modify(|letters| *letters += 1);
        let letter = OnItsWay(self.on_their_way.clone());
        // In this order: whoever waits for letters to end has closed first, so that one of the two sees the other.
        (!self.closed.is_cancelled()).then_some(letter)
    }
}

/// What was on its way when the last run ended is found before anything is sent or any turn begins again.
pub(crate) async fn open(core: &Arc<Core>) -> Result<()> {
    let now = core.now();
    core.store
        .write(move |tx| {
            for row in tx.outbox().sending()? {
                let found = letter::owed(&row).found(now);
                tx.outbox_mut().advance(row.id, row.fence, &letter::progress(found, None, now))?;
            }
            Ok(())
        })
        .await?;
    for at in 0..core.outbox.channels.len() {
        core.actors.tasks.spawn(lane::run(Arc::clone(core), at));
    }
    Ok(())
}
