//! The shell and the variables that jobs get; the login shell is asked once.

use std::path::PathBuf;

use gatehouse_process::environment::{self, Env};

/// Captured once in the life of a gateway.
#[derive(Debug)]
pub(crate) struct Login {
    pub shell: PathBuf,
    env: Env,
}

impl Login {
    /// Asks the person's login shell.
    pub async fn capture() -> Self {
        let own: Env = std::env::vars_os().collect();
        let shell = environment::pick_shell(std::env::var_os("SHELL").as_deref());
        let env = environment::login_env(&shell, &own).await;
        Self { shell, env }
    }

    /// What a job gets: no secrets, and none of our own variables. `secret_names` are variables that hold keys.
    pub fn env(&self, secret_names: &[String]) -> Env {
        environment::for_job(self.env.clone(), secret_names)
    }
}
