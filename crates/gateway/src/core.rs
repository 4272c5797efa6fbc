//! What every part of the gateway shares: handles, ports and settings. No behaviour of its own.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gatehouse_domain::{Clock, EpochMs, IdSource, Secret, SessionId};
use gatehouse_process::Supervisor;
use gatehouse_provider::Failure;
use gatehouse_store::Store;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use crate::actors::Actors;
use crate::approvals::ApprovalDesk;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::feed::FeedClients;
use crate::live::Live;
use crate::model::ChosenModel;
use crate::process::{Followers, Login};

pub(crate) struct Core {
    pub store: Store,
    pub supervisor: Supervisor,
    pub live: Live,
    pub approvals: ApprovalDesk,
    pub actors: Actors,
    pub followers: Followers,
    pub feeds: FeedClients,
    pub config: Config,
    /// Absent when none is set up; a failure when what is set up cannot be used.
    pub model: std::result::Result<Option<ChosenModel>, Failure>,
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
    /// Cancelled when nothing new may begin.
    pub draining: CancellationToken,
    /// Cancelled when every wait must end.
    pub closing: CancellationToken,
}

impl Core {
    pub fn now(&self) -> EpochMs {
        self.clock.wall()
    }

    /// Every secret value that must not leave with a text.
    pub fn secrets(&self) -> Vec<Secret<String>> {
        self.config.providers.iter().filter_map(|p| p.api_key.clone()).collect()
    }

    /// The shell and variables of jobs; the first caller waits for the login shell.
    pub async fn login(&self) -> &Login {
        let names = || self.config.providers.iter().filter_map(|p| p.api_key_env.clone()).collect();
        self.login.get_or_init(|| Login::capture(names())).await
    }

    pub fn require_session(&self, session: SessionId) -> Result<()> {
        match self.store.read(|s| s.sessions().get(session))? {
            Some(_) => Ok(()),
            None => Err(Error::NotFound("session")),
        }
    }
}
