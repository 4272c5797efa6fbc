//! The desktop program, from its start to its end.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs::{self, OpenOptions, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use fantoccini::{Client, ClientBuilder};
use gatehouse_provider::scripted::Scripted;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::json;
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::{Instant, sleep};

use super::Bus;
use super::driver::Driver;
use crate::os::{self, Signal};
use crate::{House, LIMIT, Result, program};

/// Between two looks, where nothing tells that there is something to see.
pub const LOOK: Duration = Duration::from_millis(20);

/// Focus belongs to one window of a display, so journeys take turns.
static TURN: Mutex<()> = Mutex::const_new(());

/// How the program is started.
#[derive(Debug, Clone)]
pub struct Setup {
    journey: &'static str,
    house: Arc<House>,
    bus: Arc<Bus>,
    env: Vec<(&'static str, OsString)>,
    /// Where the programs lie; absent = where they were built.
    programs: Option<PathBuf>,
    /// The first window begins with the choice of a model.
    first_run: bool,
}

impl Setup {
    /// In a fresh house on a bus of its own, with nothing set up.
    pub fn bare(journey: &'static str) -> Result<Self> {
        Self::bare_in(journey, Arc::new(House::new()?))
    }

    /// In this house on a bus of its own.
    pub fn bare_in(journey: &'static str, house: Arc<House>) -> Result<Self> {
        let bus = Arc::new(Bus::start()?);
        Ok(Self { journey, house, bus, env: Vec::new(), programs: None, first_run: true })
    }

    /// With the programs that lie in this directory.
    pub fn programs(self, programs: PathBuf) -> Self {
        Self { programs: Some(programs), ..self }
    }

    /// The first window asks nothing: something is set up already.
    pub fn set_up(self) -> Self {
        Self { first_run: false, ..self }
    }

    /// With this provider; it asks before each command of the agent.
    pub fn with(journey: &'static str, lab: &Scripted) -> Result<Self> {
        let setup = Self { first_run: false, ..Self::bare(journey)? };
        setup.config(&format!(
            "[[provider]]\nname = \"lab\"\nkind = \"openai-compatible\"\nbase_url = \"{}\"\nmodels = [\"qwen3-4b\"]\n",
            lab.url()
        ))
    }

    /// With more lines in `config.toml`.
    pub fn config(self, lines: &str) -> Result<Self> {
        fs::create_dir_all(self.house.profile())?;
        OpenOptions::new().create(true).append(true).open(self.config_file())?.write_all(lines.as_bytes())?;
        Ok(self)
    }

    /// Where that is.
    pub fn config_file(&self) -> PathBuf {
        self.house.profile().join("config.toml")
    }

    /// In the house and on the bus of this one, after it or beside it.
    pub fn at(self, app: &App) -> Self {
        Self { house: Arc::clone(&app.house), first_run: false, ..self }.on(&app.bus)
    }

    /// On this bus.
    pub fn on(self, bus: &Arc<Bus>) -> Self {
        Self { bus: Arc::clone(bus), ..self }
    }

    /// One more variable.
    pub fn env(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    /// Where the program lives.
    pub fn house(&self) -> &Arc<House> {
        &self.house
    }

    /// The bus of its session.
    pub fn bus(&self) -> &Arc<Bus> {
        &self.bus
    }

    /// Opens the window, and waits until its page is there.
    pub async fn open(self) -> Result<App> {
        let turn = TURN.lock().await;
        App::open(self, Some(turn)).await
    }

    /// Opens it beside another one of the same test, or after one that is closed.
    pub async fn open_beside(self, _other: &App) -> Result<App> {
        App::open(self, None).await
    }

    /// Waits for the display, for a test that opens no window through the driver.
    pub async fn turn(&self) -> MutexGuard<'static, ()> {
        TURN.lock().await
    }

    /// Starts the program as a person does, without a driver.
    pub fn start_alone(&self) -> Result<Child> {
        self.spawn(self.program()?, &[])
    }

    fn program(&self) -> Result<PathBuf> {
        match &self.programs {
            Some(programs) => Ok(programs.join("gatehouse")),
            None => program("gatehouse"),
        }
    }

    /// Starts another program where this one would run, as the same person would.
    pub fn spawn(&self, program: PathBuf, args: &[String]) -> Result<Child> {
        let log = OpenOptions::new().create(true).append(true).open(self.house.stderr())?;
        let mut path = self.bin().into_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into()));
        #[expect(clippy::disallowed_methods, reason = "the program under test is started from outside")]
        let mut command = Command::new(program);
        // The program is the driver's child and inherits all of this. Its directory is how the house finds it again.
        command.args(args).current_dir(self.house.root()).env("PATH", path);
        command.env("HOME", self.house.person()).env("GATEHOUSE_HOME", self.house.home()).env("SHELL", "/bin/bash");
        command.env("DBUS_SESSION_BUS_ADDRESS", self.bus.address());
        for place in ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "BROWSER", "GTK_THEME"] {
            command.env_remove(place);
        }
        for proxy in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            command.env_remove(proxy);
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        Ok(command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).spawn()?)
    }

    fn bin(&self) -> PathBuf {
        self.house.root().join("bin")
    }

    fn put_in_bin(&self, name: &str, script: &str) -> Result<PathBuf> {
        fs::create_dir_all(self.bin())?;
        let file = self.bin().join(name);
        fs::write(&file, script)?;
        fs::set_permissions(&file, Permissions::from_mode(0o755))?;
        Ok(file)
    }

    /// Puts a program in the place of the one that opens addresses: it writes them down, one a line.
    fn catch_addresses(&self) -> Result {
        let script = format!("#!/bin/sh\nprintf '%s\\n' \"$1\" >> '{}'\n", self.house.root().join("opened").display());
        self.put_in_bin("xdg-open", &script).map(drop)
    }

    /// What the driver starts: the program, and somebody who stays to see how it ends.
    fn watched(&self) -> Result<PathBuf> {
        let (program, ended) = (self.program()?, ended_file(&self.house));
        let script = format!("#!/bin/sh\n'{}' \"$@\"\necho $? >> '{}'\n", program.display(), ended.display());
        if ended.exists() {
            fs::remove_file(ended)?;
        }
        self.put_in_bin("watched", &script)
    }
}

fn ended_file(house: &House) -> PathBuf {
    house.root().join("ended")
}

/// A running driver with the program's window.
#[derive(Debug)]
pub struct App {
    /// Speaks to the driver.
    pub client: Client,
    /// Where the program lives.
    pub house: Arc<House>,
    /// The bus of its session.
    pub bus: Arc<Bus>,
    journey: &'static str,
    pictures: Cell<u32>,
    first_run: Cell<bool>,
    driver: Driver,
    _turn: Option<MutexGuard<'static, ()>>,
}

impl App {
    async fn open(setup: Setup, turn: Option<MutexGuard<'static, ()>>) -> Result<Self> {
        setup.catch_addresses()?;
        let driver = Driver::start(&setup).await?;
        let wanted = json!({
            "browserName": "wry",
            // Commands are taken while the page still loads, so that its policy is watched from the beginning.
            "pageLoadStrategy": "none",
            "webkitgtk:browserOptions": {"binary": setup.watched()?, "args": []},
        });
        let wanted = serde_json::from_value(wanted)?;
        let builder = ClientBuilder::new(HttpConnector::new()).capabilities(wanted).clone();
        let opened = tokio::time::timeout(LIMIT, builder.connect(driver.url())).await;
        let words = || fs::read_to_string(setup.house.stderr()).unwrap_or_default();
        let client = match opened {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => return Err(format!("the window did not open: {error}\n{}", words()).into()),
            Err(_) => return Err(format!("the window did not open in time\n{}", words()).into()),
        };
        let Setup { journey, house, bus, first_run, .. } = setup;
        let (pictures, first_run) = (Cell::new(0), Cell::new(first_run));
        let app = Self { client, house, bus, journey, pictures, first_run, driver, _turn: turn };
        app.page_is_there().await?;
        Ok(app)
    }

    /// Begins to note what the page's policy refuses, as early as it can be asked, and waits for the page.
    pub async fn page_is_there(&self) -> Result {
        self.until("a document", &format!("{NOTE_REFUSALS} return true"), &[]).await?;
        let there = "return document.querySelector('.frame:not(.boot)') !== null && document.fonts.status === 'loaded'";
        self.until("the page", there, &[]).await.map(drop)
    }

    /// Whether this window still has to be told which model answers; asked once.
    pub(crate) fn takes_first_run(&self) -> bool {
        self.first_run.replace(false)
    }

    /// The program's own process.
    pub fn pid(&self) -> Result<u32> {
        let ours = os::below(self.house.root())?;
        let named = |path: &Path| path.file_name().is_some_and(|name| name == "gatehouse");
        let found = ours.into_iter().find(|seen| seen.exe.as_deref().is_some_and(named));
        found.map(|seen| seen.pid).ok_or_else(|| "the program is gone".into())
    }

    /// Keeps a picture of the window.
    pub async fn picture(&self, name: &str) -> Result {
        let here = std::env::current_exe()?;
        let target = here.ancestors().nth(3).ok_or("no target directory")?;
        fs::create_dir_all(target.join("screens"))?;
        self.pictures.set(self.pictures.get() + 1);
        // A page that a person sees has come to rest; one that is hidden paints nothing.
        self.client.execute_async(AT_REST, Vec::new()).await?;
        let file = format!("{}-{}-{name}.png", self.journey, self.pictures.get());
        Ok(fs::write(target.join("screens").join(file), self.client.screenshot().await?)?)
    }

    /// What the page's policy refused so far; it is told in a task of its own.
    pub async fn refused(&self) -> Result<Vec<String>> {
        self.client.execute_async("setTimeout(arguments[0], 0)", Vec::new()).await?;
        Ok(serde_json::from_value(self.run("return window.refused", &[]).await?)?)
    }

    /// Closes every window and ends the driver. Nothing may have been refused on the way.
    pub async fn close(mut self) -> Result {
        for window in self.client.windows().await? {
            self.client.switch_to_window(window).await?;
            let refused = self.refused().await?;
            assert!(refused.is_empty(), "the page's policy refused something: {refused:?}");
        }
        let pid = self.pid()?;
        self.client.clone().close().await?;
        // The driver ends what it started; the program itself is to end as it does when a session of the system is over.
        os::signal(pid, Signal::TERM)?;
        os::ended(pid).await?;
        self.driver.end()
    }

    /// Waits until the program has ended by itself, and gives its exit code.
    pub async fn ended(&mut self, limit: Duration) -> Result<i32> {
        let deadline = Instant::now() + limit;
        // Whoever writes it is a shell script, and nothing tells when it has.
        let code = loop {
            let words = fs::read_to_string(ended_file(&self.house)).unwrap_or_default();
            if let Some(code) = words.strip_suffix('\n') {
                break code.trim().parse()?;
            }
            if Instant::now() > deadline {
                return Err(format!("the program lives on after {limit:?}").into());
            }
            sleep(LOOK).await;
        };
        self.driver.end()?;
        Ok(code)
    }

    /// Addresses that were opened outside the window, in their order.
    pub fn opened(&self) -> Vec<String> {
        let words = fs::read_to_string(self.house.root().join("opened")).unwrap_or_default();
        words.lines().map(str::to_owned).collect()
    }
}

/// Calls back when what moves has come to rest and was painted, or soon in any case.
const AT_REST: &str = "const done = arguments[0];
    const moves = document.getAnimations().filter((each) => Number.isFinite(each.effect.getComputedTiming().endTime));
    const painted = () => requestAnimationFrame(() => requestAnimationFrame(() => done()));
    Promise.allSettled(moves.map((each) => each.finished)).then(painted);
    setTimeout(done, 500)";

/// Keeps what the page's policy refuses.
const NOTE_REFUSALS: &str =
    "if (document.documentElement === null || location.protocol === 'about:' || window.before === true) return false;
    if (window.refused !== undefined) return true;
    window.refused = [];
    window.notedWhen = document.readyState;
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
        window.refused.push(`${effectiveDirective} ${blockedURI}`));";
