//! What is handed to a channel.

use std::path::PathBuf;

use gatehouse_domain::{MessageId, ParticipantId, ReplyAnchor, Target};

/// One thing to send, and where to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// Where to.
    pub target: Target,
    /// What it quotes or threads to.
    pub anchor: Option<ReplyAnchor>,
    /// Whether it may ring a bell: the end of an answer does, progress does not.
    pub notify: bool,
    /// What.
    pub parcel: Parcel,
}

/// What a letter carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parcel {
    /// Words.
    Text(String),
    /// Words that take the place of a message of ours.
    Edit {
        /// That message.
        message: MessageId,
        /// The words.
        text: String,
    },
    /// Images that go together.
    Images(Vec<Attachment>),
    /// Spoken words.
    Voice(Attachment),
    /// A video.
    Video(Attachment),
    /// Any other file.
    Document(Attachment),
    /// Words that only one person of the chat sees.
    PrivateNotice {
        /// That person.
        to: ParticipantId,
        /// The words.
        text: String,
    },
}

/// A file to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Where it lies.
    pub path: PathBuf,
    /// Words beside it.
    pub caption: Option<String>,
}

impl<P: Into<PathBuf>> From<P> for Attachment {
    fn from(path: P) -> Self {
        Self { path: path.into(), caption: None }
    }
}
