//! What the house asks of a channel: a way for words to leave it.
//!
//! **Owns** the one trait that every channel has, what can be handed to it, what it can answer, and the stored form of
//! where a conversation came from.
//!
//! **Never** tries again, keeps order or remembers what is owed: that is delivery's. A channel answers for one letter,
//! and says exactly what it knows about it.

mod channel; // the trait
mod error; // what could not be read
mod letter; // what is handed over
mod outcome; // what became of it
mod stored; // an origin as text

pub use channel::{Capabilities, Channel, Link};
pub use error::Error;
pub use letter::{Attachment, Letter, Parcel};
pub use outcome::{SendOutcome, Unsent};
pub use stored::{read_origin, write_origin};
