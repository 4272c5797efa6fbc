//! What every part of the gateway shares: handles, ports and settings. No behaviour of its own.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gatehouse_domain::{Clock, EpochMs, IdSource, Secret, SessionId};
use gatehouse_keys::KeyStore;
use gatehouse_process::Supervisor;
use gatehouse_store::Store;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use crate::actors::Actors;
use crate::approvals::ApprovalDesk;
use crate::backup::Backups;
use crate::channel::Acknowledgements;
use crate::config::{Config, KeySource};
use crate::engine::EngineRoom;
use crate::error::{Error, Result};
use crate::feed::FeedClients;
use crate::household::Told;
use crate::live::Live;
use crate::outbox::Outbox;
use crate::process::{Followers, Login, SharedBreaker};
use crate::restart::RestartDesk;
use crate::settings::Settings;
use crate::statistics::Statistics;
use crate::watchdog::Watchdog;

pub(crate) struct Core {
    pub store: Store,
    pub supervisor: Supervisor,
    pub live: Live,
    pub approvals: ApprovalDesk,
    pub actors: Actors,
    pub followers: Followers,
    /// What all processes together may say while they run.
    pub breaker: SharedBreaker,
    pub feeds: FeedClients,
    pub settings: Settings,
    pub keys: KeyStore,
    pub engine: Arc<EngineRoom>,
    /// Chats that know that the gateway is back, whichever profile told them.
    pub told: Arc<Told>,
    pub backups: Backups,
    /// Words owed to channels.
    pub outbox: Outbox,
    /// Who was told that they wait.
    pub acknowledgements: Acknowledgements,
    /// The data directory.
    pub home: PathBuf,
    pub statistics: Statistics,
    pub watchdog: Watchdog,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn IdSource>,
    /// Captured once; jobs run under it.
    pub login: OnceCell<Login>,
    /// Where a job runs when nobody says where.
    pub work_dir: PathBuf,
    pub profile: String,
    /// Whether a feed was asked for yet.
    pub looked_at: AtomicBool,
    /// False while a start still finds out what there is.
    pub open: AtomicBool,
    pub restart: RestartDesk,
    /// Cancelled when nothing new may begin.
    pub draining: CancellationToken,
    /// Cancelled when every wait must end.
    pub closing: CancellationToken,
}

impl Core {
    pub fn now(&self) -> EpochMs {
        self.clock.wall()
    }

    /// Where the profile's files lie.
    pub fn profile_dir(&self) -> PathBuf {
        self.home.join("profiles").join(&self.profile)
    }

    /// What is set now.
    pub fn config(&self) -> Arc<Config> {
        self.settings.config()
    }

    /// Every secret value that must not leave with a text.
    pub fn secrets(&self) -> Vec<Secret<String>> {
        let ready = self.settings.ready_now();
        ready.iter().flat_map(|ready| ready.keys.values()).filter_map(|key| key.as_ref().ok().cloned()).collect()
    }

    /// The shell and variables of jobs; the first caller waits for the login shell.
    pub async fn login(&self) -> &Login {
        self.login.get_or_init(Login::capture).await
    }

    /// Variables that hold keys of this profile's providers; jobs do not get to see them.
    pub fn secret_variables(&self) -> Vec<String> {
        let name = |key: &KeySource| match key {
            KeySource::Env(name) => Some(name.clone()),
            KeySource::None | KeySource::Stored(_) => None,
        };
        self.config().providers.iter().filter_map(|p| name(&p.key)).collect()
    }

    pub fn require_session(&self, session: SessionId) -> Result<()> {
        match self.store.read(|s| s.sessions().get(session))? {
            Some(_) => Ok(()),
            None => Err(Error::NotFound("session")),
        }
    }
}
