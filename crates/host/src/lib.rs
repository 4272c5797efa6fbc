//! What every shell does before it opens, and what it opens then: the house with its profiles. It finds the data, begins
//! the log, and starts a gateway for each profile, which reads the settings and lets the shell have the last word on them.
//!
//! **Owns** where the data lies, the log file, which profiles are served, how each of them stands, and what is done to all
//! of them at once.
//!
//! **Never** shows anything, listens on anything or reads a command line.

mod crash; // a panic leaves a file
mod error; // why a shell, or one profile, cannot be opened
mod home; // where the data lies
mod house; // every profile that is served
mod logging; // to a file, and to stderr
mod profile; // one of them: starting, running, or refused
mod start; // from a name to a running gateway

pub use crash::leave_crash_files;
pub use error::{Error, Result};
pub use home::home;
pub use house::House;
pub use logging::{LogGuard, begin_log};
pub use profile::{Profile, ProfileState};

pub use gatehouse_domain::ProfileName;
