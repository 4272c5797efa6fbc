//! The wire: names and shapes that a window or script sees, and one dispatch for every shell.
//!
//! **Owns** requests, replies, the feed's shapes, error codes, and how rows become them.
//!
//! **Never** decides anything: behaviour belongs to the gateway.

mod error; // what goes wrong, for programs and people
pub mod wire; // requests, replies, rows

pub use error::{ApiError, ErrorCode};
