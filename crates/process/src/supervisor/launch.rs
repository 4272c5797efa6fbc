use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gatehouse_domain::ProcessId;
use gatehouse_fault::{Point, point};
use tokio::net::UnixStream;
use tokio::process::Child;

use super::attend::Attendant;
use super::line::{Line, Opening};
use super::orphans::Orphans;
use super::settle::{Settled, settle};
use super::{Inner, LaunchSpec, Launched, StopMode};
use crate::error::{LaunchError, launching};
use crate::input::Stdin;
use crate::rundir::{self, CHILD, ChildRecord, LOG, RunDir, SPEC, Spec, VOID};
use crate::wire::ToShim;
use crate::{cgroup, limits, shim_copy, spawn};

/// Another thread may hold a fresh copy of the shim open for writing, for as long as its own fork takes to exec.
const BUSY_RETRIES: usize = 20;
const BUSY_PAUSE: Duration = Duration::from_millis(5);
/// The end of a shim's complaints that goes into a reason.
const LOG_TAIL: usize = 500;

pub async fn launch(inner: &Inner, spec: LaunchSpec) -> Result<Launched, LaunchError> {
    let id = spec.id;
    let path = inner.path(id);
    let program = program(inner).await?;
    let group = inner.room.base(&inner.config.groups, &program).await.map(|base| cgroup::path_of(base, id));
    let (cwd, cwd_note) = enterable(&spec.cwd);
    let (spec, refused_pty) = without_pty(spec);
    let run = prepare(&path, spec, &cwd, group.as_deref())?;
    point(Point::SpawnBefore);
    let (mut shim, socket) = match start(&program, id, &path, &run).await {
        Ok(started) => started,
        Err(source) => {
            run.put(VOID, b"").map_err(launching("giving a run up"))?;
            // The copy was removed while we ran.
            let is_missing = source.kind() == io::ErrorKind::NotFound;
            return Err(if is_missing {
                LaunchError::MissingShim { path: program }
            } else {
                LaunchError::Io { doing: "starting the shim", source }
            });
        }
    };
    point(Point::SpawnAfter);
    let (line, child) = match Line::open(socket).await {
        Ok((line, Opening::Runs(child))) => {
            reap(shim);
            (line, child)
        }
        Ok((mut line, Opening::NeverStarted(exit))) => {
            if let Err(error) = line.say(&ToShim::AcknowledgeEnd).await {
                tracing::debug!(%id, %error, "A shim ended early");
            }
            reap(shim);
            return Err(not_started(exit.failed));
        }
        Err(error) => {
            shim.kill().await.map_err(launching("ending a shim that did not answer"))?;
            let child = ended_early(id, &run, &error).await?;
            (Line::over().map_err(launching("telling of an early end"))?, child)
        }
    };
    point(Point::SpawnGreeted);
    child.ungrouped.iter().for_each(|reason| inner.room.complain(reason));
    let pty_note = refused_pty.or(child.pty_note);
    let launched = Launched { pid: child.pid, start_ticks: child.start, boot_id: child.boot, cwd, cwd_note, pty_note };
    inner.attend(Attendant::new(id, run, line, inner.events.clone()));
    Ok(launched)
}

async fn program(inner: &Inner) -> Result<PathBuf, LaunchError> {
    let install = || async {
        let (source, bin_dir) = (inner.config.shim_source.clone(), inner.config.bin_dir.clone());
        tokio::task::spawn_blocking(move || shim_copy::install(&source, &bin_dir)).await.map_err(io::Error::other)?
    };
    match inner.shim.get_or_try_init(install).await {
        Ok(copy) => Ok(copy.path.clone()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(LaunchError::MissingShim { path: inner.config.shim_source.clone() })
        }
        Err(source) => Err(LaunchError::Io { doing: "installing the shim", source }),
    }
}

fn prepare(path: &Path, spec: LaunchSpec, cwd: &Path, group: Option<&Path>) -> Result<RunDir, LaunchError> {
    let run = RunDir::create(path).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => LaunchError::AlreadyUsed(spec.id),
        _ => LaunchError::Io { doing: "creating a run directory", source },
    })?;
    // A gateway that is a job itself has another job's mark.
    let mark = (rundir::MARK.into(), spec.id.to_string().into());
    let env = spec.env.into_iter().filter(|(name, _)| name != rundir::MARK).chain([mark]);
    let record = Spec {
        command: rundir::Raw::Text(spec.command),
        cwd: cwd.into(),
        shell: spec.shell.as_path().into(),
        env: env.map(|(name, value)| (name.into(), value.into())).collect(),
        group: group.map(Into::into),
        pty: spec.pty,
        stdin: spec.stdin,
        max_runtime_ms: spec.max_runtime.map(|span| u64::try_from(span.as_millis()).unwrap_or(u64::MAX)),
        open_files: limits::raise(),
        owner: spec.owner,
    };
    let bytes = serde_json::to_vec(&record).map_err(io::Error::from).map_err(launching("writing what to run"))?;
    run.put(SPEC, &bytes).map_err(launching("writing what to run"))?;
    Ok(run)
}

async fn start(program: &Path, id: ProcessId, path: &Path, run: &RunDir) -> io::Result<(Child, UnixStream)> {
    for _ in 0..BUSY_RETRIES {
        match spawn::shim(program, id, path, run) {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => tokio::time::sleep(BUSY_PAUSE).await,
            other => return other,
        }
    }
    spawn::shim(program, id, path, run)
}

/// The shim is our child for as long as we live: its status is collected, whenever that may be.
fn reap(mut shim: Child) {
    tokio::spawn(async move {
        if let Err(error) = shim.wait().await {
            tracing::warn!(%error, "A shim could not be waited for");
        }
    });
}

/// The shim is gone before it was greeted. A short command on a busy machine may have run to its end by then: that is a
/// start like any other, and whoever attends to it is told the rest by the run directory. Otherwise, whatever the shim may
/// have started dies as well, and nothing will start later.
async fn ended_early(id: ProcessId, run: &RunDir, cause: &io::Error) -> Result<ChildRecord, LaunchError> {
    match settle(run).map_err(launching("reading a run directory"))? {
        Settled::NeverRan(Some(reason)) => Err(not_started(Some(reason))),
        Settled::Lost(child) => {
            Orphans::new(id, run, &child)
                .map_err(launching("ending an unattended command"))?
                .stop(StopMode::Force)
                .await
                .map_err(launching("ending an unattended command"))?;
            Err(not_started(Some(format!("its helper failed: {cause}"))))
        }
        Settled::Ended(_) => {
            let child = run.record(CHILD).map_err(launching("reading who ran"))?;
            child.ok_or_else(|| not_started(Some(complaint(run, cause))))
        }
        Settled::NeverRan(None) | Settled::Alive => Err(not_started(Some(complaint(run, cause)))),
    }
}

fn not_started(reason: Option<String>) -> LaunchError {
    LaunchError::NotStarted { reason: reason.unwrap_or_else(|| "it did not start".to_owned()) }
}

/// What a shim that failed has said of it.
fn complaint(run: &RunDir, cause: &io::Error) -> String {
    let log = std::fs::read_to_string(run.short_path(LOG)).unwrap_or_default();
    let tail: String = log.trim().chars().take(LOG_TAIL).collect();
    if tail.is_empty() { format!("its helper failed: {cause}") } else { format!("its helper failed: {tail}") }
}

/// Some commands want the end of their input and would wait for it for ever on a terminal.
fn without_pty(spec: LaunchSpec) -> (LaunchSpec, Option<String>) {
    if spec.pty.is_none() || !wants_the_end_of_its_input(&spec.command) {
        return (spec, None);
    }
    let note = "gh auth login --with-token reads until the end of its input, so it has a pipe instead of a terminal: \
                type the token, then the end";
    (LaunchSpec { pty: None, stdin: Stdin::Pipe, ..spec }, Some(note.to_owned()))
}

fn wants_the_end_of_its_input(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    let is_login = words.windows(3).any(|three| three == ["gh", "auth", "login"]);
    is_login && words.contains(&"--with-token")
}

/// The directory asked for, or the nearest one above it that can be entered.
fn enterable(asked: &Path) -> (PathBuf, Option<String>) {
    let found = asked.ancestors().find(|dir| rundir::is_enterable(dir));
    let cwd = found.map_or_else(std::env::temp_dir, Path::to_path_buf);
    let note =
        (cwd != asked).then(|| format!("{} cannot be entered; it runs in {} instead", asked.display(), cwd.display()));
    (cwd, note)
}
