//! A relay: one connection that speaks on two platforms, and only where it knows whose place it is.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use gatehouse_channel::{Capabilities, Channel, Letter, Link, SendOutcome};
use gatehouse_domain::{ChatType, Platform, Target};
use tokio::sync::watch;

use crate::channel::FakeChannel;

/// A relay with a script.
#[derive(Debug)]
pub struct FakeRelay {
    line: Arc<FakeChannel>,
    fronted: [Platform; 2],
}

impl FakeRelay {
    /// A connected relay that fronts these.
    pub fn new(own: Platform, fronted: [Platform; 2]) -> Arc<Self> {
        Arc::new(Self { line: FakeChannel::new(own), fronted })
    }

    /// The connection: its script, what came over it, and its link.
    pub fn line(&self) -> &FakeChannel {
        &self.line
    }

    /// Why nothing goes there, if nothing does. A group belongs to a tenant and a direct message to a person; without
    /// either the relay cannot tell whether the place is one of its own.
    fn declines(&self, target: &Target) -> Option<&'static str> {
        match target.chat_type {
            _ if !self.fronts(&target.platform) => Some("a platform that this relay does not front"),
            ChatType::Dm if target.participant.is_none() && target.scope.is_none() => Some("nobody's direct message"),
            ChatType::Group | ChatType::Channel | ChatType::Thread if target.scope.is_none() => Some("no scope"),
            ChatType::Dm | ChatType::Group | ChatType::Channel | ChatType::Thread => None,
        }
    }
}

impl Channel for FakeRelay {
    fn platform(&self) -> &Platform {
        self.line.platform()
    }

    fn fronts(&self, platform: &Platform) -> bool {
        self.fronted.contains(platform)
    }

    fn capabilities(&self) -> Capabilities {
        self.line.capabilities()
    }

    fn link(&self) -> watch::Receiver<Link> {
        self.line.link()
    }

    fn prime<'a>(&'a self, target: &'a Target) -> BoxFuture<'a, ()> {
        self.line.prime(target)
    }

    fn send<'a>(&'a self, letter: &'a Letter) -> BoxFuture<'a, SendOutcome> {
        match self.declines(&letter.target) {
            Some(why) => std::future::ready(SendOutcome::Declined { why: why.into() }).boxed(),
            None => self.line.send(letter),
        }
    }
}
