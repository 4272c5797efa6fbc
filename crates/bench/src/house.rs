//! A server of its own, with a home of its own.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::clock;
use crate::error::{Doing, Error, Result};
use crate::program::{self, Running};
use crate::rpc::{self, Rpc};

/// Benches start more than people do.
const LIMITS: &str = "[limits]\nprocesses = 4000\nprocesses_per_session = 4000\n";

/// A provider that nobody asks: a window with one opens on its conversations, as it does for somebody who uses it.
const SET_UP: &str = "[[provider]]\nname = \"none\"\nkind = \"openai-compatible\"\nbase_url = \"http://127.0.0.1:9/v1\"\nmodels = [\"none\"]\n";

/// What differs between houses.
#[derive(Debug, Default)]
pub(crate) struct Plan<'a> {
    /// The provider's base address.
    pub provider: Option<&'a str>,
    /// Variables of the server.
    pub env: Vec<(&'static str, PathBuf)>,
}

/// A home directory, prepared.
#[derive(Debug)]
pub(crate) struct Home {
    dir: TempDir,
}

impl Home {
    /// A new one.
    pub fn new() -> Result<Self> {
        Self::with(LIMITS)
    }

    /// A new one for a window that was used before.
    pub fn set_up() -> Result<Self> {
        Self::with(SET_UP)
    }

    /// A new one whose jobs have groups below a directory, if there is one.
    pub fn grouped(groups: Option<&Path>) -> Result<Self> {
        let groups = groups.map(|path| format!("[process]\ncgroup = {:?}\n", path.display().to_string()));
        Self::with(&format!("{LIMITS}{}", groups.unwrap_or_default()))
    }

    fn with(config: &str) -> Result<Self> {
        let dir = program::scratch()?;
        let profile = dir.path().join("profiles").join("default");
        std::fs::create_dir_all(&profile).doing("making a home")?;
        std::fs::write(profile.join("config.toml"), config).doing("writing a configuration")?;
        Ok(Self { dir })
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// A server that runs.
#[derive(Debug)]
pub(crate) struct Server {
    running: Running,
    /// Commands to it.
    pub rpc: Rpc,
    /// From before it was started to its ready line.
    pub ready: Duration,
    url: String,
    token: String,
}

impl Server {
    /// Starts one and waits for its ready line.
    pub fn start(home: &Home, plan: &Plan<'_>) -> Result<Self> {
        Self::start_from(&program::release("gatehouse-server")?, home, plan)
    }

    /// The same, from another place.
    pub fn start_from(program: &Path, home: &Home, plan: &Plan<'_>) -> Result<Self> {
        let log = std::fs::File::create(home.path().join("server.err")).doing("making a log")?;
        let mut command = program::command(program);
        command.arg("--home").arg(home.path()).args(["--port", "0", "--approvals", "off"]);
        if let Some(url) = plan.provider {
            command.args(["--provider-url", url, "--model", "scripted"]);
        }
        command.envs(plan.env.iter().map(|(name, value)| (name, value)));
        command.current_dir(program::checkout()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let started = clock::now();
        let mut running = program::start(&mut command)?;
        let out = running.0.stdout.take().ok_or_else(|| Error::Shape("the server's output".into()))?;
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line).doing("reading the ready line")?;
        let ready = clock::since(started);
        let said: Value = serde_json::from_str(&line).map_err(|_| Error::Failed {
            doing: "starting the server".into(),
            words: std::fs::read_to_string(home.path().join("server.err")).unwrap_or_default(),
        })?;
        let (url, token) = (rpc::text(&said, "url")?, rpc::text(&said, "token")?);
        Ok(Self { running, rpc: Rpc::new(&url, &token)?, ready, url, token })
    }

    /// Its id.
    pub fn pid(&self) -> u32 {
        self.running.pid()
    }

    /// The address that a browser opens.
    pub fn page(&self) -> String {
        format!("{}/#token={}", self.url, self.token)
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> Result<bool> {
        Ok(self.running.0.try_wait().doing("looking for the server")?.is_some())
    }

    /// Ends it without a word.
    pub fn kill(mut self) -> Result<()> {
        self.running.0.kill().doing("killing the server")?;
        self.running.0.wait().doing("killing the server")?;
        Ok(())
    }

    /// Asks it to end and waits.
    pub fn end(mut self) -> Result<()> {
        if let Some(pid) = rustix::process::Pid::from_raw(self.pid().cast_signed()) {
            rustix::process::kill_process(pid, rustix::process::Signal::TERM).doing("ending the server")?;
        }
        self.running.0.wait().doing("ending the server")?;
        Ok(())
    }
}

/// Words for whoever waits at the terminal; figures go to the other stream.
pub(crate) fn tell(words: &str) {
    // Who closed the stream does not want to read them.
    let _unread = writeln!(std::io::stderr(), "gatehouse-bench: {words}");
}
