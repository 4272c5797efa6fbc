//! What is handed to a channel, and what it says. A channel that fails or does not answer is no reason to wait for ever.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use gatehouse_channel::{Channel, Letter, Parcel, SendOutcome};
use gatehouse_delivery::outbox::{NoticePlan, after_private, plan_notice};
use gatehouse_domain::Target;

use crate::core::Core;

/// A channel that has not answered by then has not answered.
const SEND_LIMIT: Duration = Duration::from_secs(60);
/// Getting ready is a courtesy.
const PRIME_LIMIT: Duration = Duration::from_secs(10);

/// Lets a channel get ready for a place.
pub(crate) async fn prime(channel: &dyn Channel, target: &Target) {
    let ready = AssertUnwindSafe(channel.prime(target)).catch_unwind();
    if !matches!(tokio::time::timeout(PRIME_LIMIT, ready).await, Ok(Ok(()))) {
        tracing::warn!(platform = %channel.platform(), "A channel did not get ready for a place in time.");
    }
}

/// What the channel says of a letter, or that nobody knows.
pub(crate) async fn over(channel: &dyn Channel, letter: &Letter) -> SendOutcome {
    let sending = AssertUnwindSafe(channel.send(letter)).catch_unwind();
    match tokio::time::timeout(SEND_LIMIT, sending).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) => SendOutcome::Ambiguous { why: "the channel failed while it sent this".to_owned() },
        Err(_) => SendOutcome::Ambiguous { why: "the channel did not answer".to_owned() },
    }
}

/// Words of the gateway: aloud, or to one person of the place, as is set for the platform.
pub(crate) async fn notice(core: &Core, channel: &dyn Channel, target: &Target, words: &str) -> SendOutcome {
    let config = core.config();
    let set = config.channel(&target.platform);
    let setting = set.map(|set| set.notice_delivery).unwrap_or_default();
    let ignored = set.is_some_and(|set| set.ignored.contains(&target.chat));
    let letter = |parcel| Letter { target: target.clone(), anchor: None, notify: false, parcel };
    let aloud = letter(Parcel::Text(words.to_owned()));
    prime(channel, target).await;
    match plan_notice(setting, channel.capabilities(), target, ignored) {
        NoticePlan::Skip => SendOutcome::NothingToSend,
        NoticePlan::Public => over(channel, &aloud).await,
        NoticePlan::Private(to) => {
            let outcome = over(channel, &letter(Parcel::PrivateNotice { to, text: words.to_owned() })).await;
            match after_private(&outcome) {
                NoticePlan::Public => over(channel, &aloud).await,
                NoticePlan::Skip | NoticePlan::Private(_) => outcome,
            }
        }
    }
}
