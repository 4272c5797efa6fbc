//! The house as the window sees it. The window shows one profile of it: the first.

use std::path::PathBuf;
use std::sync::Arc;

use gatehouse_host::{House, ProfileName};
use gatehouse_protocol::{ApiError, Caller, Request};

use crate::quit::QuitChoice;

/// Managed by Tauri; every command asks it. The window opens while the gateway still starts.
pub(crate) struct Shell {
    house: House,
}

impl Shell {
    /// Begins to start the gateway beside the window.
    pub async fn open(home: PathBuf) -> gatehouse_host::Result<Self> {
        let house = House::open(home, vec![ProfileName::default()], Arc::new(|_| {})).await?;
        Ok(Self { house })
    }

    /// Carries out a command as soon as the gateway runs.
    pub async fn run<R: Request>(&self, request: R) -> Result<R::Reply, ApiError> {
        request.carry_out(&self.house, None, Caller::Window).await
    }

    /// It can be asked at once.
    pub fn is_running(&self) -> bool {
        self.house.first().running().is_some()
    }

    /// Waits until it runs, through refusals too.
    pub async fn until_running(&self) {
        self.house.first().until_running().await;
    }

    /// Answers when somebody has asked for a restart and the turns that ran have ended or had their time.
    pub async fn until_restart(&self) {
        self.house.until_restart().await;
    }

    /// Goes down, once; whoever asks again waits for the same end. Running processes live on under their shims, unless a
    /// person or what is set says otherwise.
    pub async fn shutdown(&self, choice: Option<QuitChoice>) {
        self.house.shutdown(choice.map(|choice| choice == QuitChoice::Stop)).await;
    }
}
