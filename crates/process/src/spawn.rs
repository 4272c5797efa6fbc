//! The only module of the house that starts programs.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;

use gatehouse_domain::ProcessId;
use rustix::fs::OFlags;
use tokio::net::UnixStream;
use tokio::process::{Child, Command};

use crate::rundir::{LOG, RunDir};

/// Starts a shim in its run directory; the socket is the gateway's line to it, there from the first moment. The shim
/// leaves our session by itself, so that no code has to run between fork and exec.
pub fn shim(program: &Path, id: ProcessId, path: &Path, run: &RunDir) -> io::Result<(Child, UnixStream)> {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let log = run.writable(LOG, OFlags::APPEND)?;
    #[expect(clippy::disallowed_methods, reason = "programs are started here")]
    let mut command = Command::new(program);
    let child = command
        .arg(id.to_string())
        .current_dir(path)
        .env_clear()
        .envs(gatehouse_fault::handed_on())
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        .stderr(Stdio::from(log))
        .kill_on_drop(false)
        .spawn()?;
    Ok((child, UnixStream::from_std(ours)?))
}

/// Starts the one who keeps a scope of systemd's alive: it does nothing, and ends with the gateway, whose end of its input
/// is the only one. In a group of its own it does not hear a terminal's Ctrl-C before the gateway has closed up.
pub fn keeper(shim: &Path) -> io::Result<Child> {
    #[expect(clippy::disallowed_methods, reason = "programs are started here")]
    let mut command = Command::new(shim);
    command
        .arg(crate::wire::KEEP)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
}

/// Starts the embedded engine, to be spoken to through its pipes. It is no job: it has no run directory and no shim, ends
/// with whoever holds it, and sees none of our variables. In a group of its own it does not hear a terminal's Ctrl-C
/// before the answer that is under way is over.
pub fn engine(program: &Path) -> io::Result<Child> {
    #[expect(clippy::disallowed_methods, reason = "programs are started here")]
    let mut command = Command::new(program);
    command
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
}

/// Starts the person's shell to be asked for its variables. In a session of its own it finds no terminal: an
/// interactive shell would fight for ours.
pub fn login_shell(shell: &Path, flags: &str, script: &str, env: &[(OsString, OsString)]) -> io::Result<Child> {
    #[expect(clippy::disallowed_methods, reason = "programs are started here")]
    let mut command = Command::new(shell);
    command
        .arg(flags)
        .arg(script)
        .env_clear()
        .envs(env.iter().cloned())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    // SAFETY: one system call, no allocation, no lock.
    unsafe { command.pre_exec(|| Ok(rustix::process::setsid().map(drop)?)) };
    command.spawn()
}
