//! Output goes from the pipe, or from a terminal, to the disk in large pieces. Segments are reused by renaming and overwriting, which spares
//! the kernel new pages and bounds the disk. (Splicing was measured: it holds the pipe for as long as the file system
//! takes, so the job waits longer than for two copies.)

use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;

use gatehouse_process::output::{HEAD, HEAD_FILE, KEPT, PROGRESS, Progress, SEGMENT, segment_name};
use gatehouse_process::rundir::RunDir;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::sieve::{self, Query, Screen, Sifted};

/// What the last bytes of a job may amount to: a full pipe.
pub const LAST_BYTES: u64 = 1024 * 1024;
/// What a terminal holds at most; it cannot say how much it is. The kernel's own limit is 12 KiB.
const TERMINAL_HOLDS: u64 = 64 * 1024;
/// When nobody wrote for so long, what the job said has come through.
const QUIET: Timespec = Timespec { tv_sec: 0, tv_nsec: 40_000_000 };
/// Whoever goes on writing is not waited for longer than this: the end itself is to be told.
const PATIENCE_MS: u64 = 150;
/// Bytes read at once.
const PIECE: usize = 256 * 1024;
/// Bytes moved before the loop looks at anything else.
const TURN: u64 = 4 * 1024 * 1024;

/// How a pull ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pulled {
    /// This much came; there may be more.
    Bytes(u64),
    /// Nobody can write any more.
    Closed,
}

/// The output of one job.
pub struct Capture {
    source: OwnedFd,
    is_terminal: bool,
    /// Begins with what was held back from the last piece.
    buffer: Box<[u8]>,
    held: usize,
    queries: Vec<Query>,
    screen: Screen,
    segment: Option<OwnedFd>,
    index: u64,
    progress: Progress,
    progress_file: OwnedFd,
}

impl Capture {
    /// The reading end must not wait for more; that says nothing about the job's end.
    pub fn new(run: &RunDir, source: OwnedFd, is_terminal: bool) -> io::Result<Self> {
        rustix::fs::fcntl_setfl(&source, OFlags::NONBLOCK)?;
        let progress_file = run.writable(PROGRESS, OFlags::TRUNC)?;
        let progress = Progress::default();
        rustix::io::pwrite(&progress_file, &progress.to_bytes(), 0)?;
        let segment = Some(run.writable(&segment_name(0), OFlags::TRUNC)?);
        let buffer = vec![0; PIECE + sieve::LONGEST].into_boxed_slice();
        let (held, queries) = (0, Vec::new());
        let screen = Screen::PLAIN;
        Ok(Self { source, is_terminal, buffer, held, queries, screen, segment, index: 0, progress, progress_file })
    }

    pub const fn source(&self) -> &OwnedFd {
        &self.source
    }

    /// What the job has asked its terminal since the last time.
    pub fn take_queries(&mut self) -> Vec<Query> {
        std::mem::take(&mut self.queries)
    }

    /// What the job has made of its screen.
    pub const fn screen(&self) -> Screen {
        self.screen
    }

    pub const fn total(&self) -> u64 {
        self.progress.total
    }

    /// Moves what is there, up to a fair share.
    pub fn pull(&mut self, run: &RunDir) -> io::Result<Pulled> {
        self.pull_at_most(run, TURN)
    }

    /// Moves what is in the pipe at this moment, however fast somebody goes on writing.
    pub fn pull_last(&mut self, run: &RunDir) -> io::Result<()> {
        let waiting =
            if self.is_terminal { TERMINAL_HOLDS } else { rustix::io::ioctl_fionread(&self.source)?.min(LAST_BYTES) };
        self.pull_at_most(run, waiting)?;
        Ok(())
    }

    /// What was held back as the beginning of a question will be none.
    pub fn let_go(&mut self, run: &RunDir) {
        let held = std::mem::take(&mut self.held);
        if held > 0 {
            self.append(run, held);
            self.note_progress();
        }
    }

    /// Moves what somebody who stands between the job and the pipe still passes on, such as the reader of a process
    /// substitution: until nobody wrote for a moment, in however many pieces, and never for long.
    pub fn pull_until_quiet(&mut self, run: &RunDir, mut now_ms: impl FnMut() -> u64) -> io::Result<()> {
        let (last, until) = (self.total() + LAST_BYTES, now_ms() + PATIENCE_MS);
        while self.total() < last && now_ms() < until && self.is_readable_within(QUIET)? {
            if self.pull_at_most(run, last - self.total())? == Pulled::Closed {
                break;
            }
        }
        Ok(())
    }

    fn is_readable_within(&self, span: Timespec) -> io::Result<bool> {
        let mut fds = [PollFd::new(&self.source, PollFlags::IN)];
        match poll(&mut fds, Some(&span)) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn pull_at_most(&mut self, run: &RunDir, limit: u64) -> io::Result<Pulled> {
        let mut moved = 0;
        let mut is_closed = false;
        while moved < limit {
            match self.step(run, limit - moved) {
                // A terminal says that everybody has left it by an error.
                Ok(0) | Err(Errno::IO) => {
                    is_closed = true;
                    break;
                }
                Ok(bytes) => moved += bytes,
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if moved > 0 {
            self.note_progress();
        }
        Ok(if is_closed && moved == 0 { Pulled::Closed } else { Pulled::Bytes(moved) })
    }

    /// A disk that refuses this one gets it again with the next bytes; listeners are told either way.
    fn note_progress(&self) {
        let _ = rustix::io::pwrite(&self.progress_file, &self.progress.to_bytes(), 0);
    }

    /// One move. Gives back how much was read.
    fn step(&mut self, run: &RunDir, limit: u64) -> Result<u64, Errno> {
        let room = usize::try_from(limit).unwrap_or(PIECE).min(PIECE);
        let bytes = rustix::io::read(&self.source, &mut self.buffer[self.held..self.held + room])?;
        if bytes == 0 {
            return Ok(0);
        }
        let filled = self.held + bytes;
        let sifted = if self.is_terminal {
            sieve::sift(&mut self.buffer[..filled], &mut self.queries, &mut self.screen)
        } else {
            Sifted { kept: filled, held: 0 }
        };
        self.append(run, sifted.kept);
        self.buffer.copy_within(sifted.kept..sifted.kept + sifted.held, 0);
        self.held = sifted.held;
        Ok(bytes as u64)
    }

    /// The buffer's first `len` bytes are output. A disk that takes nothing costs output, never the job.
    fn append(&mut self, run: &RunDir, len: usize) {
        let mut done = 0;
        while done < len {
            let from = self.progress.total;
            let room = usize::try_from(SEGMENT - from % SEGMENT).unwrap_or(PIECE);
            let part = done..len.min(done + room);
            if self.segment.is_none() || from / SEGMENT != self.index {
                self.index = from / SEGMENT;
                self.segment = self.next_segment(run, self.index).ok();
            }
            let stored = self.store(from % SEGMENT, part.clone());
            self.progress.total += part.len() as u64;
            if stored < part.len() {
                self.progress.lose(from + stored as u64, self.progress.total);
            }
            done = part.end;
        }
    }

    /// How many of these bytes of the buffer the disk took.
    fn store(&self, offset: u64, part: Range<usize>) -> usize {
        let Some(segment) = &self.segment else { return 0 };
        let bytes = &self.buffer[part];
        let mut written = 0;
        while written < bytes.len() {
            match rustix::io::pwrite(segment, &bytes[written..], offset + written as u64) {
                Ok(0) => break,
                Ok(more) => written += more,
                Err(Errno::INTR) => {}
                Err(_) => break,
            }
        }
        written
    }

    fn next_segment(&self, run: &RunDir, index: u64) -> io::Result<OwnedFd> {
        let name = segment_name(index);
        let Some(oldest) = index.checked_sub(KEPT) else { return run.writable(&name, OFlags::TRUNC) };
        if oldest == 0 {
            keep_head(run)?;
        }
        match run.rename(&segment_name(oldest), &name) {
            Ok(()) => run.writable(&name, OFlags::empty()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => run.writable(&name, OFlags::TRUNC),
            Err(error) => Err(error),
        }
    }
}

/// The beginning says what a job set out to do; it is kept when its segment is not.
fn keep_head(run: &RunDir) -> io::Result<()> {
    use std::os::unix::fs::FileExt;
    if run.has(HEAD_FILE)? {
        return Ok(());
    }
    let mut head = vec![0; usize::try_from(HEAD).unwrap_or(usize::MAX)];
    run.readable(&segment_name(0))?.read_exact_at(&mut head, 0)?;
    run.put(HEAD_FILE, &head)
}

#[cfg(test)]
mod tests;
