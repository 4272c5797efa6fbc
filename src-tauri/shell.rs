//! The house as the windows see it: every profile that there is.

use std::path::PathBuf;
use std::sync::Arc;

use gatehouse_host::{House, Profile};
use gatehouse_protocol::wire::ListItems;
use gatehouse_protocol::{ApiError, Caller, Request};
use tokio::sync::watch;

use crate::quit::QuitChoice;

/// Managed by Tauri; every command asks it. The window opens while the gateways still start.
pub(crate) struct Shell {
    house: House,
}

impl Shell {
    /// Begins to start the gateways beside the window.
    pub async fn open(home: PathBuf) -> gatehouse_host::Result<Self> {
        Ok(Self { house: House::open(home, Vec::new(), Arc::new(|_| {})).await? })
    }

    /// Carries out a command in a profile, as soon as its gateway runs.
    pub async fn run<R: Request>(&self, profile: &str, request: R) -> Result<R::Reply, ApiError> {
        request.carry_out(&self.house, Some(profile), Caller::Window).await
    }

    /// The profiles, now and from now on.
    pub fn profiles(&self) -> watch::Receiver<Vec<Profile>> {
        self.house.watch()
    }

    /// One of them.
    pub fn profile(&self, name: &str) -> Result<Profile, ApiError> {
        Ok(self.house.profile(Some(name))?)
    }

    /// The one that is meant when nobody says which.
    pub fn first(&self) -> String {
        self.house.first().name().to_string()
    }

    /// Those that can be asked at once.
    pub fn running(&self) -> Vec<String> {
        let profiles = self.house.profiles();
        profiles
            .iter()
            .filter(|profile| profile.running().is_some())
            .map(|profile| profile.name().to_string())
            .collect()
    }

    /// Whose session this is: the profile that has it.
    pub async fn profile_of(&self, session_id: &str) -> Option<String> {
        for profile in self.house.profiles() {
            let name = profile.name().as_str();
            let session_id = session_id.to_owned();
            let first = ListItems { session_id, after_seq: None, before_seq: None, limit: Some(1), blocks: None };
            if self.run(name, first).await.is_ok() {
                return Some(name.to_owned());
            }
        }
        None
    }

    /// Answers when somebody has asked for a restart and the turns that ran have ended or had their time.
    pub async fn until_restart(&self) {
        self.house.until_restart().await;
    }

    /// Goes down, once; whoever asks again waits for the same end. Running processes live on under their shims, unless a
    /// person or what is set in their profile says otherwise.
    pub async fn shutdown(&self, choice: Option<QuitChoice>) {
        self.house.shutdown(choice.map(|choice| choice == QuitChoice::Stop)).await;
    }
}
