//! The process table, as a stranger sees it.

use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, kill_process, pidfd_open};
use tokio::time::Instant;

pub use rustix::process::Signal;

use crate::{LIMIT, Result};

/// One living process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Its number.
    pub pid: u32,
    /// Whose child it is.
    pub parent: u32,
    /// The state's letter; `Z` waits to be collected.
    pub state: char,
    /// What it runs; absent where that cannot be seen.
    pub exe: Option<PathBuf>,
    /// Where it is.
    pub cwd: Option<PathBuf>,
}

/// Every process that can be seen.
pub fn table() -> Result<Vec<Seen>> {
    let mut seen = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        if let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) {
            // One that ends while we look is not there.
            seen.extend(look(pid));
        }
    }
    Ok(seen)
}

/// One process, if it is there.
pub fn look(pid: u32) -> Option<Seen> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may hold blanks and brackets; what follows its last bracket cannot.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    let link = |what: &str| fs::read_link(format!("/proc/{pid}/{what}")).ok();
    Some(Seen { pid, parent, state, exe: link("exe"), cwd: link("cwd") })
}

/// Whether it lives: there, and no zombie.
pub fn lives(pid: u32) -> bool {
    look(pid).is_some_and(|seen| !matches!(seen.state, 'Z' | 'X'))
}

/// Processes whose program or directory lies below `root`.
pub fn below(root: &Path) -> Result<Vec<Seen>> {
    let inside = |path: &Option<PathBuf>| path.as_deref().is_some_and(|path| path.starts_with(root));
    Ok(table()?.into_iter().filter(|seen| inside(&seen.exe) || inside(&seen.cwd)).collect())
}

/// Waits until all children of `parent` that have ended are collected: of an end, a stranger may know before it does.
pub async fn collected(parent: u32) -> Result {
    let deadline = Instant::now() + LIMIT;
    loop {
        let left = zombies_of(parent)?;
        if left.is_empty() {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(format!("nobody collects {left:?}").into());
        }
        // Only the table tells, and it gives no event.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Children of `parent` that nobody has collected.
fn zombies_of(parent: u32) -> Result<Vec<u32>> {
    Ok(table()?.into_iter().filter(|seen| seen.parent == parent && seen.state == 'Z').map(|seen| seen.pid).collect())
}

/// Sends a signal; false when the process is gone.
pub fn signal(pid: u32, signal: Signal) -> Result<bool> {
    let Some(pid) = number(pid) else { return Err(format!("{pid} is no process").into()) };
    match kill_process(pid, signal) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::SRCH) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Waits until a process has ended; false when it lives longer than `limit`. Blocks.
pub fn await_end(pid: u32, limit: Duration) -> Result<bool> {
    let Some(raw) = number(pid) else { return Err(format!("{pid} is no process").into()) };
    let handle: OwnedFd = match pidfd_open(raw, PidfdFlags::empty()) {
        Ok(handle) => handle,
        Err(rustix::io::Errno::SRCH) => return Ok(true),
        Err(error) => return Err(error.into()),
    };
    let timeout = Timespec { tv_sec: i64::try_from(limit.as_secs())?, tv_nsec: i64::from(limit.subsec_nanos()) };
    loop {
        match poll(&mut [PollFd::new(&handle, PollFlags::IN)], Some(&timeout)) {
            Ok(0) => return Ok(false),
            Ok(_) => return Ok(true),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Waits until a process has ended, and fails when it lives on.
pub async fn ended(pid: u32) -> Result {
    let ended = tokio::task::spawn_blocking(move || await_end(pid, LIMIT)).await??;
    if ended { Ok(()) } else { Err(format!("process {pid} lives on: {:?}", look(pid)).into()) }
}

/// Holds a child of this program still; when this returns, none of its threads runs any more. A signal alone is only
/// on its way then.
pub fn hold(pid: u32) -> Result {
    signal(pid, Signal::STOP)?;
    let pid = number(pid).ok_or("no process")?;
    rustix::process::waitid(rustix::process::WaitId::Pid(pid), rustix::process::WaitIdOptions::STOPPED)?;
    Ok(())
}

fn number(pid: u32) -> Option<Pid> {
    // Never 0 or 1, whatever a test reads out of a reply.
    i32::try_from(pid).ok().filter(|pid| *pid > 1).and_then(Pid::from_raw)
}
