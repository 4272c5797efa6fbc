use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use gatehouse_domain::ProcessId;
use gatehouse_process::rundir::{RunDir, SOCKET};
use gatehouse_process::tree::{self, Member};
use gatehouse_process::wire::{self, Hello, ToShim};
use gatehouse_process::{
    EndReport, Error, Groups, LaunchError, LaunchSpec, Launched, ProcessEvent, PtySize, Stdin, StopMode, StopOutcome,
    Supervisor, SupervisorConfig, Then, WriteOutcome,
};
use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;
use tokio::sync::mpsc;
use tokio::time::timeout;
use uuid::Uuid;

/// Nothing here takes this long unless it is broken.
pub const LIMIT: Duration = Duration::from_secs(30);

/// A stop that a busy machine did not answer in time is asked for again.
const AGAIN: usize = 3;

pub fn fresh_id() -> ProcessId {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    // Several of these programs run at once, and an id marks whoever belongs to a job.
    let number = u128::from(std::process::id()) << 64 | u128::from(NEXT.fetch_add(1, Ordering::Relaxed));
    ProcessId::from_uuid(Uuid::from_u128(number))
}

/// A supervisor in a home of its own. Everything it started is gone when the test is.
pub struct House {
    pub home: tempfile::TempDir,
    groups: Groups,
    pub supervisor: Supervisor,
    pub events: mpsc::Receiver<ProcessEvent>,
}

impl House {
    pub fn new() -> Self {
        Self::below(tempfile::tempdir().unwrap())
    }

    pub fn below(home: tempfile::TempDir) -> Self {
        Self::built(home, Groups::None)
    }

    /// Its jobs get groups.
    pub fn with(groups: Groups) -> Self {
        Self::built(tempfile::tempdir().unwrap(), groups)
    }

    fn built(home: tempfile::TempDir, groups: Groups) -> Self {
        let (supervisor, events) = open(home.path(), &groups);
        Self { home, groups, supervisor, events }
    }

    /// What a new gateway finds after the old one is gone.
    pub async fn restart(&mut self) {
        self.supervisor.shutdown().await;
        (self.supervisor, self.events) = open(self.home.path(), &self.groups);
    }

    pub fn spec(&self, command: &str) -> LaunchSpec {
        LaunchSpec {
            id: fresh_id(),
            command: command.to_owned(),
            cwd: self.home.path().to_owned(),
            shell: "/bin/bash".into(),
            env: vec![("PATH".into(), std::env::var_os("PATH").unwrap())],
            pty: None,
            stdin: Stdin::Null,
            max_runtime: None,
            owner: "a test".into(),
        }
    }

    pub async fn launch(&self, command: &str) -> (ProcessId, Launched) {
        let spec = self.spec(command);
        (spec.id, self.supervisor.launch(spec).await.unwrap())
    }

    pub fn with_terminal(&self, command: &str) -> LaunchSpec {
        LaunchSpec { pty: Some(PtySize::default()), ..self.spec(command) }
    }

    /// On a terminal of the usual size.
    pub async fn launch_on_terminal(&self, command: &str) -> (ProcessId, Launched) {
        let spec = self.with_terminal(command);
        let (id, launched) = (spec.id, self.supervisor.launch(spec).await.unwrap());
        assert_eq!(launched.pty_note, None);
        (id, launched)
    }

    /// With a pipe to read from.
    pub async fn launch_on_pipe(&self, command: &str) -> (ProcessId, Launched) {
        let spec = LaunchSpec { stdin: Stdin::Pipe, ..self.spec(command) };
        (spec.id, self.supervisor.launch(spec).await.unwrap())
    }

    /// Types a line and Enter.
    pub async fn submit(&self, id: ProcessId, line: &str) -> WriteOutcome {
        self.supervisor.write_input(id, line.into(), Then::Enter).await.unwrap()
    }

    /// Until the shim says whether somebody is to type; gives back whether it will be hidden.
    pub async fn attention(&mut self, id: ProcessId, wanted: bool) -> bool {
        loop {
            match self.event().await {
                ProcessEvent::Attention { id: other, needs_input, hidden } if other == id && needs_input == wanted => {
                    return hidden;
                }
                event @ ProcessEvent::Ended { .. } => panic!("{event:?} before attention {wanted}"),
                _ => {}
            }
        }
    }

    pub async fn fail(&self, spec: LaunchSpec) -> LaunchError {
        self.supervisor.launch(spec).await.unwrap_err()
    }

    pub async fn event(&mut self) -> ProcessEvent {
        timeout(LIMIT, self.events.recv()).await.expect("no event in time").expect("events ended")
    }

    /// The end of the direct child.
    pub async fn ended(&mut self, id: ProcessId) -> EndReport {
        loop {
            if let ProcessEvent::Ended { id: other, report } = self.event().await
                && other == id
            {
                return report;
            }
        }
    }

    /// The end of the last descendant; gives back the whole output's length.
    pub async fn emptied(&mut self, id: ProcessId) -> u64 {
        loop {
            if let ProcessEvent::TreeEmpty { id: other, total } = self.event().await
                && other == id
            {
                return total;
            }
        }
    }

    /// Waits until the job has printed `text`; the shim's progress is the event.
    pub async fn printed(&mut self, id: ProcessId, text: &str) -> String {
        loop {
            let output = self.output(id);
            if output.contains(text) {
                return output;
            }
            match timeout(LIMIT, self.events.recv()).await {
                Ok(Some(event))
                    if event_id(&event) != id
                        || matches!(event, ProcessEvent::Output { .. } | ProcessEvent::Attention { .. }) => {}
                other => panic!("{other:?} while waiting for {text:?} in {output:?}"),
            }
        }
    }

    /// The same for the end of much output.
    pub async fn printed_at_the_end(&mut self, id: ProcessId, text: &str) {
        let tail = |house: &Self| house.supervisor.read_output(id, None, 200).unwrap().bytes;
        while !String::from_utf8_lossy(&tail(self)).contains(text) {
            self.event().await;
        }
    }

    pub fn output(&self, id: ProcessId) -> String {
        String::from_utf8(self.supervisor.read_output(id, Some(0), 1 << 20).unwrap().bytes).unwrap()
    }

    pub fn run_dir(&self, id: ProcessId) -> PathBuf {
        self.home.path().join("runs").join(id.to_string())
    }

    /// The shim of a run: the parent of its job.
    pub fn shim_of(&self, launched: &Launched) -> Member {
        let job = tree::member(launched.pid).unwrap().expect("the job lives");
        tree::member(job.parent).unwrap().expect("its shim lives")
    }

    /// Another gateway asks for a stop with a grace that no test sees the end of: what ends nevertheless was not ended by
    /// the clock.
    pub async fn ask_without_end(&self, id: ProcessId) -> UnixStream {
        let run = RunDir::open(&self.run_dir(id)).unwrap();
        let mut shim = UnixStream::connect(run.short_path(SOCKET)).await.unwrap();
        for word in [ToShim::Hello(Hello::ours()), ToShim::Stop { request: 0, force: false, grace_ms: 3_600_000 }] {
            shim.write_all(&wire::line(&word).unwrap()).await.unwrap();
        }
        shim
    }

    pub async fn kill(&self, id: ProcessId) {
        self.supervisor.stop(id, StopMode::Force).await.unwrap();
    }
}

fn event_id(event: &ProcessEvent) -> ProcessId {
    match event {
        ProcessEvent::Output { id, .. }
        | ProcessEvent::Ended { id, .. }
        | ProcessEvent::Descendants { id, .. }
        | ProcessEvent::Attention { id, .. }
        | ProcessEvent::TreeEmpty { id, .. }
        | ProcessEvent::Orphaned { id, .. } => *id,
    }
}

fn open(home: &Path, groups: &Groups) -> (Supervisor, mpsc::Receiver<ProcessEvent>) {
    let (sender, events) = mpsc::channel(1024);
    let config = SupervisorConfig { groups: groups.clone(), ..config(home) };
    (Supervisor::new(config, sender).unwrap(), events)
}

pub fn config(home: &Path) -> SupervisorConfig {
    SupervisorConfig {
        runs_dir: home.join("runs"),
        bin_dir: Path::new(env!("CARGO_TARGET_TMPDIR")).join("bin"),
        shim_source: env!("CARGO_BIN_EXE_gatehouse-shim").into(),
        groups: Groups::None,
    }
}

/// A script beside these tests.
pub fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    format!("bash '{}'", path.display())
}

/// The number that follows `word` in `text`.
pub fn number_after(text: &str, word: &str) -> u32 {
    let rest = &text[text.find(word).unwrap() + word.len()..];
    rest.trim_start().chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

pub fn lives(pid: u32) -> bool {
    tree::member(pid).unwrap().is_some_and(|member| !member.is_zombie)
}

/// A shim that others leave no time answers when it is asked again.
pub async fn stopped(supervisor: &Supervisor, id: ProcessId) -> StopOutcome {
    for _ in 0..AGAIN {
        match supervisor.stop(id, StopMode::Graceful).await {
            Err(Error::Unresponsive(_)) => {}
            other => return other.unwrap(),
        }
    }
    panic!("{id} cannot be stopped");
}

/// For ends that give no event to a stranger.
pub async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = tokio::time::Instant::now() + LIMIT;
    while !holds() {
        assert!(tokio::time::Instant::now() < deadline, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub fn signal(member: &Member, signal: tree::Signal) {
    assert_eq!(tree::signal(member, signal).unwrap(), tree::Sent::Yes);
}

pub fn os(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
}
