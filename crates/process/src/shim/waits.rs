//! Who of a job waits for something to read. The kernel tells of each thread in which call it sleeps, also to an
//! unprivileged process, since the job descends from it; of programs with other rights it tells nothing.

use std::io;
use std::path::Path;

use gatehouse_process::tree::Member;

/// Threads of one program that are looked at.
const THREADS: usize = 64;

/// What a job reads its input from.
#[derive(Debug, Clone, Copy)]
pub enum Source {
    /// The device of its terminal.
    Terminal(u64),
    /// The file system and file of its pipe.
    Pipe(u64, u64),
}

/// `/dev/tty`, the name of everybody's own terminal.
const OWN_TERMINAL: u64 = 5 << 8;

/// What was seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seen {
    /// Somebody sleeps until there is something to read.
    pub reads: bool,
    /// Somebody who could read sleeps until something happens, whatever that is.
    pub listens: bool,
    /// Or until a while is over.
    pub pauses: bool,
    /// Of somebody nothing could be seen.
    pub is_blind: bool,
}

/// Looks at all of them.
pub fn look(members: &[Member], source: Source) -> Seen {
    let mut seen = Seen::default();
    for member in members {
        look_at(member.pid, source, &mut seen);
        if seen.reads {
            break;
        }
    }
    seen
}

fn look_at(pid: u32, source: Source, seen: &mut Seen) {
    // It may have ended meanwhile.
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return };
    for thread in threads.flatten().take(THREADS) {
        match std::fs::read_to_string(thread.path().join("syscall")) {
            Ok(text) => match Call::parse(&text) {
                Call::Read(fd) => seen.reads |= source.is_at(pid, fd),
                Call::Listen => seen.listens |= source.is_at(pid, 0),
                Call::Pause => seen.pauses |= source.is_at(pid, 0),
                Call::Other => {}
            },
            Err(_) => seen.is_blind |= thread.path().exists(),
        }
    }
}

impl Source {
    fn is_at(self, pid: u32, fd: u64) -> bool {
        let path = format!("/proc/{pid}/fd/{fd}");
        let Ok(stat) = rustix::fs::stat(Path::new(&path)) else { return false };
        match self {
            Self::Terminal(device) => stat.st_rdev == device || stat.st_rdev == OWN_TERMINAL,
            Self::Pipe(system, file) => (stat.st_dev, stat.st_ino) == (system, file),
        }
    }

    /// That of a pipe's end.
    pub fn pipe(end: impl std::os::fd::AsFd) -> io::Result<Self> {
        let stat = rustix::fs::fstat(end)?;
        Ok(Self::Pipe(stat.st_dev, stat.st_ino))
    }
}

/// The call in which a thread sleeps.
#[derive(Debug, PartialEq, Eq)]
enum Call {
    /// From this descriptor.
    Read(u64),
    /// Until something happens, without an end.
    Listen,
    /// Until something happens, or a while is over.
    Pause,
    Other,
}

/// Where a call says how long it sleeps.
enum Limit {
    /// A negative number is for ever.
    Number(usize),
    /// A null pointer is.
    Pointer(usize),
}

impl Call {
    fn parse(text: &str) -> Self {
        let mut words = text.split_ascii_whitespace();
        let Some(number) = words.next().and_then(|word| word.parse::<u32>().ok()) else { return Self::Other };
        let arguments: Vec<u64> =
            words.map_while(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()).collect();
        let argument = |at: usize| arguments.get(at).copied().unwrap_or_default();
        if numbers::READS.contains(&number) {
            return Self::Read(argument(0));
        }
        let is_endless = match numbers::LISTENS.iter().find(|(listens, _)| *listens == number) {
            Some((_, Limit::Number(at))) => argument(*at) as u32 >= 1 << 31,
            Some((_, Limit::Pointer(at))) => argument(*at) == 0,
            None => return Self::Other,
        };
        if is_endless { Self::Listen } else { Self::Pause }
    }
}

/// `read` and `readv`; `poll`, `select`, `pselect6`, `ppoll`, `epoll_wait` and its two younger forms.
#[cfg(target_arch = "x86_64")]
mod numbers {
    use super::Limit::{self, Number, Pointer};

    pub const READS: &[u32] = &[0, 19];
    pub const LISTENS: &[(u32, Limit)] = &[
        (7, Number(2)),
        (23, Pointer(4)),
        (270, Pointer(4)),
        (271, Pointer(2)),
        (232, Number(3)),
        (281, Number(3)),
        (441, Pointer(3)),
    ];
}

/// The numbers that all younger architectures share; they have no `poll`, `select` and `epoll_wait`.
#[cfg(not(target_arch = "x86_64"))]
mod numbers {
    use super::Limit::{self, Number, Pointer};

    pub const READS: &[u32] = &[63, 65];
    pub const LISTENS: &[(u32, Limit)] = &[(72, Pointer(4)), (73, Pointer(2)), (22, Number(3)), (441, Pointer(3))];
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_apart() {
        for (text, call) in [
            ("0 0x3 0x7f4a954f5000 0x20000 0x0 0x0 0x0 0x7ffc 0x7f4a\n", Call::Read(3)),
            ("7 0x7ffc 0x1 0xffffffff 0x0 0x0 0x0 0x7ffc 0x7f4a\n", Call::Listen),
            ("7 0x7ffc 0x1 0x3e8 0x0 0x0 0x0 0x7ffc 0x7f4a\n", Call::Pause),
            ("270 0x1 0x7ffc 0x0 0x0 0x0 0x7ffc 0x7ffc 0x7f4a\n", Call::Listen),
            ("270 0x1 0x7ffc 0x0 0x0 0x7ffd 0x7ffc 0x7ffc 0x7f4a\n", Call::Pause),
            ("61 0xffffffffffffffff 0x7ffc 0x0 0x0 0x0 0x0 0x7ffc 0x7f4a\n", Call::Other),
            ("running\n", Call::Other),
            ("-1 0x7ffc 0x7f4a\n", Call::Other),
            ("", Call::Other),
        ] {
            assert_eq!(Call::parse(text), call, "{text}");
        }
    }
}
