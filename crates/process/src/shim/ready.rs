//! What woke the loop.

use std::io;
use std::os::unix::net::UnixListener;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::console::Console;
use crate::listeners::Listeners;
use crate::work::Work;

/// What there is to do.
pub struct Ready {
    pub door: bool,
    pub listeners: bool,
    pub reaped: bool,
    pub output: bool,
    pub group: bool,
    pub input: bool,
}

impl Ready {
    /// Sleeps until something happens, or for as many milliseconds.
    pub fn within(
        span_ms: Option<u64>,
        door: &UnixListener,
        listeners: &Listeners,
        work: Option<&Work>,
        is_anybody_left: bool,
        now_ms: u64,
    ) -> io::Result<Self> {
        let mut fds = vec![PollFd::new(door, PollFlags::IN)];
        fds.extend(listeners.all.iter().map(|listener| PollFd::new(&listener.socket, listener.wants())));
        let listeners_end = fds.len();
        let (mut reaped_at, mut output_at, mut input_at, mut group_at) = (None, None, None, None);
        if let Some(work) = work {
            // After the last of them the reaper has nothing to say, but its signal stays up.
            if is_anybody_left {
                reaped_at = Some(fds.len());
                fds.push(PollFd::new(&work.reaper.ready, PollFlags::IN));
            }
            if let Some(group) = work.group.as_ref().filter(|_| work.is_childless && is_anybody_left) {
                group_at = Some(fds.len());
                fds.push(PollFd::new(group.events(), PollFlags::PRI));
            }
            if let Some(capture) = work.capture.as_ref().filter(|_| now_ms >= work.rest_until_ms) {
                output_at = Some(fds.len());
                fds.push(PollFd::new(capture.source(), PollFlags::IN));
            }
            if let Some(way) = work.console.as_ref().and_then(Console::waits_for) {
                input_at = Some(fds.len());
                fds.push(PollFd::new(way, PollFlags::OUT));
            }
        }
        let timeout = span_ms.map(|span| Timespec {
            tv_sec: (span / 1000).cast_signed(),
            tv_nsec: (span % 1000 * 1_000_000).cast_signed(),
        });
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is_up = |fd: &PollFd<'_>| !fd.revents().is_empty();
        let is_up_at = |at: Option<usize>| at.and_then(|at| fds.get(at)).is_some_and(is_up);
        Ok(Self {
            door: fds.first().is_some_and(is_up),
            listeners: fds[1..listeners_end].iter().any(is_up),
            reaped: is_up_at(reaped_at),
            output: is_up_at(output_at),
            group: is_up_at(group_at),
            input: is_up_at(input_at),
        })
    }
}
