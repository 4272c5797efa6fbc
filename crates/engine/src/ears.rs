//! What the client says. A thread of its own listens, so that taking a question back, and the client's end, are heard
//! while the engine computes.

use std::io::{BufRead, Read, stdin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;

use gatehouse_engine_wire::{MAX_LINE, RefusalCode, Request, read};

use crate::mouth::Mouth;
use crate::refusal::Refusal;

/// How many requests may wait while the engine computes.
const WAITING: usize = 16;

/// What was heard and is to be done.
pub(crate) struct Heard {
    pub requests: Receiver<Request>,
    /// The question that was taken back last; questions are counted from 1.
    pub taken_back: Arc<AtomicU64>,
}

/// Ends the program where it stands. The C++ library may be computing: its destructors must not run beside it.
pub(crate) fn leave() -> ! {
    // SAFETY: ends the process, and nothing of it is used any more.
    unsafe { libc::_exit(0) }
}

pub(crate) fn listen(mouth: Mouth) -> Heard {
    let (sender, requests) = sync_channel(WAITING);
    let taken_back = Arc::new(AtomicU64::new(0));
    let shared = Arc::clone(&taken_back);
    thread::spawn(move || {
        hear(&mouth, &sender, &shared);
        leave();
    });
    Heard { requests, taken_back }
}

/// Returns when the client is gone, or says more than it can mean.
fn hear(mouth: &Mouth, sender: &SyncSender<Request>, taken_back: &AtomicU64) {
    let mut input = stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        let count = (&mut input).take(MAX_LINE as u64).read_until(b'\n', &mut line);
        // Whatever comes without its end is none: the client went away while it spoke.
        if count.is_err() || line.last() != Some(&b'\n') {
            return;
        }
        match read(&line) {
            Ok(Request::Cancel { id }) => taken_back.store(id, Ordering::Release),
            Ok(request) => match sender.try_send(request) {
                Ok(()) => {}
                Err(TrySendError::Full(request)) => mouth.refuse(question(&request), Refusal::busy()),
                Err(TrySendError::Disconnected(_)) => return,
            },
            Err(why) => mouth.refuse(None, Refusal::new(RefusalCode::NotUnderstood, why.0)),
        }
    }
}

const fn question(request: &Request) -> Option<u64> {
    match request {
        Request::Generate(question) => Some(question.id),
        Request::Load(_) | Request::Cancel { .. } => None,
    }
}
