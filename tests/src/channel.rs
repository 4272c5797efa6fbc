//! Channels for tests: one that does what it is told, and a relay that fronts two platforms.

mod fake; // a channel with a script
mod relay; // a channel for two platforms

pub use fake::{FakeChannel, Reply};
pub use relay::FakeRelay;

use gatehouse_channel::Channel;
use gatehouse_delivery::outbox::{Answerer, Standing, Wanted, answerer};
use gatehouse_domain::ProfileName;

/// Which of these channels answers; what the product decides, asked of channels as they stand.
pub fn who_answers(channels: &[(&ProfileName, &dyn Channel)], wanted: Wanted<'_>) -> Answerer {
    let standing = channels.iter().map(|(profile, channel)| Standing {
        profile,
        platform: channel.platform(),
        fronts: channel.fronts(wanted.platform),
        link: *channel.link().borrow(),
    });
    answerer(&standing.collect::<Vec<_>>(), wanted)
}

#[cfg(test)]
mod owed; // the policy of what is owed, played against a channel
#[cfg(test)]
mod tests; // the channels themselves
