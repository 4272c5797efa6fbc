//! The process that stands between a gateway and one command. It outlives the gateway, so that the command's output,
//! its exit status and the means to stop it do.
//!
//! **Owns** the job, everything that descends from it, and `exit.json`.
//!
//! **Never** decides anything: it is told what to run, and when to stop.

mod capture; // the job's output, from its pipe or terminal to segments on disk
mod cgroup; // the job's own group
mod console; // where a job is typed to
mod ending; // `exit.json`: room for it beforehand, the disk's promise afterwards
mod ends; // what a job reads from and writes to
mod job; // starting the command
mod keyboard; // what is typed, on its way into the job
mod ladder; // the way from asking a tree to end to killing it
mod listeners; // gateways that listen
mod prompt; // whether output looks like a question
mod ready; // what woke the loop
mod reaper; // collecting whatever ends
mod serve; // the loop
mod sieve; // what programs ask their terminal
mod surroundings; // leaving what was inherited behind
mod terminal; // both sides of a job's terminal
mod waits; // who of a job waits for something to read
mod watch; // when to look for that
mod work; // a command that runs, and all that belongs to it

use std::io;
use std::process::ExitCode;

use gatehouse_process::rundir::{RunDir, VOID};
use gatehouse_process::wire::KEEP;

fn main() -> ExitCode {
    let is_keeper = std::env::args_os().nth(1).is_some_and(|word| word == KEEP);
    match if is_keeper { keep() } else { run() } {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            surroundings::complain(&error);
            ExitCode::FAILURE
        }
    }
}

/// Stays for as long as somebody holds the other end of its input.
fn keep() -> io::Result<()> {
    io::copy(&mut io::stdin().lock(), &mut io::sink()).map(drop)
}

/// The current directory is the run directory; standard input is the gateway's end of a socket, if it is one.
fn run() -> io::Result<()> {
    let first = surroundings::detach()?;
    let run = RunDir::open(".".as_ref())?;
    let Some(_lock) = run.try_lock()? else {
        return Err(io::Error::new(io::ErrorKind::ResourceBusy, "this run has a shim already, or is being settled"));
    };
    if run.has(VOID)? {
        return Err(io::Error::other("this run was given up before it began"));
    }
    serve::Shim::begin(run, first)?.serve()
}
