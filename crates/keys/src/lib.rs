//! Where the keys of providers are kept.
//!
//! **Owns** the way to the system's keyring (the Secret Service on the session's message bus), the file that stands in
//! for it, and the decision which of the two holds a key.
//!
//! **Never** writes a key into a log, an error or a row, asks for a password itself, or waits for a keyring longer than
//! a bound: two seconds for an answer, and a minute for a person who is asked to unlock it, once in a run of the program.
//!
//! Two rules decide where a key is:
//! - a key goes into the keyring if that takes it, and otherwise into `keys.json` in the home, with mode 0600;
//! - what is in the file is newer than what the keyring has under the same name: whatever goes into the keyring is
//!   taken out of the file, so the file is asked first.
//!
//! The keyring is spoken to directly: six calls do not outweigh another library with a cipher of its own. Keys cross
//! the bus in the `plain` form, because whoever could listen on the session's bus could ask for the keys as well.

mod error; // what a caller can do something about
mod file; // the file that stands in for a keyring
mod ring; // the keyring
mod store; // which of the two

pub use error::{Error, Result};
pub use ring::Bus;
pub use store::{KeyPlace, KeyStore};
