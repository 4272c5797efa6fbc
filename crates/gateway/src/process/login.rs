//! The shell and the variables that jobs get; the login shell is asked once.

use std::path::PathBuf;

use gatehouse_process::environment::{self, Env};

/// Captured once in the life of a gateway.
#[derive(Debug)]
pub(crate) struct Login {
    pub shell: PathBuf,
    /// Without secrets and without our own variables.
    pub env: Env,
}

impl Login {
    /// Asks the person's login shell. `secret_names` are variables that hold keys of this profile's providers.
    pub async fn capture(secret_names: Vec<String>) -> Self {
        let own: Env = std::env::vars_os().collect();
        let shell = environment::pick_shell(std::env::var_os("SHELL").as_deref());
        let env = environment::login_env(&shell, &own).await;
        Self { shell, env: environment::for_job(env, &secret_names) }
    }
}
