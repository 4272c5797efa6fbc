//! One profile of the house: starting, running, or refused with words. What one does is no concern of another.

use std::fs::DirBuilder;
use std::future::pending;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gatehouse_domain::ProfileName;
use gatehouse_gateway::Gateway;
use tokio::sync::watch;

use crate::error::Error;
use crate::start::Common;

/// One profile. Clones share it.
#[derive(Clone)]
pub struct Profile(Arc<Room>);

struct Room {
    name: ProfileName,
    dir: PathBuf,
    common: Arc<Common>,
    /// A refusal stands here until another try has an outcome.
    state: watch::Sender<ProfileState>,
    /// Somebody tries to open it.
    trying: watch::Sender<bool>,
    /// Its folder was there in this run. It is not made a second time.
    was_there: AtomicBool,
}

/// How a profile stands.
#[derive(Clone)]
pub enum ProfileState {
    /// Nobody knows yet.
    Starting,
    /// It can be asked.
    Running(Gateway),
    /// It cannot be opened, for this reason.
    Refused(Arc<Error>),
}

impl Profile {
    /// Begins to start it, beside the caller.
    pub(crate) fn begin(common: &Arc<Common>, name: ProfileName) -> Self {
        let (dir, state) = (common.dir(&name), watch::Sender::new(ProfileState::Starting));
        let (trying, was_there) = (watch::Sender::new(true), AtomicBool::new(false));
        let profile = Self(Arc::new(Room { name, dir, common: Arc::clone(common), state, trying, was_there }));
        profile.start();
        profile
    }

    /// What it is called.
    pub fn name(&self) -> &ProfileName {
        &self.0.name
    }

    /// Where its files lie.
    pub fn dir(&self) -> &Path {
        &self.0.dir
    }

    /// How it stands now.
    pub fn state(&self) -> ProfileState {
        self.0.state.borrow().clone()
    }

    /// The same, from here on.
    pub fn watch(&self) -> watch::Receiver<ProfileState> {
        self.0.state.subscribe()
    }

    /// Its gateway, if it runs.
    pub fn running(&self) -> Option<Gateway> {
        match &*self.0.state.borrow() {
            ProfileState::Running(gateway) => Some(gateway.clone()),
            ProfileState::Starting | ProfileState::Refused(_) => None,
        }
    }

    /// Its gateway, as soon as it is known whether there is one. A refusal is not for ever: the other Gatehouse may have
    /// been quit, the file replaced. Whoever is refused sets off the next try, and whoever asks after that gets its
    /// outcome.
    pub async fn gateway(&self) -> Result<Gateway, Arc<Error>> {
        let settled = self.settled().await;
        if settled.is_err() {
            self.try_again();
        }
        settled
    }

    /// The same, and nothing is tried again.
    pub async fn settled(&self) -> Result<Gateway, Arc<Error>> {
        loop {
            let mut trying = self.0.trying.subscribe();
            // The sender is our own.
            let _settled = trying.wait_for(|trying| !trying).await.map(|_| ());
            match self.state() {
                ProfileState::Running(gateway) if self.is_there() => return Ok(gateway),
                ProfileState::Running(_) => self.close(),
                ProfileState::Refused(error) => return Err(error),
                ProfileState::Starting => {}
            }
        }
    }

    /// Waits until it runs, through refusals too.
    pub async fn until_running(&self) {
        let mut state = self.watch();
        // The sender is our own.
        let _running = state.wait_for(|state| matches!(state, ProfileState::Running(_))).await;
    }

    /// Tries to open it again, if it was refused.
    pub fn try_again(&self) {
        let first = self.0.trying.send_if_modified(|trying| {
            let first = !*trying && matches!(&*self.0.state.borrow(), ProfileState::Refused(_));
            *trying |= first;
            first
        });
        if first {
            self.start();
        }
    }

    /// Answers once somebody has asked for a restart in it.
    pub(crate) async fn restart_asked(&self) {
        let mut state = self.watch();
        loop {
            state.borrow_and_update();
            let running = self.running();
            let asked = async {
                match running {
                    Some(gateway) => gateway.restart_asked().await,
                    None => pending().await,
                }
            };
            tokio::select! {
                () = asked => return,
                // The sender is our own.
                _ = state.changed() => {}
            }
        }
    }

    fn start(&self) {
        let profile = self.clone();
        tokio::spawn(async move {
            let started = profile.open().await.unwrap_or_else(|error| {
                tracing::error!("The profile {} cannot be opened: {error}", profile.name());
                ProfileState::Refused(Arc::new(error))
            });
            profile.0.state.send_replace(started);
            profile.0.trying.send_replace(false);
        });
    }

    async fn open(&self) -> Result<ProfileState, Error> {
        if self.0.was_there.load(Ordering::SeqCst) {
            if !self.is_there() {
                return Err(self.gone());
            }
        } else {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(self.dir());
            made.map_err(|cause| Error::Unmade { name: self.name().clone(), path: self.dir().into(), cause })?;
            self.0.was_there.store(true, Ordering::SeqCst);
        }
        Ok(ProfileState::Running(self.0.common.start(self.name()).await?))
    }

    /// The folder was taken away. What still runs on it goes down, so that nothing is made in its place.
    fn close(&self) {
        let mut left = None;
        self.0.state.send_if_modified(|state| {
            let ProfileState::Running(gateway) = state else { return false };
            left = Some(gateway.clone());
            *state = ProfileState::Refused(Arc::new(self.gone()));
            true
        });
        if let Some(gateway) = left {
            tracing::error!("{}", self.gone());
            tokio::spawn(async move { gateway.shutdown_with(false).await });
        }
    }

    fn is_there(&self) -> bool {
        self.0.dir.is_dir()
    }

    fn gone(&self) -> Error {
        Error::Gone { name: self.0.name.clone(), path: self.0.dir.clone() }
    }
}
