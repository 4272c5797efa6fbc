//! The gateway as the window sees it: starting, running, or refused with words.

use std::path::PathBuf;
use std::sync::Arc;

use gatehouse_gateway::Gateway;
use gatehouse_protocol::{ApiError, Caller, Command, ErrorCode};
use tokio::sync::{OnceCell, watch};

use crate::PROFILE;
use crate::quit::QuitChoice;

/// Managed by Tauri; every command asks it. The window opens while the gateway still starts.
pub(crate) struct Shell {
    state: Arc<watch::Sender<State>>,
    down: OnceCell<()>,
}

#[derive(Clone)]
enum State {
    Starting,
    Running(Gateway),
    Refused { home: PathBuf, error: ApiError },
}

impl Shell {
    pub fn starting() -> Self {
        Self { state: Arc::new(watch::Sender::new(State::Starting)), down: OnceCell::new() }
    }

    /// Starts the gateway beside the window.
    pub fn start(&self, home: PathBuf) {
        let state = Arc::clone(&self.state);
        tauri::async_runtime::spawn(async move {
            let started = match gatehouse_host::start(&home, PROFILE, Arc::new(|_| {})).await {
                Ok(gateway) => State::Running(gateway),
                Err(error) => {
                    tracing::error!("The gateway cannot start: {error}");
                    let error = ApiError { code: ErrorCode::StoreUnavailable, message: error.to_string() };
                    State::Refused { home, error }
                }
            };
            state.send_replace(started);
        });
    }

    /// Carries out a command as soon as the gateway runs.
    pub async fn run<C: Command>(&self, command: C) -> Result<C::Reply, ApiError> {
        command.run(&self.gateway().await?, Caller::Window).await
    }

    /// It can be asked at once.
    pub fn is_running(&self) -> bool {
        matches!(*self.state.borrow(), State::Running(_))
    }

    /// The data directory that could not be opened, while that is so.
    pub fn refused_home(&self) -> Option<PathBuf> {
        match &*self.state.borrow() {
            State::Refused { home, .. } => Some(home.clone()),
            State::Starting | State::Running(_) => None,
        }
    }

    /// Waits until it runs, through refusals too.
    pub async fn until_running(&self) {
        // The sender is our own.
        let mut state = self.state.subscribe();
        let _running = state.wait_for(|state| matches!(state, State::Running(_))).await;
    }

    /// Answers when somebody has asked for a restart and the turns that ran have ended or had their time.
    pub async fn restart_asked(&self) {
        self.until_running().await;
        let state = self.state.borrow().clone();
        if let State::Running(gateway) = state {
            gateway.restart_asked().await;
            gateway.drain().await;
        }
    }

    /// Goes down, once; whoever asks again waits for the same end. Running processes live on under their shims, unless a
    /// person or what is set says otherwise.
    pub async fn shutdown(&self, choice: Option<QuitChoice>) {
        self.down.get_or_init(|| self.go_down(choice)).await;
    }

    async fn go_down(&self, choice: Option<QuitChoice>) {
        let state = self.state.borrow().clone();
        match (state, choice) {
            (State::Running(gateway), Some(choice)) => gateway.shutdown_with(choice == QuitChoice::Stop).await,
            (State::Running(gateway), None) => gateway.shutdown().await,
            (State::Starting | State::Refused { .. }, _) => {}
        }
    }

    /// A refusal is not for ever: the other Gatehouse may have been quit, the file replaced. Whoever is refused sets off
    /// the next try, and whoever asks after that gets its outcome.
    pub fn start_again(&self, home: PathBuf) {
        let first = self.state.send_if_modified(|state| {
            let refused = matches!(state, State::Refused { .. });
            if refused {
                *state = State::Starting;
            }
            refused
        });
        if first {
            self.start(home);
        }
    }

    async fn gateway(&self) -> Result<Gateway, ApiError> {
        let mut state = self.state.subscribe();
        let settled = state.wait_for(|state| !matches!(state, State::Starting)).await;
        let going_down = || ApiError { code: ErrorCode::ShuttingDown, message: "The gateway is shutting down.".into() };
        // Copied out first: what is only borrowed cannot be changed meanwhile.
        let settled = settled.map_err(|_| going_down())?.clone();
        match settled {
            State::Running(gateway) => Ok(gateway),
            State::Refused { home, error } => {
                self.start_again(home);
                Err(error)
            }
            State::Starting => Err(going_down()),
        }
    }
}
