//! The desktop program and its driver, from their start to their end.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs::{self, OpenOptions, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use fantoccini::{Client, ClientBuilder};
use gatehouse_provider::scripted::Scripted;
use gatehouse_tests::os::{self, Signal};
use gatehouse_tests::{House, LIMIT, Result, program};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::json;
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::{Instant, sleep};

/// Between two looks, where nothing tells that there is something to see.
pub(crate) const LOOK: Duration = Duration::from_millis(20);

/// Focus belongs to one window of a display, so journeys take turns.
static TURN: Mutex<()> = Mutex::const_new(());

/// How the program is started.
pub(crate) struct Setup {
    journey: &'static str,
    house: Arc<House>,
    env: Vec<(&'static str, OsString)>,
}

impl Setup {
    /// In a fresh house, without a model.
    pub(crate) fn bare(journey: &'static str) -> Result<Self> {
        Ok(Self { journey, house: Arc::new(House::new()?), env: Vec::new() })
    }

    /// With this provider; it asks before each command of the agent.
    pub(crate) fn with(journey: &'static str, lab: &Scripted) -> Result<Self> {
        let setup = Self::bare(journey)?;
        fs::create_dir_all(setup.house.profile())?;
        let provider = format!(
            "[[provider]]\nname = \"lab\"\nkind = \"openai-compatible\"\nbase_url = \"{}\"\nmodels = [\"qwen3-4b\"]\n",
            lab.url()
        );
        fs::write(setup.house.profile().join("config.toml"), provider)?;
        Ok(setup)
    }

    /// In this house.
    pub(crate) fn at(self, house: &Arc<House>) -> Self {
        Self { house: Arc::clone(house), ..self }
    }

    /// One more variable.
    pub(crate) fn env(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    pub(crate) fn house(&self) -> &Arc<House> {
        &self.house
    }

    /// Opens the window, and waits until its page is there.
    pub(crate) async fn open(self) -> Result<App> {
        let turn = TURN.lock().await;
        App::open(self, Some(turn)).await
    }

    /// Opens it beside another one of the same test.
    pub(crate) async fn open_beside(self, _other: &App) -> Result<App> {
        App::open(self, None).await
    }

    /// Starts the program as a person does, without a driver.
    pub(crate) fn start_alone(&self) -> Result<Child> {
        self.spawn(program("gatehouse")?, &[])
    }

    fn spawn(&self, program: PathBuf, args: &[String]) -> Result<Child> {
        let log = OpenOptions::new().create(true).append(true).open(self.house.stderr())?;
        let mut path = self.bin().into_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into()));
        #[expect(clippy::disallowed_methods, reason = "the program under test is started from outside")]
        let mut command = Command::new(program);
        // The program is the driver's child and inherits all of this. Its directory is how the house finds it again.
        command.args(args).current_dir(self.house.root()).env("PATH", path);
        command.env("HOME", self.house.person()).env("GATEHOUSE_HOME", self.house.home()).env("SHELL", "/bin/bash");
        for place in ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "BROWSER", "GTK_THEME"] {
            command.env_remove(place);
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        Ok(command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).spawn()?)
    }

    fn bin(&self) -> PathBuf {
        self.house.root().join("bin")
    }

    /// Puts a program in the place of the one that opens addresses: it writes them down, one a line.
    fn catch_addresses(&self) -> Result {
        fs::create_dir_all(self.bin())?;
        let script = format!("#!/bin/sh\nprintf '%s\\n' \"$1\" >> '{}'\n", self.house.root().join("opened").display());
        let file = self.bin().join("xdg-open");
        fs::write(&file, script)?;
        Ok(fs::set_permissions(&file, Permissions::from_mode(0o755))?)
    }
}

/// A running driver with the program's window.
pub(crate) struct App {
    pub(crate) client: Client,
    pub(crate) house: Arc<House>,
    journey: &'static str,
    pictures: Cell<u32>,
    driver: Driver,
    _turn: Option<MutexGuard<'static, ()>>,
}

impl App {
    async fn open(setup: Setup, turn: Option<MutexGuard<'static, ()>>) -> Result<Self> {
        setup.catch_addresses()?;
        let driver = Driver::start(&setup).await?;
        let wanted = json!({
            "browserName": "wry",
            "webkitgtk:browserOptions": {"binary": program("gatehouse")?, "args": []},
        });
        let wanted = serde_json::from_value(wanted)?;
        let builder = ClientBuilder::new(HttpConnector::new()).capabilities(wanted).clone();
        let opened = tokio::time::timeout(LIMIT, builder.connect(&driver.url)).await;
        let words = || fs::read_to_string(setup.house.stderr()).unwrap_or_default();
        let client = match opened {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => return Err(format!("the window did not open: {error}\n{}", words()).into()),
            Err(_) => return Err(format!("the window did not open in time\n{}", words()).into()),
        };
        let app =
            Self { client, house: setup.house, journey: setup.journey, pictures: Cell::new(0), driver, _turn: turn };
        app.until(
            "the page",
            "return document.querySelector('.frame') !== null && document.fonts.status === 'loaded'",
            &[],
        )
        .await?;
        Ok(app)
    }

    /// Keeps a picture of the window.
    pub(crate) async fn picture(&self, name: &str) -> Result {
        let here = std::env::current_exe()?;
        let target = here.ancestors().nth(3).ok_or("no target directory")?;
        fs::create_dir_all(target.join("screens"))?;
        self.pictures.set(self.pictures.get() + 1);
        let file = format!("{}-{}-{name}.png", self.journey, self.pictures.get());
        Ok(fs::write(target.join("screens").join(file), self.client.screenshot().await?)?)
    }

    /// Closes the window and ends the driver.
    pub(crate) async fn close(mut self) -> Result {
        self.client.clone().close().await?;
        self.driver.end()
    }

    /// Addresses that were opened outside the window, in their order.
    pub(crate) fn opened(&self) -> Vec<String> {
        let words = fs::read_to_string(self.house.root().join("opened")).unwrap_or_default();
        words.lines().map(str::to_owned).collect()
    }
}

/// `WebKitWebDriver`, ended when it is dropped. The window's program is its child, and the house sweeps that one.
struct Driver {
    child: Child,
    url: String,
}

impl Driver {
    async fn start(setup: &Setup) -> Result<Self> {
        let deadline = Instant::now() + LIMIT;
        let mut driver = Self::spawn(setup)?;
        while Instant::now() < deadline {
            if driver.child.try_wait()?.is_some() {
                // Somebody else took the port in the meantime.
                driver = Self::spawn(setup)?;
            }
            if tokio::net::TcpStream::connect(driver.url.trim_start_matches("http://")).await.is_ok() {
                return Ok(driver);
            }
            sleep(LOOK).await;
        }
        Err(format!("WebKitWebDriver does not listen on {}", driver.url).into())
    }

    fn spawn(setup: &Setup) -> Result<Self> {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let setup = Setup { env: setup.env.clone(), house: Arc::clone(&setup.house), ..*setup };
        let setup = setup.env("TAURI_WEBVIEW_AUTOMATION", "true");
        let spawned = setup.spawn("WebKitWebDriver".into(), &[format!("--port={port}")]);
        let child = spawned.map_err(|error| format!("WebKitWebDriver (package webkit2gtk-driver): {error}"))?;
        Ok(Self { child, url: format!("http://127.0.0.1:{port}") })
    }

    fn end(&mut self) -> Result {
        if self.child.try_wait()?.is_none() {
            os::signal(self.child.id(), Signal::TERM)?;
            if !os::await_end(self.child.id(), Duration::from_secs(5))? {
                self.child.kill()?;
            }
            self.child.wait()?;
        }
        Ok(())
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let ended = self.end();
        if !std::thread::panicking() {
            assert!(ended.is_ok(), "the driver did not end: {ended:?}");
        }
    }
}
