//! What every shell does before it opens: find the data, begin the log, start the gateway, which reads the
//! settings and lets the shell have the last word on them.
//!
//! **Owns** where the data lies, the log file, and the order of a start.
//!
//! **Never** shows anything, listens on anything or reads a command line.

mod crash; // a panic leaves a file
mod error; // why a shell cannot open
mod home; // where the data lies
mod logging; // to a file, and to stderr
mod start; // from a home to a running gateway

pub use crash::leave_crash_files;
pub use error::{Error, Result};
pub use home::home;
pub use logging::{LogGuard, begin_log};
pub use start::start;
