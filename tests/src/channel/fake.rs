//! A channel that does what it is told and takes down everything it was asked.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::{BoxFuture, FutureExt as _};
use gatehouse_channel::{Capabilities, Channel, Letter, Link, Parcel, SendOutcome, Unsent};
use gatehouse_domain::{MessageId, Platform, Target};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use crate::{LIMIT, Result};

/// What the channel does with one letter.
#[derive(Debug)]
pub enum Reply {
    /// Answers this. Only a delivered letter stands in the chat.
    Say(SendOutcome),
    /// The letter stands in the chat, and this is said of it all the same.
    TakeAndSay(SendOutcome),
    /// The letter stands in the chat, and nobody ever answers.
    TakeAndHang,
    /// Nobody ever answers.
    Hang,
    /// Answers once the test does; a test that goes away is no answer.
    Wait(oneshot::Receiver<SendOutcome>),
}

/// A channel with a script. Once the script has been played, or without one, it delivers.
#[derive(Debug)]
pub struct FakeChannel {
    platform: Platform,
    capabilities: Capabilities,
    link: watch::Sender<Link>,
    notes: Mutex<Notes>,
    /// How many letters it was handed.
    count: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct Notes {
    script: VecDeque<Reply>,
    asked: Vec<Letter>,
    chat: Vec<Letter>,
    primed: Vec<Target>,
}

impl FakeChannel {
    /// A connected channel that can do everything.
    pub fn new(platform: Platform) -> Arc<Self> {
        let all =
            Capabilities { edit: true, batch: true, voice: true, video: true, document: true, private_notice: true };
        Self::able(platform, all)
    }

    /// A connected channel that can do so much.
    pub fn able(platform: Platform, capabilities: Capabilities) -> Arc<Self> {
        let (link, count) = (watch::Sender::new(Link::Up), watch::Sender::new(0));
        Arc::new(Self { platform, capabilities, link, notes: Mutex::default(), count })
    }

    /// Adds to the script.
    pub fn will(&self, replies: impl IntoIterator<Item = Reply>) {
        self.notes().script.extend(replies);
    }

    /// Everything it was handed, the oldest first.
    pub fn asked(&self) -> Vec<Letter> {
        self.notes().asked.clone()
    }

    /// What stands in its chats, as people see it, the oldest first. An edit is where its message is.
    pub fn chat(&self) -> Vec<Letter> {
        self.notes().chat.clone()
    }

    /// Places that it was told to get ready for.
    pub fn primed(&self) -> Vec<Target> {
        self.notes().primed.clone()
    }

    /// Waits until it was handed so many letters.
    pub async fn asked_times(&self, letters: usize) -> Result<Vec<Letter>> {
        let mut count = self.count.subscribe();
        let reached = timeout(LIMIT, count.wait_for(|count| *count >= letters)).await;
        reached.map_err(|_| format!("{letters} letters, and these came: {:#?}", self.asked()))??;
        Ok(self.asked())
    }

    /// Loses its connection. What it is handed from now on never leaves.
    pub fn disconnect(&self) {
        self.link.send_replace(Link::Down);
    }

    /// Is connected, or anew.
    pub fn connect(&self) {
        self.link.send_replace(Link::Up);
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a letter down and looks what the script says about it.
    fn hear(&self, letter: &Letter) -> Reply {
        let mut notes = self.notes();
        notes.asked.push(letter.clone());
        self.count.send_replace(notes.asked.len());
        if *self.link.borrow() == Link::Down {
            return Reply::Say(SendOutcome::Refused { unsent: Unsent::Degraded, why: "not connected".into() });
        }
        if !self.capabilities.carry(&letter.parcel) {
            return Reply::Say(SendOutcome::Refused { unsent: Unsent::Other, why: "cannot carry this".into() });
        }
        notes.script.pop_front().unwrap_or(Reply::Say(SendOutcome::Delivered { ids: Vec::new() }))
    }

    /// The letter stands in the chat from now on. Its message has the number of its place there.
    fn take(&self, letter: &Letter) -> Vec<MessageId> {
        let mut notes = self.notes();
        if let Parcel::Edit { message, .. } = &letter.parcel {
            let place = message.as_str().parse::<usize>().ok().and_then(|place| notes.chat.get_mut(place));
            // A message that the test only says was streamed stands nowhere yet.
            if let Some(place) = place {
                *place = letter.clone();
            } else {
                notes.chat.push(letter.clone());
            }
            return vec![message.clone()];
        }
        notes.chat.push(letter.clone());
        MessageId::new((notes.chat.len() - 1).to_string()).into_iter().collect()
    }

    fn conclude(&self, letter: &Letter, outcome: SendOutcome) -> SendOutcome {
        let SendOutcome::Delivered { ids } = outcome else { return outcome };
        let made = self.take(letter);
        SendOutcome::Delivered { ids: if ids.is_empty() { made } else { ids } }
    }

    async fn answer(&self, letter: &Letter) -> SendOutcome {
        match self.hear(letter) {
            Reply::Say(outcome) => self.conclude(letter, outcome),
            Reply::TakeAndSay(outcome) => {
                self.take(letter);
                outcome
            }
            Reply::TakeAndHang => {
                self.take(letter);
                pending().await
            }
            Reply::Hang => pending().await,
            Reply::Wait(word) => match word.await {
                Ok(outcome) => self.conclude(letter, outcome),
                Err(_) => pending().await,
            },
        }
    }
}

impl Channel for FakeChannel {
    fn platform(&self) -> &Platform {
        &self.platform
    }

    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    fn link(&self) -> watch::Receiver<Link> {
        self.link.subscribe()
    }

    fn prime<'a>(&'a self, target: &'a Target) -> BoxFuture<'a, ()> {
        self.notes().primed.push(target.clone());
        std::future::ready(()).boxed()
    }

    fn send<'a>(&'a self, letter: &'a Letter) -> BoxFuture<'a, SendOutcome> {
        self.answer(letter).boxed()
    }
}
