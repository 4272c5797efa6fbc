//! Which channel answers in a place.

use gatehouse_channel::Link;
use gatehouse_domain::{Platform, ProfileName};

/// One channel that a profile has, connected or not.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// The profile that it belongs to.
    pub profile: &'a ProfileName,
    /// What it is called itself.
    pub platform: &'a Platform,
    /// Whether it also answers for the platform that is looked for, which is another one's name.
    pub fronts: bool,
    /// Whether it is connected.
    pub link: Link,
}

/// Who looks for a channel.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The profile that owes the words. No other profile's channel ever says them: it would speak as somebody else.
    pub profile: &'a ProfileName,
    /// The platform that people see.
    pub platform: &'a Platform,
    /// Whether an authenticated relay brought the message that is answered.
    pub via_relay: bool,
}

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answerer {
    /// The channel at this index.
    Channel(usize),
    /// The channel at this index, once it is connected. Nothing is sent in its stead, and nothing is spent.
    Down(usize),
    /// The profile has no channel for this platform.
    Nobody,
}

/// Decides. What came through a relay is answered through one. Otherwise the platform's own channel comes first, also
/// while it is down: a relay speaks under another name, and whoever reads would take the two for two.
pub fn answerer(channels: &[Standing<'_>], wanted: Wanted<'_>) -> Answerer {
    let mine = || channels.iter().enumerate().filter(|(_, channel)| channel.profile == wanted.profile);
    let native = mine().find(|(_, channel)| channel.platform == wanted.platform);
    // Of several relays one that is connected; which of them does not matter to who reads.
    let relay = mine().filter(|(_, channel)| channel.fronts).min_by_key(|(_, channel)| channel.link == Link::Down);
    let chosen = if wanted.via_relay { relay } else { native.or(relay) };
    match chosen {
        Some((at, Standing { link: Link::Up, .. })) => Answerer::Channel(at),
        Some((at, Standing { link: Link::Down, .. })) => Answerer::Down(at),
        None => Answerer::Nobody,
    }
}
