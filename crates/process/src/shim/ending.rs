//! `exit.json` is the one thing that must not be lost: it has its room on disk from the start, is written before
//! anybody is told, is tried again for as long as the disk refuses, and is forced down if nobody takes note.

use std::io;
use std::os::fd::OwnedFd;

use gatehouse_fault::{Point, point};
use gatehouse_process::rundir::{EXIT, EXIT_DRAFT, ExitRecord, RunDir};
use rustix::fs::{FallocateFlags, OFlags};

const ROOM: u64 = 4096;
/// How long a listener may take to record the end before the disk has to promise.
const PATIENCE_MS: u64 = 1000;
const RETRY_MS: u64 = 200;

/// The end of the direct child, on its way to the disk.
pub struct Ending {
    draft: OwnedFd,
    record: Option<ExitRecord>,
    since_ms: u64,
    retry_at_ms: Option<u64>,
    is_safe: bool,
}

impl Ending {
    /// Takes the room.
    pub fn reserve(run: &RunDir) -> io::Result<Self> {
        let draft = run.writable(EXIT_DRAFT, OFlags::TRUNC)?;
        match rustix::fs::fallocate(&draft, FallocateFlags::empty(), 0, ROOM) {
            // Not every file system can; those get the record without a reservation.
            Ok(()) | Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(Self { draft, record: None, since_ms: 0, retry_at_ms: None, is_safe: false })
    }

    pub const fn record(&self) -> Option<&ExitRecord> {
        self.record.as_ref()
    }

    /// Nothing is left to do about it.
    pub const fn is_safe(&self) -> bool {
        self.is_safe
    }

    /// Somebody else keeps it now.
    pub const fn acknowledge(&mut self) {
        self.is_safe = self.record.is_some();
    }

    /// Writes it. A refusal is tried again later.
    pub fn write(&mut self, run: &RunDir, record: ExitRecord, now_ms: u64) {
        self.record = Some(record);
        self.since_ms = now_ms;
        self.attempt(run, now_ms);
    }

    fn attempt(&mut self, run: &RunDir, now_ms: u64) {
        let is_first_refusal = self.retry_at_ms.is_none();
        self.retry_at_ms = match self.try_write(run) {
            Ok(()) => None,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // The run directory was removed: nobody will ever look.
                self.is_safe = true;
                None
            }
            Err(error) => {
                if is_first_refusal {
                    crate::surroundings::complain(&error);
                }
                Some(now_ms + RETRY_MS)
            }
        };
    }

    fn try_write(&self, run: &RunDir) -> io::Result<()> {
        let bytes = serde_json::to_vec(&self.record)?;
        let mut written = 0;
        while written < bytes.len() {
            written += rustix::io::pwrite(&self.draft, &bytes[written..], written as u64)?;
        }
        rustix::fs::ftruncate(&self.draft, bytes.len() as u64)?;
        point(Point::ShimExitBefore);
        run.rename(EXIT_DRAFT, EXIT)?;
        point(Point::ShimExitAfter);
        Ok(())
    }

    /// When `tick` has something to do.
    pub fn deadline_ms(&self) -> Option<u64> {
        if self.is_safe || self.record.is_none() {
            return None;
        }
        Some(self.retry_at_ms.unwrap_or(self.since_ms + PATIENCE_MS))
    }

    /// Tries again, or forces it down.
    pub fn tick(&mut self, run: &RunDir, now_ms: u64) {
        if self.deadline_ms().is_none_or(|at| now_ms < at) {
            return;
        }
        if self.retry_at_ms.is_some() {
            self.attempt(run, now_ms);
            return;
        }
        match rustix::fs::fsync(&self.draft).and_then(|()| rustix::fs::fsync(run.fd())) {
            Ok(()) => self.is_safe = true,
            Err(error) => {
                crate::surroundings::complain(&error.into());
                self.since_ms = now_ms;
            }
        }
    }
}
