//! Every other system, untested: nothing here was ever run, and the shim itself still speaks to Linux only. Whoever brings
//! Gatehouse to another system begins here.
//!
//! Nothing is guessed. A pid alone proves nobody, and without a keeper for orphans an empty tree cannot be told from one
//! that got away, so each answer is that it does not work on this system; a command then fails to start with these words.

use std::io;
use std::path::PathBuf;

use rustix::fs::Stat;

use crate::tree::{Member, Sent, Signal};

fn missing<T>(what: &str) -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::Unsupported, format!("on this system Gatehouse cannot {what} yet")))
}

/// Not on this system.
pub fn pids() -> io::Result<Vec<u32>> {
    missing("list processes")
}

/// Not on this system.
pub fn member(_pid: u32, _buffer: &mut Vec<u8>) -> io::Result<Option<Member>> {
    missing("look at a process")
}

/// Not on this system.
pub fn is_staying(_member: &Member) -> io::Result<bool> {
    missing("look at a process")
}

/// On nobody: none can be had on this system.
#[derive(Debug)]
pub enum Hold {}

impl Hold {
    /// Not on this system.
    pub fn on(_pid: u32) -> io::Result<Option<Self>> {
        missing("hold a process")
    }

    /// Nobody has one.
    pub fn signal(&self, _signal: Signal) -> io::Result<Sent> {
        match *self {}
    }
}

/// Not on this system.
pub fn command_line(_pid: u32) -> io::Result<Vec<u8>> {
    missing("read how a process was started")
}

/// Not on this system.
pub fn variables(_pid: u32) -> io::Result<Vec<u8>> {
    missing("read a process's variables")
}

/// Not on this system.
pub fn program(_pid: u32) -> io::Result<PathBuf> {
    missing("tell which program a process runs")
}

/// Not on this system.
pub fn working_directory(_pid: u32) -> io::Result<Stat> {
    missing("tell where a process stands")
}

/// Not on this system.
pub fn boot_id() -> io::Result<String> {
    missing("name this boot")
}

/// Not on this system.
pub fn give_way() -> io::Result<()> {
    missing("give way to others")
}

/// Not on this system.
pub fn adopt_orphans() -> io::Result<()> {
    missing("keep whoever loses a parent")
}
