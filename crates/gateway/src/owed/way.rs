//! Which channel of this profile speaks in a place.

use gatehouse_channel::{Channel, Link};
use gatehouse_delivery::outbox::{Answerer, Standing as Line, Wanted, answerer};
use gatehouse_domain::{ProfileName, Target};

use crate::core::Core;

/// Whether its channel is connected; nothing where there is none.
pub(super) fn link(core: &Core, target: &Target) -> Option<Link> {
    match channel_for(core, target) {
        Answerer::Channel(_) => Some(Link::Up),
        Answerer::Down(_) => Some(Link::Down),
        Answerer::Nobody => None,
    }
}

/// The channel that speaks there.
pub(super) fn to<'a>(core: &'a Core, target: &'a Target) -> Option<(&'a dyn Channel, &'a Target)> {
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
