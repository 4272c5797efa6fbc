//! One thread waits for everything that ends: the job, and every orphan of its tree, since the kernel hands those to
//! this process. When it has no children left, the tree is empty, and can never fill again.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use gatehouse_process::rundir::ExitRecord;
use rustix::event::{EventfdFlags, eventfd};
use rustix::process::{WaitOptions, WaitStatus, wait};

/// What was collected.
pub enum Reaped {
    /// The direct child, and whether others live on.
    Job { exit: ExitRecord, others: bool },
    /// Somebody else of the tree.
    Other,
    /// Nobody is left.
    Everybody,
}

/// The receiving side; `ready` is readable whenever there may be something.
pub struct Reaper {
    pub ready: Arc<OwnedFd>,
    pub reaped: Receiver<Reaped>,
}

/// Starts to wait. The job is a child by now.
pub fn start(job: u32) -> io::Result<Reaper> {
    let ready = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
    let (sender, reaped) = channel();
    let wake = Arc::clone(&ready);
    std::thread::Builder::new().stack_size(64 * 1024).spawn(move || collect(job, &sender, &wake))?;
    Ok(Reaper { ready, reaped })
}

fn collect(job: u32, sender: &Sender<Reaped>, wake: &OwnedFd) {
    loop {
        let reaped = match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid.as_raw_pid().cast_unsigned() == job => {
                Reaped::Job { exit: record(status), others: has_children() }
            }
            Ok(_) => Reaped::Other,
            Err(rustix::io::Errno::INTR) => continue,
            // ECHILD; there is no other error for these arguments.
            Err(_) => Reaped::Everybody,
        };
        let is_last = matches!(reaped, Reaped::Everybody);
        if sender.send(reaped).is_err() || rustix::io::write(wake, &1_u64.to_ne_bytes()).is_err() || is_last {
            return;
        }
    }
}

/// Whether a child has not ended yet; without collecting it, and also when it was collected a moment ago.
pub fn is_running(pid: u32) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return false };
    matches!(waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT), Ok(None))
}

/// Whether there is a child, alive or dead, without collecting one. Whoever is below us is below one of them.
pub fn has_children() -> bool {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT).is_ok()
}

fn record(status: WaitStatus) -> ExitRecord {
    ExitRecord { code: status.exit_status(), signal: status.terminating_signal(), ..ExitRecord::default() }
}
