//! A shim inherits a session, descriptors and ignored signals. None of them may reach the job.

use std::ffi::c_int;
use std::io::{self, Write};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use gatehouse_process::os;
use rustix::fs::{Mode, OFlags};

/// Signals of the kernel's interface, real-time ones included.
const SIGNALS: std::ops::RangeInclusive<c_int> = 1..=64;
/// HUP, INT, QUIT and TERM: whoever ends a whole session means the job, and somebody must live to tell how it ended.
const DEAF_TO: [c_int; 4] = [1, 2, 3, 15];
/// Sent by the kernel when the first process of a terminal's session ends.
const HANGUP: c_int = 1;
/// Where the system kills somebody for want of memory, a job goes before its shim, which tells how it ended.
const READY_TO_DIE: i32 = 100;
const OOM: &str = "/proc/self/oom_score_adj";
const DEFAULT: usize = 0;
const IGNORE: usize = 1;

unsafe extern "C" {
    /// From the C library that the standard library is linked with.
    safe fn signal(number: c_int, handler: usize) -> usize;
}

/// Leaves the gateway's session and descriptors; gives back the socket that came as standard input.
pub fn detach() -> io::Result<Option<UnixStream>> {
    close_strangers()?;
    for number in DEAF_TO {
        signal(number, IGNORE);
    }
    // Fails only if we lead a group already, as when a person starts a shim by hand.
    if let Err(error) = rustix::process::setsid() {
        complain(&error.into());
    }
    os::adopt_orphans()?;
    let socket = take_socket()?;
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    Ok(socket)
}

/// A job starts without ignored signals, whatever the shim or the gateway ignore.
pub fn hear_all_signals() {
    for number in SIGNALS {
        // Refused for KILL, STOP and the two that the C library keeps for itself.
        signal(number, DEFAULT);
    }
}

/// Whoever a job leaves behind lives on, with a terminal as without one, and can be listed and stopped.
pub fn survive_hangups() {
    signal(HANGUP, IGNORE);
}

/// What only a job should have: its own limit on open files, and a readiness to die before us. Neither is worth not
/// starting it.
pub fn step_back(open_files: Option<u64>) {
    if let Some(soft) = open_files {
        let _ = gatehouse_process::limits::restore(soft);
    }
    let inherited = std::fs::read_to_string(OOM).ok().and_then(|text| text.trim().parse::<i32>().ok());
    if let Some(inherited) = inherited {
        let _ = std::fs::write(OOM, (inherited + READY_TO_DIE).min(1000).to_string());
    }
}

fn take_socket() -> io::Result<Option<UnixStream>> {
    let stdin = rustix::stdio::stdin();
    if rustix::net::sockopt::socket_type(stdin).is_err() {
        return Ok(None);
    }
    let own: OwnedFd = rustix::io::fcntl_dupfd_cloexec(stdin, 3)?;
    Ok(Some(UnixStream::from(own)))
}

/// Libraries of the gateway may have leaked descriptors; one of them could be a lock.
fn close_strangers() -> io::Result<()> {
    let open: Vec<i32> = std::fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|fd| *fd > 2)
        .collect();
    for fd in open {
        // SAFETY: runs before anything of this program has opened a descriptor, so nobody here owns one of these.
        // The listing's own is among the numbers and closed already.
        unsafe {
            if rustix::io::fcntl_getfd(BorrowedFd::borrow_raw(fd)).is_ok() {
                rustix::io::close(fd);
            }
        }
    }
    Ok(())
}

/// Writes to the run's `shim.log`. There is nobody to tell if even that fails.
pub fn complain(error: &io::Error) {
    let _ = writeln!(io::stderr(), "{error}");
}
