//! What a job gets to see: the variables of the person's login shell, minus what is nobody's business.

mod login; // asking the login shell
mod scrub; // what is taken out
mod shell; // which shell runs commands

pub use login::login_env;
pub use scrub::scrub;
pub use shell::pick_shell;

use std::ffi::OsString;

/// Names and values, in no particular order, each name once.
pub type Env = Vec<(OsString, OsString)>;
