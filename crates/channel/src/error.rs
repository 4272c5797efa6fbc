//! What could not be read.

use gatehouse_domain::{UnfitName, UnknownWord};

/// A stored origin that is none. There is no way to mend it: the conversation has to come in anew.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not the text of an origin.
    #[error("the origin of a conversation cannot be read: {0}")]
    Shape(#[from] serde_json::Error),
    /// A name in it is none.
    #[error("the origin of a conversation cannot be read: {0}")]
    Name(#[from] UnfitName),
    /// A word in it is unknown.
    #[error("the origin of a conversation cannot be read: {0}")]
    Word(#[from] UnknownWord),
}
