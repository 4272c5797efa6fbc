//! Linux: the process table in `/proc`, pidfds, and the reaper that a process may be for whatever descends from it.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::fs::Stat;
use rustix::process::{Pid, PidfdFlags, pidfd_open, pidfd_send_signal};

use crate::tree::{Member, Sent, Signal};

/// The kernel's sign of a process on its way out, `include/linux/sched.h`.
const PF_EXITING: u32 = 0x4;
/// How much niceness it takes to give way: a tenth of the time that somebody else gets, when all want to run.
const COURTESY: i32 = 10;

/// The numbers of all processes. Whoever is born while they are listed may be missed.
pub fn pids() -> io::Result<Vec<u32>> {
    let numbers = |entry: io::Result<std::fs::DirEntry>| match entry {
        Ok(entry) => entry.file_name().to_str().and_then(|name| name.parse().ok()).map(Ok),
        Err(error) => Some(Err(error)),
    };
    std::fs::read_dir("/proc")?.filter_map(numbers).collect()
}

/// One process, if it exists. The buffer is for whoever asks about many.
pub fn member(pid: u32, buffer: &mut Vec<u8>) -> io::Result<Option<Member>> {
    buffer.clear();
    let read = File::open(format!("/proc/{pid}/stat")).and_then(|mut file| file.read_to_end(buffer));
    match read {
        Ok(_) => Ok(parse_stat(pid, buffer)),
        // ESRCH: it ended between open and read.
        Err(error) if error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(3) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether it lives and is not on its way out. On that way the kernel hands its children on, a moment before it looks
/// dead, so a table that was read before this held true shows all of them below it.
pub fn is_staying(member: &Member) -> io::Result<bool> {
    let mut buffer = Vec::with_capacity(1024);
    let now = self::member(member.pid, &mut buffer)?.filter(|now| now.start == member.start && !now.is_zombie);
    Ok(now.is_some() && kernel_flags(&buffer).is_some_and(|flags| flags & PF_EXITING == 0))
}

/// The ninth field of proc_pid_stat(5).
fn kernel_flags(stat: &[u8]) -> Option<u32> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    std::str::from_utf8(stat.get(end + 2..)?).ok()?.split_ascii_whitespace().nth(6)?.parse().ok()
}

/// The name stands in parentheses and may hold blanks and parentheses itself: only what follows the last one counts.
fn parse_stat(pid: u32, stat: &[u8]) -> Option<Member> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(end + 2..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    let threads: i64 = fields.nth(13)?.parse().ok()?;
    let start = fields.nth(1)?.parse().ok()?;
    // A process whose first thread left lives on in the others, though it looks like a zombie.
    let is_zombie = matches!(state, "Z" | "X") && threads <= 1;
    Some(Member { pid, parent, session, start, is_zombie })
}

/// Keeps one process from being taken for a later one with its number.
#[derive(Debug)]
pub struct Hold(OwnedFd);

impl Hold {
    /// On whoever bears the number now; `None` if nobody does.
    pub fn on(pid: u32) -> io::Result<Option<Self>> {
        let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return Ok(None) };
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(held) => Ok(Some(Self(held))),
            Err(rustix::io::Errno::SRCH) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Signals exactly that one.
    pub fn signal(&self, signal: Signal) -> io::Result<Sent> {
        match pidfd_send_signal(&self.0, signal) {
            Ok(()) => Ok(Sent::Yes),
            Err(rustix::io::Errno::SRCH) => Ok(Sent::Gone),
            Err(error) => Err(error.into()),
        }
    }
}

/// The words that a process was started with, each with a zero byte after it.
pub fn command_line(pid: u32) -> io::Result<Vec<u8>> {
    std::fs::read(format!("/proc/{pid}/cmdline"))
}

/// The variables that a process was started with, each with a zero byte after it.
pub fn variables(pid: u32) -> io::Result<Vec<u8>> {
    std::fs::read(format!("/proc/{pid}/environ"))
}

/// The program that a process runs.
pub fn program(pid: u32) -> io::Result<PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/exe"))
}

/// The directory in which a process stands.
pub fn working_directory(pid: u32) -> io::Result<Stat> {
    Ok(rustix::fs::stat(format!("/proc/{pid}/cwd"))?)
}

/// The kernel's name for this boot.
pub fn boot_id() -> io::Result<String> {
    Ok(std::fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim().to_owned())
}

/// From here on whoever loses a parent below this process is its child.
pub fn adopt_orphans() -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

/// From here on this thread, and the session that it leads, gives way to everybody else who wants to run.
pub fn give_way() -> io::Result<()> {
    rustix::process::nice(COURTESY)?;
    // Where the kernel shares its time out between sessions, niceness counts within one only.
    if rustix::process::getsid(None)? == rustix::process::getpid() {
        match std::fs::write("/proc/self/autogroup", COURTESY.to_string()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_blanks_and_parentheses_does_not_shift_the_fields() {
        let stat = b"42 (a b) c) S 7 42 40 0 -1 4194560 0 0 0 0 1 2 3 4 20 0 3 0 98765 1 2 3";
        let expected = Member { pid: 42, parent: 7, session: 40, start: 98765, is_zombie: false };
        assert_eq!(parse_stat(42, stat), Some(expected));
    }

    #[test]
    fn a_first_thread_that_left_does_not_make_a_zombie() {
        let stat = |threads| format!("42 (x) Z 7 42 40 0 -1 4194560 0 0 0 0 1 2 3 4 20 0 {threads} 0 98765 1");
        assert!(parse_stat(42, stat(1).as_bytes()).unwrap().is_zombie);
        assert!(!parse_stat(42, stat(2).as_bytes()).unwrap().is_zombie);
    }

    #[test]
    fn somebody_on_the_way_out_is_told_from_one_who_stays() {
        let flags = |flags| kernel_flags(format!("42 (a b) c) R 7 42 40 0 -1 {flags} 0 0").as_bytes());
        assert_eq!(flags(4_194_560).map(|flags| flags & PF_EXITING), Some(0));
        assert_eq!(flags(4_194_564).map(|flags| flags & PF_EXITING), Some(PF_EXITING));
        let me = member(std::process::id(), &mut Vec::new()).unwrap().unwrap();
        assert!(is_staying(&me).unwrap() && !is_staying(&Member { start: me.start + 1, ..me }).unwrap());
    }

    #[test]
    fn this_process_is_among_all_and_says_what_it_is() {
        let own = std::process::id();
        assert!(pids().unwrap().contains(&own));
        assert_eq!(program(own).unwrap(), std::env::current_exe().unwrap());
        let first = std::env::args().next().unwrap();
        assert!(command_line(own).unwrap().starts_with(first.as_bytes()));
        assert!(Hold::on(own).unwrap().is_some() && Hold::on(0).unwrap().is_none());
    }
}
