//! The facade: every command of every shell ends here.

mod consent; // questions and rules
mod conversation; // begun anew, closed
mod incident; // what waits for a person
mod jobs; // processes: started, looked at, spoken to, stopped
mod queue; // messages that wait
mod setup; // settings, providers, models

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gatehouse_agent::approval;
use gatehouse_channel::Channel;
use gatehouse_domain::{
    AbandonCause, AdmissionId, ApprovalMode, Clock, Epoch, EpochMs, IdSource, ProcessId, ProfileName, Rev, SessionId,
    TurnId,
};
use gatehouse_keys::KeyStore;
use gatehouse_process::{Supervisor, SupervisorConfig};
use gatehouse_store::{ItemFull, NewSession, SessionOverview, Store, Trouble};
use tokio::sync::{OnceCell, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::backup::{self, Backups};
use crate::channel::Acknowledgements;
use crate::config::OnQuit;
use crate::core::Core;
use crate::delegation;
use crate::engine::EngineNow;
use crate::error::{Error, Result, StartError};
use crate::feed::{self, FeedBatch, FeedRequest};
use crate::household::Household;
use crate::live::Live;
use crate::outbox::{self, Outbox};
use crate::process::{self, Manner, Start, StartCard, StartOrder};
use crate::recovery;
use crate::session::{Asked, Message, SendMode};
use crate::settings::{self, LastWord, Settings};
use crate::slash;
use crate::storage;

pub use incident::{OpenIncident, Waiting};
pub use jobs::{NewProcessRequest, StopOutcome};
pub use setup::{ModelChoice, ModelListFailure, ProviderTest, SettingsView};

/// Events of all processes that wait to be handed on.
const EVENTS: usize = 1024;
/// What is said when a client hands something else in under a name that it has used.
pub(crate) const KEY_TAKEN: &str = "This client key was used for another message. Nothing was sent.";
/// Longer texts are refused whole, so that nothing of them is lost.
const MESSAGE_BYTES: usize = 1024 * 1024;

/// Where a gateway lives and what it is made of.
pub struct GatewayOptions {
    /// The data directory.
    pub home: PathBuf,
    /// Which profile.
    pub profile: String,
    /// The shim as it was installed.
    pub shim: PathBuf,
    /// What it shares with the other gateways of its house.
    pub household: Household,
    /// What the shell says after `config.toml` was read.
    pub last_word: LastWord,
    /// Where jobs run when nobody says where.
    pub work_dir: PathBuf,
    /// Ways for words to leave and to come in, each of them this profile's.
    pub channels: Vec<Arc<dyn Channel>>,
    /// The clocks.
    pub clock: Arc<dyn Clock>,
    /// Fresh ids.
    pub ids: Arc<dyn IdSource>,
}

/// One profile at work. Clones share it.
#[derive(Clone)]
pub struct Gateway(Arc<Core>);

/// A message is kept.
#[derive(Debug, Clone, Copy)]
pub struct Sent {
    /// Its admission.
    pub admission: AdmissionId,
    /// Its turn, if it has begun.
    pub turn: Option<TurnId>,
    /// The process that a `!command` started.
    pub process: Option<ProcessId>,
    /// The conversation that goes on in place of this one.
    pub next: Option<SessionId>,
}

/// What a stop of a turn found.
#[derive(Debug, Clone, Copy)]
pub struct Stopped {
    /// A turn was running.
    pub stopped: bool,
    /// Processes that are being ended.
    pub reaping: u32,
}

/// How the gateway is.
#[derive(Debug, Clone)]
pub struct Health {
    /// The profile served.
    pub profile: String,
    /// Living processes.
    pub processes: u32,
    /// Running turns.
    pub turns: u32,
    /// Incidents that nobody has dealt with.
    pub incidents: u32,
    /// What is wrong with the data; where the rows cannot be read, nothing is counted.
    pub trouble: Option<Trouble>,
    /// The model that answers.
    pub model: Option<String>,
    /// It runs on this computer.
    pub model_local: bool,
    /// It is offered no tools.
    pub model_chat_only: bool,
    /// When a person is asked.
    pub approvals: ApprovalMode,
}

impl Gateway {
    pub(crate) const fn core(&self) -> &Arc<Core> {
        &self.0
    }

    /// Opens the profile, finds out what became of everything, and begins to work.
    pub async fn start(options: GatewayOptions) -> std::result::Result<Self, StartError> {
        let profile_dir = options.home.join("profiles").join(&options.profile);
        make_private(&profile_dir)?;
        // Made now, so that a model that is put there is noticed.
        make_private(&options.home.join("models"))?;
        let (carried, store) = open(&profile_dir, options.clock.wall(), Arc::clone(&options.ids)).await?;
        let Household { engine, told } = options.household;
        let settings = Settings::open(profile_dir.join("config.toml"), options.last_word, &engine);
        let (events, queue) = mpsc::channel(EVENTS);
        let supervisor = Supervisor::new(
            SupervisorConfig {
                runs_dir: profile_dir.join("runs"),
                bin_dir: options.home.join("run").join("bin"),
                shim_source: options.shim,
                groups: settings.config().groups.clone(),
            },
            events,
        )?;
        let core = Arc::new(Core {
            store,
            supervisor,
            live: Live::default(),
            approvals: crate::approvals::ApprovalDesk::default(),
            actors: crate::actors::Actors::default(),
            followers: process::Followers::default(),
            breaker: process::SharedBreaker::default(),
            feeds: feed::FeedClients::default(),
            keys: KeyStore::open(&keys_dir(&options.home, &options.profile)),
            engine,
            told,
            backups: Backups::default(),
            outbox: Outbox::new(options.channels),
            acknowledgements: Acknowledgements::default(),
            settings,
            statistics: crate::statistics::Statistics::default(),
            watchdog: crate::watchdog::Watchdog::default(),
            clock: options.clock,
            ids: options.ids,
            login: OnceCell::new(),
            home: options.home,
            work_dir: options.work_dir,
            profile: options.profile,
            looked_at: AtomicBool::new(false),
            open: AtomicBool::new(false),
            restart: crate::restart::RestartDesk::default(),
            draining: CancellationToken::new(),
            closing: CancellationToken::new(),
        });
        core.actors.tasks.spawn(process::dispatch(Arc::clone(&core), queue));
        core.actors.tasks.spawn(settings::begin(Arc::clone(&core)));
        if let Err(error) = storage::record(&core, carried).await {
            tracing::error!("What became of a restore cannot be recorded: {error}");
        }
        if let Err(error) = recovery::run(&core).await {
            // Nobody gets this one, so nobody else could end it: the next try must find the profile free.
            core.draining.cancel();
            Self(core).close().await;
            return Err(error.into());
        }
        core.actors.tasks.spawn(process::keep_short(Arc::clone(&core)));
        core.actors.tasks.spawn(backup::keep(Arc::clone(&core)));
        core.actors.tasks.spawn(crate::overdue::watch(Arc::clone(&core)));
        core.actors.tasks.spawn(outbox::keep(Arc::clone(&core)));
        core.actors.tasks.spawn(crate::owed::tell(Arc::clone(&core)));
        Ok(Self(core))
    }

    /// Goes down: nothing new is accepted, running turns and letters on their way get up to 20 s to
    /// end, unless a turn waits for a person, then every wait ends. Running processes
    /// live on under their shims unless `on_quit = "stop"`; a turn that did not end is taken up by the next start.
    pub async fn shutdown(&self) {
        self.shutdown_with(self.0.config().on_quit == Some(OnQuit::Stop)).await;
    }

    /// The same, when a person has said whether running processes are stopped.
    pub async fn shutdown_with(&self, stop: bool) {
        self.drain().await;
        if stop {
            self.stop_all().await;
        }
        self.close().await;
    }

    /// Every wait ends, and the profile is free.
    async fn close(&self) {
        self.0.closing.cancel();
        self.0.actors.tasks.close();
        self.0.supervisor.shutdown().await;
        if tokio::time::timeout(TASKS_LIMIT, self.0.actors.tasks.wait()).await.is_err() {
            tracing::warn!("Some tasks did not end in time; the next start finds their rows.");
        }
        let store = self.0.store.clone();
        if let Err(error) = tokio::task::spawn_blocking(move || store.close()).await {
            tracing::error!("The store could not be closed: {error}");
        }
    }

    /// The store's incarnation.
    pub fn epoch(&self) -> Epoch {
        self.0.store.epoch()
    }

    /// Opens a session; the same key again is the same session.
    pub async fn create_session(&self, title: Option<String>, client_key: Option<String>) -> Result<SessionId> {
        let id = SessionId::from_uuid(self.0.ids.fresh());
        let title = title.unwrap_or_default().trim().chars().take(200).collect();
        let new = NewSession {
            id,
            title,
            client_key,
            route: format!("desktop:{id}"),
            delegated_from: None,
            at: self.0.now(),
        };
        let created = self.0.store.write(move |tx| {
            if let Some(known) =
                new.client_key.as_deref().map(|k| tx.sessions().by_client_key(k)).transpose()?.flatten()
            {
                return Ok(known.id);
            }
            tx.sessions_mut().insert(&new)?;
            Ok(id)
        });
        Ok(created.await?)
    }

    /// Every session with what its row in a list shows, and how many of its processes are being ended.
    pub fn sessions(&self) -> Result<Vec<(SessionOverview, u32)>> {
        let overviews = self.0.store.read(|s| s.sessions().overviews())?;
        Ok(overviews.into_iter().map(|o| (self.0.live.reaping_of(o.row.id), o)).map(|(n, o)| (o, n)).collect())
    }

    /// A stretch of a transcript, ascending; the newest without bounds. Words that still stream are in it so far.
    pub fn items(
        &self,
        session: SessionId,
        after: Option<u64>,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<ItemFull>> {
        self.0.require_session(session)?;
        let items = self.0.store.read(|s| s.items().page(session, after, before, limit))?;
        Ok(items.into_iter().map(|item| feed::with_live_words(&self.0, item)).collect())
    }

    /// A person says something. A text that begins with `!` starts a process instead, and one with `/` and letters is a
    /// command for the gateway itself.
    pub async fn send(
        &self,
        session: SessionId,
        text: String,
        client_key: Option<String>,
        mode: SendMode,
        run_anyway: bool,
    ) -> Result<Sent> {
        check_words(&text)?;
        self.0.require_session(session)?;
        delegation::refuse_words(&self.0, session)?;
        let client_key = client_key.unwrap_or_else(|| self.0.ids.fresh().to_string());
        if let Some(command) = text.trim_start().strip_prefix('!') {
            return self.bang(session, command.trim(), client_key, run_anyway).await;
        }
        if let Some(slash) = slash::read(&text) {
            let carried = self.slash(session, text, client_key, slash).await?;
            return Ok(Sent { admission: carried.admission, turn: None, process: None, next: carried.next });
        }
        let (reply, answer) = oneshot::channel();
        self.0.actors.send(&self.0, session, Message::Say { text, client_key, mode, reply }).await?;
        let accepted = answer.await.map_err(|_| Error::ShuttingDown)??;
        Ok(Sent { admission: accepted.admission, turn: accepted.turn, process: None, next: None })
    }

    /// Stops the running turn, or only this one: what came after it goes on. What it started is ended while the caller
    /// goes on.
    pub async fn stop_turn(&self, session: SessionId, turn: Option<TurnId>) -> Result<Stopped> {
        self.0.require_session(session)?;
        let (reply, answer) = oneshot::channel();
        self.0.actors.send(&self.0, session, Message::Stop { turn, cause: AbandonCause::Stop, reply }).await?;
        let reaping = answer.await.map_err(|_| Error::ShuttingDown)?;
        Ok(Stopped { stopped: reaping.is_some(), reaping: reaping.unwrap_or(0) })
    }

    /// Tries a failed turn again.
    pub async fn retry_turn(&self, turn: TurnId) -> Result<Sent> {
        let row = self.0.store.read(|s| s.turns().get(turn))?.ok_or(Error::NotFound("turn"))?;
        delegation::refuse_words(&self.0, row.session)?;
        let (reply, answer) = oneshot::channel();
        self.0.actors.send(&self.0, row.session, Message::Retry { turn, reply }).await?;
        let accepted = answer.await.map_err(|_| Error::ShuttingDown)??;
        Ok(Sent { admission: accepted.admission, turn: accepted.turn, process: None, next: None })
    }

    /// Marks a transcript as seen up to an item.
    pub async fn mark_read(&self, session: SessionId, seq: u64) -> Result<()> {
        self.0.require_session(session)?;
        let marked = self.0.store.write(move |tx| {
            tx.sessions_mut().mark_read(session, seq)?;
            tx.notices_mut().conversation_read(session, seq)
        });
        marked.await?;
        Ok(())
    }

    /// What changed; answers when there is something or the wait is over.
    pub async fn next_feed(&self, request: FeedRequest) -> Result<FeedBatch> {
        if !self.0.looked_at.swap(true, Ordering::Relaxed) {
            // Somebody looks, so a job may follow soon: the login shell is asked while nobody waits for it yet, and not
            // while a window still opens.
            let core = Arc::clone(&self.0);
            self.0.actors.tasks.spawn(async move {
                core.login().await;
            });
        }
        feed::next(&self.0, request).await
    }

    /// What the wall says.
    pub fn now(&self) -> EpochMs {
        self.0.now()
    }

    /// The last committed revision.
    pub fn rev(&self) -> Rev {
        self.0.store.rev()
    }

    /// How the gateway is.
    pub fn health(&self) -> Result<Health> {
        let counted = self.0.store.read(|s| {
            Ok((s.processes().count_live(None)?, s.turns().all_running()?.len(), s.incidents().open_count()?))
        });
        let ((processes, turns, incidents), unread) = match counted {
            Ok(counts) => (counts, None),
            Err(gatehouse_store::Error::Storage(trouble)) => ((0, 0, 0), Some(trouble)),
            Err(other) => return Err(other.into()),
        };
        Ok(Health {
            profile: self.0.profile.clone(),
            processes,
            turns: u32::try_from(turns).unwrap_or(u32::MAX),
            incidents,
            trouble: unread.or_else(|| self.0.store.trouble()),
            model: self.0.config().chosen_model().map(|(provider, model)| format!("{}/{model}", provider.name)),
            model_local: self.0.config().chosen_model().is_some_and(|(provider, _)| provider.is_local()),
            model_chat_only: self.0.config().chosen_model().is_some_and(|(provider, _)| !provider.kind.takes_tools()),
            approvals: self.0.config().approvals,
        })
    }

    /// Living processes and unread notices.
    pub fn glance(&self) -> Result<(u32, u32)> {
        Ok(self.0.store.read(|s| Ok((s.processes().count_live(None)?, s.notices().unread()?)))?)
    }

    /// What the embedded engine does.
    pub fn engine(&self) -> EngineNow {
        self.0.engine.now()
    }

    /// `!command`: the person's own item with a card, and a process that reports its end. It needs no turn, and its
    /// acceptance has the id of its process.
    async fn bang(&self, session: SessionId, command: &str, client_key: String, run_anyway: bool) -> Result<Sent> {
        check_command(command, run_anyway)?;
        let order = StartOrder {
            session,
            turn: None,
            card: StartCard::New(Box::new(process::typed_card(&self.0, session, command))),
            command: command.to_owned(),
            cwd: None,
            notify: true,
            persist: false,
            manner: Manner::default(),
            asked: Some(Asked::new(&self.0, session, client_key, format!("!{command}"))),
        };
        let id = match process::start(&self.0, order).await? {
            Start::Runs(row, _) => row.id,
            Start::Known(id) => id,
        };
        Ok(Sent { admission: AdmissionId::from_uuid(id.uuid()), turn: None, process: Some(id), next: None })
    }
}

/// What is left after the turns gets so long to end at a shutdown.
const TASKS_LIMIT: Duration = Duration::from_secs(5);

pub(crate) fn check_words(text: &str) -> Result<()> {
    if text.trim().is_empty() {
        return Err(Error::Invalid("The message is empty. Nothing was sent.".into()));
    }
    if text.len() > MESSAGE_BYTES {
        return Err(Error::Invalid("The message is longer than 1 MB. Nothing was sent; send it as a file.".into()));
    }
    Ok(())
}

fn check_command(command: &str, run_anyway: bool) -> Result<()> {
    if command.is_empty() {
        return Err(Error::Invalid("There is no command after the \"!\". Nothing was started.".into()));
    }
    if command.contains('\0') {
        return Err(Error::Invalid("A command cannot hold a NUL character. Nothing was started.".into()));
    }
    match approval::hardline(command) {
        Some(reason) if !run_anyway => Err(Error::Blocked(reason.words.to_owned())),
        Some(_) | None => Ok(()),
    }
}

/// Opens the rows, after a restore that was ordered. It may take long, and other profiles are at work meanwhile.
async fn open(
    dir: &Path,
    at: EpochMs,
    ids: Arc<dyn IdSource>,
) -> std::result::Result<(Option<storage::Carried>, Store), StartError> {
    let dir = dir.to_owned();
    let opened = tokio::task::spawn_blocking(move || {
        let carried = storage::carry_out(&dir, at, &*ids);
        Store::open(&dir, ids).map(|store| (carried, store))
    });
    let opened = opened.await.unwrap_or_else(|fault| std::panic::resume_unwind(fault.into_panic()));
    Ok(opened?)
}

/// The keys of the profile that is always there lie where they lay before there were others; those of any other lie with
/// its rows, so that one name can have another key in each.
fn keys_dir(home: &Path, profile: &str) -> PathBuf {
    if profile == ProfileName::default().as_str() {
        return home.to_owned();
    }
    home.join("profiles").join(profile)
}

fn make_private(dir: &Path) -> std::result::Result<(), StartError> {
    use std::os::unix::fs::DirBuilderExt as _;
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.map_err(|cause| StartError::Folder { path: dir.display().to_string(), cause })
}

#[cfg(test)]
mod tests;
