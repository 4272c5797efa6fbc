//! One gateway at a time: the lock of a profile's directory, and who holds it.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use rustix::fs::FlockOperation;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::io;
use crate::error::OpenError;

/// A lock whose holder is dead is waited for so long. A program that it was just about to start still holds it, between
/// fork(2) and execve(2), where it is closed.
const PASSING_ON: Duration = Duration::from_secs(2);
/// And asked for again so often: flock(2) gives no event.
const ASK_AGAIN: Duration = Duration::from_millis(5);

/// Takes the lock, or says who has it.
pub(crate) fn take_lock(path: &Path) -> Result<File, OpenError> {
    let options = OpenOptions::new().create(true).append(true).mode(0o600).open(path);
    let lock = options.map_err(|e| io(path, e))?; // std opens everything close-on-exec
    let mut left = PASSING_ON.as_millis() / ASK_AGAIN.as_millis();
    loop {
        match rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(sign(lock)),
            Err(Errno::WOULDBLOCK) => {
                let holder = fs::read_to_string(path).ok().and_then(|pid| pid.trim().parse().ok());
                if left == 0 || holder.is_none_or(lives) {
                    return Err(OpenError::Locked { path: path.to_owned(), holder });
                }
            }
            Err(errno) => return Err(io(path, errno)),
        }
        left -= 1;
        std::thread::sleep(ASK_AGAIN);
    }
}

/// Whether this is another program that lives. We are the holder ourselves when we have just begun anew.
fn lives(pid: u32) -> bool {
    let other = pid != std::process::id();
    let named = i32::try_from(pid).ok().and_then(Pid::from_raw);
    other && named.is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

/// Says in the lock who holds it, for those who are sent away. On a full disk it stays unsaid.
fn sign(mut lock: File) -> File {
    if let Err(error) = lock.set_len(0).and_then(|()| writeln!(lock, "{}", std::process::id())) {
        tracing::warn!(%error, "the lock does not say who holds it");
    }
    lock
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lock that somebody holds who says to be this.
    fn held_by(path: &Path, pid: u32) -> File {
        let held = take_lock(path).unwrap();
        fs::write(path, format!("{pid}\n")).unwrap();
        held
    }

    #[test]
    fn who_lives_keeps_it_and_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let _held = held_by(&path, 1);
        let refused = take_lock(&path).unwrap_err();
        assert!(matches!(refused, OpenError::Locked { holder: Some(1), .. }), "{refused:?}");
    }

    #[test]
    fn what_a_dead_one_leaves_to_a_child_for_a_moment_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        // No process has this number: it lies above what Linux gives out.
        let held = held_by(&path, i32::MAX.cast_unsigned());
        let (begun, begins) = std::sync::mpsc::channel();
        let taking = std::thread::spawn({
            let path = path.clone();
            move || {
                begun.send(()).unwrap();
                take_lock(&path)
            }
        });
        begins.recv().unwrap();
        drop(held);
        drop(taking.join().unwrap().unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{}\n", std::process::id()));
    }

    #[test]
    fn a_lock_that_nobody_gives_back_is_refused_in_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let _held = held_by(&path, i32::MAX.cast_unsigned());
        assert!(matches!(take_lock(&path), Err(OpenError::Locked { .. })));
    }
}
