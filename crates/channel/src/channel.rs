//! The one trait that every channel has.

use futures_util::future::{BoxFuture, FutureExt as _};
use gatehouse_domain::{Platform, Target};
use tokio::sync::watch;

use crate::{Letter, Parcel, SendOutcome};

/// Whether words can leave now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// Connected.
    Up,
    /// Not connected, or not yet.
    Down,
}

/// What a channel can carry beyond plain words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Capabilities {
    /// Words in the place of a message that was sent before.
    pub edit: bool,
    /// Several images as one message.
    pub batch: bool,
    /// Spoken words.
    pub voice: bool,
    /// Moving images.
    pub video: bool,
    /// Any other file.
    pub document: bool,
    /// Words that one person of a chat sees.
    pub private_notice: bool,
}

impl Capabilities {
    /// Whether this can be handed over at all.
    pub const fn carry(self, parcel: &Parcel) -> bool {
        match parcel {
            Parcel::Text(_) => true,
            Parcel::Edit { .. } => self.edit,
            Parcel::Images(_) => self.batch,
            Parcel::Voice(_) => self.voice,
            Parcel::Video(_) => self.video,
            Parcel::Document(_) => self.document,
            Parcel::PrivateNotice { .. } => self.private_notice,
        }
    }
}

/// A way for words to leave. One stands for one account of one profile on one platform.
pub trait Channel: Send + Sync + 'static {
    /// What it is called itself. A relay's own name is none of those that it fronts.
    fn platform(&self) -> &Platform;

    /// Whether it also answers for this platform, which is another one's name.
    fn fronts(&self, _platform: &Platform) -> bool {
        false
    }

    /// What it can carry. Nobody hands it anything else.
    fn capabilities(&self) -> Capabilities;

    /// Whether it is connected, and a way to wait for a change. A change that ends where it began was a reconnect too.
    fn link(&self) -> watch::Receiver<Link>;

    /// Gets ready to answer in a place that it may not have heard from since it was started. A channel that needs
    /// nothing does nothing.
    fn prime<'a>(&'a self, _target: &'a Target) -> BoxFuture<'a, ()> {
        std::future::ready(()).boxed()
    }

    /// Hands one letter over. It may be dropped at any await: whoever does so takes the outcome for an ambiguous one.
    fn send<'a>(&'a self, letter: &'a Letter) -> BoxFuture<'a, SendOutcome>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatehouse_domain::{MessageId, ParticipantId};

    #[test]
    fn words_go_everywhere_and_the_rest_where_it_can() {
        let parcels = [
            Parcel::Edit { message: MessageId::new("1").unwrap(), text: "x".into() },
            Parcel::Images(Vec::new()),
            Parcel::Voice("a.ogg".into()),
            Parcel::Video("a.mp4".into()),
            Parcel::Document("a.pdf".into()),
            Parcel::PrivateNotice { to: ParticipantId::new("U").unwrap(), text: "x".into() },
        ];
        let all =
            Capabilities { edit: true, batch: true, voice: true, video: true, document: true, private_notice: true };
        for parcel in &parcels {
            assert!(all.carry(parcel), "{parcel:?}");
            assert!(!Capabilities::default().carry(parcel), "{parcel:?}");
        }
        assert!(Capabilities::default().carry(&Parcel::Text("x".into())));
        assert!(!Capabilities { edit: false, ..all }.carry(&parcels[0]));
    }
}
