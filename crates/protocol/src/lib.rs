//! The wire: names and shapes that a window or script sees, and one dispatch for every shell.
//!
//! **Owns** requests, replies, the feed's shapes, error codes, and how rows become them.
//!
//! **Never** decides anything: behaviour belongs to the gateway.

mod command; // what each command calls in the gateway
mod convert; // rows as the wire shows them
mod dispatch; // from a name and JSON to a reply
mod error; // what goes wrong, for programs and people
mod request; // who carries a request out
pub mod wire; // requests, replies, rows

pub use command::Command;
pub use dispatch::{Caller, Names, dispatch};
pub use error::{ApiError, ErrorCode};
pub use request::Request;
