//! What a job gets to see: the variables of the person's login shell, minus what is nobody's business.

mod login; // asking the login shell
mod scrub; // what is taken out
mod shell; // which shell runs commands

pub use login::login_env;
pub use scrub::scrub;
pub use shell::pick_shell;

use std::ffi::OsString;

/// What a job gets: `env` without secrets (`extra` are names of more), and a hint that makes progress show at once.
pub fn for_job(env: Env, extra: &[String]) -> Env {
    let mut env = scrub(env, extra);
    if !env.iter().any(|(name, _)| name == "PYTHONUNBUFFERED") {
        env.push(("PYTHONUNBUFFERED".into(), "1".into()));
    }
    env
}

/// Names and values, in no particular order, each name once.
pub type Env = Vec<(OsString, OsString)>;
