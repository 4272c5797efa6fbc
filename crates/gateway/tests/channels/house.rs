//! A gateway on a runtime of its own, so that it can be killed without a word, and a clock that can be set.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use gatehouse_channel::{Channel, Letter, Parcel};
use gatehouse_domain::{
    Arrival, ChatId, ChatType, Clock, EpochMs, InboundId, Mono, Origin, OutboxState, Platform, ProfileName,
    ReplyAnchor, SessionId, TurnId,
};
use gatehouse_gateway::row::ObligationRow;
use gatehouse_gateway::{
    Gateway, GatewayOptions, Household, Manner, NewProcessRequest, Received, StartError, SystemClock, SystemIds,
};
use gatehouse_provider::scripted::{Script, Scripted};
use rusqlite::Connection;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use crate::channel::FakeChannel;
use crate::{Fault, LIMIT, Result};

const LOOK: Duration = Duration::from_millis(10);

/// The system's clock, set ahead.
#[derive(Default)]
pub struct Wall {
    clock: SystemClock,
    ahead: AtomicU64,
}

impl Clock for Wall {
    fn wall(&self) -> EpochMs {
        self.clock.wall().after(Duration::from_secs(self.ahead.load(Ordering::Relaxed)))
    }

    fn mono(&self) -> Mono {
        Mono(self.clock.mono().0 + Duration::from_secs(self.ahead.load(Ordering::Relaxed)))
    }
}

/// A gateway that runs.
struct Run {
    gateway: Gateway,
    runtime: Runtime,
}

/// A home with a gateway in it.
pub struct House {
    run: Option<Run>,
    pub lab: Scripted,
    pub clock: Arc<Wall>,
    channels: Vec<Arc<dyn Channel>>,
    /// The test's own runtime; the lab lives on it.
    pub own: Runtime,
    pub home: TempDir,
}

fn runtime() -> Result<Runtime> {
    Ok(Builder::new_multi_thread().worker_threads(2).enable_all().build()?)
}

/// The shim as it was built beside this test.
pub fn shim() -> Result<PathBuf> {
    let test = std::env::current_exe()?;
    let built = test.parent().and_then(Path::parent).ok_or("a test without a place")?.join("gatehouse-shim");
    if built.exists() { Ok(built) } else { Err(format!("{} is not built", built.display()).into()) }
}

impl House {
    /// Opens one whose model answers so, with these channels.
    pub fn open(
        answers: impl Into<Script>,
        channels: impl IntoIterator<Item = Arc<dyn Channel>>,
        settings: &str,
    ) -> Result<Self> {
        Self::open_in(tempfile::tempdir()?, answers, channels, settings)
    }

    /// The same, in this place.
    pub fn open_in(
        home: TempDir,
        answers: impl Into<Script>,
        channels: impl IntoIterator<Item = Arc<dyn Channel>>,
        settings: &str,
    ) -> Result<Self> {
        let own = runtime()?;
        let lab = own.block_on(Scripted::start(answers))?;
        let profile = home.path().join("data/profiles/default");
        std::fs::create_dir_all(&profile)?;
        let provider =
            format!("[[provider]]\nname = \"lab\"\nkind = \"openai-compatible\"\nbase_url = \"{}\"\n", lab.url());
        let rest = "models = [\"scripted\"]\n[agent]\napprovals = \"off\"\n";
        std::fs::write(profile.join("config.toml"), provider + rest + settings)?;
        let channels = channels.into_iter().collect();
        let mut house = Self { run: None, lab, clock: Arc::default(), channels, own, home };
        house.start()?;
        Ok(house)
    }

    /// Starts the gateway. One that was killed lets go of its files a moment later.
    pub fn start(&mut self) -> Result {
        let runtime = runtime()?;
        let started = until("a start", || match runtime.block_on(Gateway::start(self.options().ok()?)) {
            Ok(gateway) => Some(Ok(gateway)),
            Err(StartError::Store(_)) => None,
            Err(other) => Some(Err(other)),
        });
        let gateway = started??;
        self.run = Some(Run { gateway, runtime });
        Ok(())
    }

    fn options(&self) -> Result<GatewayOptions> {
        Ok(GatewayOptions {
            home: self.home.path().join("data"),
            profile: "default".into(),
            shim: shim()?,
            household: Household::default(),
            last_word: Arc::new(|_| {}),
            work_dir: self.home.path().to_owned(),
            channels: self.channels.clone(),
            clock: Arc::<Wall>::clone(&self.clock),
            ids: Arc::new(SystemIds),
        })
    }

    fn running(&self) -> Result<&Run> {
        self.run.as_ref().ok_or_else(|| "no gateway runs".into())
    }

    /// The gateway.
    pub fn gateway(&self) -> Result<&Gateway> {
        Ok(&self.running()?.gateway)
    }

    /// Waits for something that the gateway does.
    pub fn does<T>(&self, future: impl Future<Output = T>) -> Result<T> {
        Ok(self.running()?.runtime.block_on(future))
    }

    /// Ends it in the middle of whatever it does.
    pub fn kill(&mut self) {
        self.run = None;
    }

    /// Kills it and starts it again.
    pub fn restart(&mut self) -> Result {
        self.kill();
        self.start()
    }

    /// Ends it in order, on a thread of its own.
    pub fn shut_down(&mut self) -> Result<std::thread::JoinHandle<()>> {
        let run = self.run.take().ok_or("no gateway runs")?;
        Ok(std::thread::spawn(move || run.runtime.block_on(run.gateway.shutdown())))
    }

    /// Later by so many seconds.
    pub fn wait(&self, seconds: u64) {
        self.clock.ahead.fetch_add(seconds, Ordering::Relaxed);
    }

    /// A message comes in.
    pub fn receive(&self, arrival: &Arrival, text: &str) -> Result<Received> {
        Ok(self.does(self.gateway()?.receive(arrival.clone(), text.to_owned()))??)
    }

    /// A message comes in and is answered.
    pub fn answered(&self, arrival: &Arrival, text: &str) -> Result<TurnId> {
        let received = self.receive(arrival, text)?;
        let turn = received.turn.ok_or("no turn began")?;
        self.at_rest(received.session)?;
        Ok(turn)
    }

    /// Waits until nothing runs in a conversation.
    pub fn at_rest(&self, session: SessionId) -> Result {
        let running = || {
            let overview = self.gateway().ok()?.sessions().ok()?.into_iter().find(|(row, _)| row.row.id == session)?.0;
            Some(overview.running_turn)
        };
        until("the end of a turn", || running()?.is_none().then_some(()))
    }

    /// What a turn owes.
    pub fn owed(&self, turn: TurnId) -> Result<Vec<ObligationRow>> {
        Ok(self.gateway()?.letters_of(turn)?)
    }

    /// Waits until the words of a turn stand so.
    pub fn stands(&self, turn: TurnId, state: OutboxState) -> Result<ObligationRow> {
        let first = || self.owed(turn).ok()?.into_iter().next();
        until(&format!("{state}"), || first().filter(|row| row.state == state))
    }

    /// Waits until a channel was handed so many letters.
    pub fn asked(&self, channel: &FakeChannel, letters: usize) -> Result<Vec<Letter>> {
        self.own.block_on(channel.asked_times(letters))
    }

    /// A job of the conversation, whose end is reported.
    pub fn job(&self, session: SessionId, command: &str) -> Result {
        self.start_job(session, command, true)
    }

    /// A job of which only its person reads.
    pub fn quiet_job(&self, session: SessionId, command: &str) -> Result {
        self.start_job(session, command, false)
    }

    /// What stands in the rows, a text for each.
    pub fn rows(&self, sql: &str) -> Result<Vec<String>> {
        let conn = self.elsewhere()?;
        let mut rows = conn.prepare(sql)?;
        Ok(rows.query_map([], |row| row.get(0))?.collect::<Result<_, rusqlite::Error>>()?)
    }

    /// The data file.
    pub fn data(&self) -> PathBuf {
        self.home.path().join("data/profiles/default/gatehouse.db")
    }

    /// The data as another program opens it.
    pub fn elsewhere(&self) -> Result<Connection> {
        Ok(Connection::open(self.data())?)
    }

    fn start_job(&self, session: SessionId, command: &str, notify: bool) -> Result {
        let request = NewProcessRequest {
            session,
            command: command.into(),
            cwd: None,
            notify,
            persist: false,
            manner: Manner::default(),
            client_key: None,
        };
        self.does(self.gateway()?.start_process(request))??;
        Ok(())
    }
}

/// Jobs of a test end with it.
impl Drop for House {
    fn drop(&mut self) {
        if let Some(run) = self.run.take() {
            run.runtime.block_on(run.gateway.shutdown_with(true));
        }
    }
}

/// Looks again and again: rows tell nobody outside when they change.
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> Result<T> {
    for _ in 0..LIMIT.as_millis() / LOOK.as_millis() {
        if let Some(found) = look() {
            return Ok(found);
        }
        std::thread::sleep(LOOK);
    }
    Err(format!("not in time: {what}").into())
}

/// A connected channel of this name.
pub fn channel(name: &str) -> Result<Arc<FakeChannel>> {
    Ok(FakeChannel::new(Platform::new(name)?))
}

/// As the gateway takes it.
pub fn plugged<C: Channel>(channel: &Arc<C>) -> Arc<dyn Channel> {
    Arc::<C>::clone(channel)
}

/// A direct message in this chat, with this id.
pub fn message(chat: &str, id: &str) -> Result<Arrival> {
    let place = Origin::at(ProfileName::new("default")?, Platform::new("slack")?, ChatType::Dm);
    let origin = Origin { chat: Some(ChatId::new(chat)?), ..place };
    Ok(Arrival { origin, inbound: Some(InboundId::new(id)?), anchor: Some(ReplyAnchor::new(id)?), via_relay: false })
}

/// What people read in one chat, without what the house says by itself.
pub fn read(channel: &FakeChannel, chat: &str) -> Vec<String> {
    said(channel, chat, true)
}

/// What the house says by itself in one chat.
pub fn house_says(channel: &FakeChannel, chat: &str) -> Vec<String> {
    said(channel, chat, false)
}

fn said(channel: &FakeChannel, chat: &str, notify: bool) -> Vec<String> {
    let letters = channel.chat().into_iter().filter(|letter| letter.target.chat.as_str() == chat);
    letters.filter(|letter| letter.notify == notify).map(|letter| words(&letter)).collect()
}

/// A letter as text.
pub fn words(letter: &Letter) -> String {
    match &letter.parcel {
        Parcel::Text(text) | Parcel::Edit { text, .. } => text.clone(),
        other => format!("{other:?}"),
    }
}

/// What went wrong, by its cause.
pub fn incidents(house: &House) -> Result<Vec<String>, Fault> {
    Ok(house.gateway()?.waiting()?.incidents.into_iter().map(|incident| incident.row.cause).collect())
}
