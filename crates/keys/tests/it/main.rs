//! Keys in the file, and in a keyring on a message bus of the test's own.
#![expect(clippy::unwrap_used, reason = "a broken set-up should end a test at once")]

mod bus; // a private message bus
mod fake; // a Secret Service that behaves as told
mod file; // the file that stands in for a keyring
mod ring; // the keyring
