//! What is typed to a job waits here until its input takes it. One queue keeps the order of all who type; whoever reads
//! slowly fills it, and then the next one is refused. Nothing here ever waits.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;

use gatehouse_process::input::{INPUT_PATIENCE_MS, MAX_INPUT, Refusal};
use gatehouse_process::wire::FromShim;
use rustix::io::Errno;

/// Bytes of room that stay.
const SMALL: usize = 4096;

/// The queue, and who waits for a part of it to be taken.
pub struct Keyboard {
    /// `None` once it is closed.
    way: Option<OwnedFd>,
    pending: VecDeque<u8>,
    taken: u64,
    writers: VecDeque<Writer>,
    closes_when_empty: bool,
}

struct Writer {
    request: u64,
    from: u64,
    until: u64,
    deadline_ms: u64,
}

impl Keyboard {
    /// `way` does not block.
    pub const fn new(way: OwnedFd) -> Self {
        Self { way: Some(way), pending: VecDeque::new(), taken: 0, writers: VecDeque::new(), closes_when_empty: false }
    }

    /// Takes what somebody types and what comes `after` it, or nothing of both.
    pub fn offer(&mut self, request: u64, data: &[u8], after: &[u8], now_ms: u64) -> Result<(), Refusal> {
        if self.way.is_none() || self.closes_when_empty {
            return Err(Refusal::Closed);
        }
        if self.pending.len() + data.len() > MAX_INPUT {
            return Err(Refusal::Full);
        }
        let from = self.taken + self.pending.len() as u64;
        self.pending.extend(data);
        self.pending.extend(after);
        let until = from + (data.len() + after.len()) as u64;
        self.writers.push_back(Writer { request, from, until, deadline_ms: now_ms + INPUT_PATIENCE_MS });
        Ok(())
    }

    /// The terminal's own answer to a program. One that does not read gets none.
    pub fn reply(&mut self, data: &[u8]) {
        if self.way.is_some() && self.pending.len() + data.len() <= MAX_INPUT {
            self.pending.extend(data);
        }
    }

    /// After what waits, the program sees the end.
    pub const fn close(&mut self) {
        self.closes_when_empty = true;
    }

    /// What to wait for: room in the job's input.
    pub fn waits_for(&self) -> Option<&OwnedFd> {
        match &self.way {
            Some(way) if !self.pending.is_empty() => Some(way),
            Some(_) | None => None,
        }
    }

    /// Hands on as much as the job's input takes.
    pub fn flush(&mut self) {
        while let Some(way) = self.way.as_ref().filter(|_| !self.pending.is_empty()) {
            match rustix::io::write(way, self.pending.as_slices().0) {
                Ok(bytes) => {
                    self.pending.drain(..bytes);
                    self.taken += bytes as u64;
                }
                Err(Errno::AGAIN) => return,
                Err(Errno::INTR) => {}
                // Nobody can read it any more.
                Err(_) => self.give_up(),
            }
        }
        if self.closes_when_empty {
            self.way = None;
        }
        // A burst has made it large.
        self.pending.shrink_to(SMALL);
    }

    /// Nobody will read what waits.
    pub fn give_up(&mut self) {
        self.way = None;
        self.pending.clear();
    }

    /// Who has waited long enough: all was taken, or nobody reads.
    pub fn answers(&mut self, now_ms: u64) -> Vec<FromShim> {
        let mut words = Vec::new();
        let waits = |writer: &Writer, this: &Self| {
            this.way.is_some() && writer.until > this.taken && writer.deadline_ms > now_ms
        };
        while let Some(writer) = self.writers.pop_front() {
            if waits(&writer, self) {
                self.writers.push_front(writer);
                break;
            }
            words.push(self.answer(&writer));
        }
        words
    }

    fn answer(&self, writer: &Writer) -> FromShim {
        let request = writer.request;
        let bytes = self.taken.saturating_sub(writer.from).min(writer.until - writer.from);
        let left = writer.until - writer.from - bytes;
        match (self.pending.is_empty(), bytes, left) {
            (true, 0, 1..) => FromShim::Refused { request, why: Refusal::Closed },
            (true, _, _) => FromShim::Wrote { request, bytes, waiting: 0 },
            (false, _, waiting) => FromShim::Wrote { request, bytes, waiting },
        }
    }

    /// When somebody is to be answered.
    pub fn deadline_ms(&self) -> Option<u64> {
        self.writers.front().map(|writer| writer.deadline_ms)
    }
}
