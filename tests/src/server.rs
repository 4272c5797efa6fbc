//! The server program, from its start to its end.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader};
use std::ops::Deref;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use gatehouse_provider::scripted::Scripted;
use serde_json::Value;

use crate::os::{self, Signal};
use crate::{House, LIMIT, Result, Rpc};

/// How a server is started.
#[derive(Debug, Clone)]
pub struct Setup {
    args: Vec<OsString>,
    env: Vec<(String, String)>,
    program: Option<PathBuf>,
    /// What starts the program, with its own arguments.
    outer: Vec<OsString>,
}

impl Setup {
    /// Without a model.
    pub const fn bare() -> Self {
        Self { args: Vec::new(), env: Vec::new(), program: None, outer: Vec::new() }
    }

    /// With this provider, and without questions.
    pub fn with(lab: &Scripted) -> Self {
        Self::at(&lab.url())
    }

    /// With a provider at this address, and without questions.
    pub fn at(url: &str) -> Self {
        Self::bare().args(["--provider-url", url, "--model", "scripted", "--approvals", "off"])
    }

    /// Asks before each command of the agent.
    pub fn asking(mut self) -> Self {
        if let Some(mode) = self.args.last_mut() {
            *mode = "ask".into();
        }
        self
    }

    /// More arguments.
    pub fn args<'a>(mut self, args: impl IntoIterator<Item = &'a str>) -> Self {
        self.args.extend(args.into_iter().map(OsString::from));
        self
    }

    /// One more variable in an otherwise small environment.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Another copy of the program.
    pub fn program(self, program: PathBuf) -> Self {
        Self { program: Some(program), ..self }
    }

    /// Inside another program, which becomes the server in the end.
    pub fn inside<'a>(self, outer: impl IntoIterator<Item = &'a str>) -> Self {
        Self { outer: outer.into_iter().map(OsString::from).collect(), ..self }
    }

    /// Starts it in a fresh house.
    pub async fn start(self) -> Result<Server> {
        self.start_in(Arc::new(House::new()?)).await
    }

    /// Starts it in this house, and waits until it is ready.
    pub async fn start_in(self, house: Arc<House>) -> Result<Server> {
        let mut child = self.spawn(&house)?;
        let ready = ready_line(&mut child).await;
        let known = ready.ok().and_then(|line| serde_json::from_str::<Value>(&line).ok()).and_then(|ready| {
            let word = |name: &str| ready[name].as_str().map(str::to_owned);
            Some(Rpc::new(word("url")?, word("token")?))
        });
        let Some(rpc) = known else {
            child.kill()?;
            child.wait()?;
            return Err(format!("the server did not become ready:\n{}", fs::read_to_string(house.stderr())?).into());
        };
        Ok(Server { house, setup: self, child, rpc })
    }

    /// Starts it where it must not start: its exit status and its words.
    pub async fn refused(self, house: &Arc<House>) -> Result<Refused> {
        fs::write(house.stderr(), "")?;
        let mut child = self.spawn(house)?;
        let pid = child.id();
        if !tokio::task::spawn_blocking(move || os::await_end(pid, LIMIT)).await?? {
            child.kill()?;
            child.wait()?;
            return Err("the server runs where it must not".into());
        }
        Ok(Refused { status: child.wait()?, words: fs::read_to_string(house.stderr())? })
    }

    fn spawn(&self, house: &House) -> Result<Child> {
        let program = match &self.program {
            Some(program) => program.clone(),
            None => program("gatehouse-server")?,
        };
        let stderr = OpenOptions::new().create(true).append(true).open(house.stderr())?;
        let words: Vec<OsString> = self.outer.iter().cloned().chain([program.into()]).collect();
        #[expect(clippy::disallowed_methods, reason = "the program under test is started from outside")]
        let mut command = std::process::Command::new(&words[0]);
        command.args(&words[1..]);
        command.env_clear().env("HOME", house.person()).env("SHELL", "/bin/bash").env("LANG", "C.UTF-8");
        command.env("PATH", std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into()));
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.arg("--home").arg(house.home()).args(&self.args).current_dir(house.root());
        Ok(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(stderr).spawn()?)
    }
}

/// A start that ended by itself.
#[derive(Debug)]
pub struct Refused {
    /// How it ended.
    pub status: ExitStatus,
    /// What it said.
    pub words: String,
}

/// A running server. Its commands are those of [`Rpc`].
#[derive(Debug)]
pub struct Server {
    /// Where it lives.
    pub house: Arc<House>,
    setup: Setup,
    child: Child,
    rpc: Rpc,
}

impl Deref for Server {
    type Target = Rpc;

    fn deref(&self) -> &Rpc {
        &self.rpc
    }
}

impl Server {
    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Asks it to end, and waits until it has.
    pub async fn term(&mut self) -> Result<ExitStatus> {
        os::signal(self.pid(), Signal::TERM)?;
        os::ended(self.pid()).await?;
        Ok(self.child.wait()?)
    }

    /// Ends it without a warning.
    pub fn kill9(&mut self) -> Result {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Starts it again on the same home; it must have ended.
    pub async fn restart(&mut self) -> Result {
        self.restart_with(self.setup.clone()).await
    }

    /// Starts it again on the same home in another way.
    pub async fn restart_with(&mut self, setup: Setup) -> Result {
        if self.child.try_wait()?.is_none() {
            return Err("it still runs".into());
        }
        *self = setup.start_in(Arc::clone(&self.house)).await?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let ended = self.end();
        if !std::thread::panicking() {
            let well = ended.as_ref().is_ok_and(|status| status.success() || status.signal() == Some(9));
            let words = fs::read_to_string(self.house.stderr()).unwrap_or_default();
            assert!(well, "the server ended with {ended:?}:\n{words}");
        }
    }
}

impl Server {
    fn end(&mut self) -> Result<ExitStatus> {
        if let Some(status) = self.child.try_wait()? {
            return Ok(status);
        }
        os::signal(self.child.id(), Signal::TERM)?;
        // Longer than its own limit for going down.
        if os::await_end(self.child.id(), Duration::from_secs(30))? {
            return Ok(self.child.wait()?);
        }
        self.child.kill()?;
        self.child.wait()?;
        Err("it did not end when it was asked to".into())
    }
}

/// A program of the product, built before.
pub fn program(name: &str) -> Result<PathBuf> {
    let here = std::env::current_exe()?;
    let found = here.ancestors().skip(1).take(2).map(|dir| dir.join(name)).find(|path| path.is_file());
    let build = "cargo build -p gatehouse-server -p gatehouse-process --bins";
    found.ok_or_else(|| format!("{name} is not built beside {}. Run: {build}", here.display()).into())
}

async fn ready_line(child: &mut Child) -> Result<String> {
    let stdout = child.stdout.take().ok_or("no stdout")?;
    let pid = child.id();
    let read = tokio::task::spawn_blocking(move || -> Result<String> {
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        Ok(line)
    });
    match tokio::time::timeout(LIMIT, read).await {
        Ok(line) => line?,
        Err(_) => {
            // The reader's thread ends with the process.
            os::signal(pid, Signal::KILL)?;
            Err("no ready line in time".into())
        }
    }
}

/// Whether any file below `dir` holds these bytes.
pub fn holds(dir: &Path, bytes: &[u8]) -> Result<Option<PathBuf>> {
    for entry in fs::read_dir(dir)? {
        let (path, kind) = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)))?;
        let found = if kind.is_dir() {
            holds(&path, bytes)?
        } else if kind.is_file() {
            let mut content = Vec::new();
            std::io::Read::read_to_end(&mut File::open(&path)?, &mut content)?;
            content.windows(bytes.len()).any(|window| window == bytes).then_some(path)
        } else {
            None
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
