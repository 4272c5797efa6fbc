//! The command is a child in a session of its own. It records who it is before it becomes the command, so there is no
//! moment at which something runs that nobody could find again.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use gatehouse_fault::{Point, point};
use gatehouse_process::cgroup::{Group, place_of};
use gatehouse_process::rundir::{self, CHILD, ChildRecord, Raw, RunDir, SPEC, Spec};
use gatehouse_process::tree;

use crate::capture::Capture;
use crate::cgroup::{self, Door};
use crate::console::Console;
use crate::ends::Ends;
use crate::surroundings;
use crate::terminal::{PAGERS, TERM};

/// A command that runs.
pub struct Job {
    pub child: ChildRecord,
    pub capture: Capture,
    pub group: Option<Group>,
    pub console: Option<Console>,
    pub max_runtime_ms: Option<u64>,
}

/// Why it does not.
pub enum Failed {
    /// For a person: nothing was run.
    Reason(String),
    /// The shim's own trouble.
    Io(io::Error),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Starts the command of `spec.json`. The caller is single-threaded.
pub fn start(run: &RunDir) -> Result<Job, Failed> {
    let spec: Spec =
        run.record(SPEC)?.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "there is nothing to run"))?;
    let boot = rundir::boot_id()?;
    let cwd = PathBuf::from(OsString::from(spec.cwd.clone()));
    let shell = PathBuf::from(OsString::from(spec.shell.clone()));
    let Ends { output, console, stdin, stdout, has_terminal, pty_note } = Ends::of(&spec)?;
    let capture = Capture::new(run, output, has_terminal)?;
    let mut command = command(&spec, &shell, &cwd, stdin, stdout)?;
    if has_terminal {
        command.envs(variables(&spec));
    }
    let max_runtime_ms = spec.max_runtime_ms;
    let own = Own { boot, has_terminal, pty_note, open_files: spec.open_files };
    let (group, door) = cgroup::make(spec.group);
    let record = recorder(run, own, door)?;
    // SAFETY: this process has one thread, so the forked child may use everything; `record` touches its own
    // descriptors only.
    unsafe { command.pre_exec(record) };
    point(Point::ShimSpawnBefore);
    let started = command.spawn();
    point(Point::ShimSpawnAfter);
    drop(command);
    match started {
        // Collected by the reaper, never through this handle.
        Ok(handle) => match run.record::<ChildRecord>(CHILD) {
            Ok(Some(child)) => Ok(Job { group: cgroup::kept(group, &child), child, capture, console, max_runtime_ms }),
            Ok(None) => Err(give_up(handle, io::Error::other("the job did not say who it is"))),
            Err(error) => Err(give_up(handle, error)),
        },
        Err(error) => {
            run.remove(CHILD)?;
            group.iter().for_each(Group::remove);
            Err(Failed::Reason(explain(&error, &shell, &cwd)))
        }
    }
}

/// What cannot be looked after must not run.
fn give_up(mut handle: Child, cause: io::Error) -> Failed {
    match handle.kill().and_then(|()| handle.wait()) {
        Ok(_) => Failed::Io(cause),
        Err(error) => Failed::Io(error),
    }
}

#[expect(clippy::disallowed_methods, reason = "the shim's one purpose is to start this")]
fn command(spec: &Spec, shell: &Path, cwd: &Path, input: Stdio, output: OwnedFd) -> io::Result<Command> {
    let mut command = Command::new(shell);
    command
        .arg("-c")
        .arg(OsString::from(spec.command.clone()))
        .current_dir(cwd)
        .env_clear()
        .envs(spec.env.iter().cloned().map(|(name, value)| (OsString::from(name), OsString::from(value))))
        .stdin(input)
        .stderr(output.try_clone()?)
        .stdout(output);
    Ok(command)
}

/// What a terminal adds to the environment.
fn variables(spec: &Spec) -> impl Iterator<Item = (&'static str, &'static str)> {
    let is_set = |name: &str| spec.env.iter().any(|(other, _)| *other == Raw::Text(name.to_owned()));
    [TERM].into_iter().chain(PAGERS.into_iter().filter(move |(name, _)| !is_set(name)))
}

/// What one child has of its own.
struct Own {
    boot: String,
    has_terminal: bool,
    pty_note: Option<String>,
    open_files: Option<u64>,
}

/// Runs in the child, after its descriptors are in place and before it becomes the command.
fn recorder(run: &RunDir, own: Own, door: Door) -> io::Result<impl FnMut() -> io::Result<()> + Send + Sync + 'static> {
    let run = RunDir::open(&run.short_path(""))?;
    Ok(move || {
        surroundings::hear_all_signals();
        rustix::process::setsid()?;
        if own.has_terminal {
            surroundings::survive_hangups();
            rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
        }
        surroundings::step_back(own.open_files);
        let pid = std::process::id();
        let start = tree::member(pid)?.ok_or_else(|| io::Error::other("no entry in the process table"))?.start;
        let (group, ungrouped) = door.enter();
        let record = ChildRecord {
            pid,
            start,
            boot: own.boot.clone(),
            place: place_of(pid).unwrap_or_default(),
            group,
            ungrouped,
            pty_note: own.pty_note.clone(),
        };
        run.put(CHILD, &serde_json::to_vec(&record)?)
    })
}

fn explain(error: &io::Error, shell: &Path, cwd: &Path) -> String {
    if !rundir::is_enterable(cwd) {
        return format!("the directory {} cannot be entered: {error}", cwd.display());
    }
    format!("the shell {} cannot be started: {error}", shell.display())
}
