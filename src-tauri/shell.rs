//! The gateway as the window sees it: starting, running, or refused with words.

use std::path::PathBuf;
use std::sync::Arc;

use gatehouse_gateway::Gateway;
use gatehouse_protocol::{ApiError, Caller, Command, ErrorCode};
use tokio::sync::watch;

use crate::PROFILE;

/// Managed by Tauri; every command asks it. The window opens while the gateway still starts.
pub(crate) struct Shell {
    state: Arc<watch::Sender<State>>,
}

#[derive(Clone)]
enum State {
    Starting,
    Running(Gateway),
    Refused(ApiError),
}

impl Shell {
    pub fn starting() -> Self {
        Self { state: Arc::new(watch::Sender::new(State::Starting)) }
    }

    /// Starts the gateway beside the window.
    pub fn start(&self, home: PathBuf) {
        let state = Arc::clone(&self.state);
        tauri::async_runtime::spawn(async move {
            let started = match gatehouse_host::start(&home, PROFILE, |_| {}).await {
                Ok(gateway) => State::Running(gateway),
                Err(error) => {
                    tracing::error!("The gateway cannot start: {error}");
                    State::Refused(ApiError { code: ErrorCode::StoreUnavailable, message: error.to_string() })
                }
            };
            state.send_replace(started);
        });
    }

    /// Carries out a command as soon as the gateway runs.
    pub async fn run<C: Command>(&self, command: C) -> Result<C::Reply, ApiError> {
        command.run(&self.gateway().await?, Caller::Window).await
    }

    /// Running processes live on under their shims.
    pub async fn shutdown(&self) {
        let state = self.state.borrow().clone();
        match state {
            State::Running(gateway) => gateway.shutdown().await,
            State::Starting | State::Refused(_) => {}
        }
    }

    async fn gateway(&self) -> Result<Gateway, ApiError> {
        let mut state = self.state.subscribe();
        let settled = state.wait_for(|state| !matches!(state, State::Starting)).await;
        let going_down = || ApiError { code: ErrorCode::ShuttingDown, message: "The gateway is shutting down.".into() };
        match settled.map_err(|_| going_down())?.clone() {
            State::Running(gateway) => Ok(gateway),
            State::Refused(error) => Err(error),
            State::Starting => Err(going_down()),
        }
    }
}
