//! Output goes from the pipe to the disk without passing through this program's memory. Segments are reused by
//! renaming and overwriting, which spares the kernel new pages and bounds the disk.

use std::io;
use std::os::fd::OwnedFd;

use gatehouse_process::output::{HEAD, HEAD_FILE, KEPT, PROGRESS, Progress, SEGMENT, segment_name};
use gatehouse_process::rundir::RunDir;
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::pipe::{SpliceFlags, splice};

/// What the last bytes of a job may amount to: a full pipe.
pub const LAST_BYTES: u64 = 1024 * 1024;
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
    pipe: OwnedFd,
    segment: Option<OwnedFd>,
    index: u64,
    progress: Progress,
    progress_file: OwnedFd,
}

impl Capture {
    pub fn new(run: &RunDir, pipe: OwnedFd) -> io::Result<Self> {
        let progress_file = run.writable(PROGRESS, OFlags::TRUNC)?;
        let progress = Progress::default();
        rustix::io::pwrite(&progress_file, &progress.to_bytes(), 0)?;
        let segment = Some(run.writable(&segment_name(0), OFlags::TRUNC)?);
        Ok(Self { pipe, segment, index: 0, progress, progress_file })
    }

    pub const fn pipe(&self) -> &OwnedFd {
        &self.pipe
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
        let waiting = rustix::io::ioctl_fionread(&self.pipe)?.min(LAST_BYTES);
        self.pull_at_most(run, waiting)?;
        Ok(())
    }

    fn pull_at_most(&mut self, run: &RunDir, limit: u64) -> io::Result<Pulled> {
        let mut moved = 0;
        let mut closed = false;
        while moved < limit {
            match self.step(run, limit - moved) {
                Ok(0) => {
                    closed = true;
                    break;
                }
                Ok(bytes) => moved += bytes,
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if moved > 0 {
            // A disk that refuses this one gets it again with the next bytes; listeners are told either way.
            let _ = rustix::io::pwrite(&self.progress_file, &self.progress.to_bytes(), 0);
        }
        Ok(if closed && moved == 0 { Pulled::Closed } else { Pulled::Bytes(moved) })
    }

    /// One move. A disk that takes nothing costs output, never the job.
    fn step(&mut self, run: &RunDir, limit: u64) -> Result<u64, Errno> {
        let total = self.progress.total;
        if self.segment.is_none() || total / SEGMENT != self.index {
            self.segment = self.next_segment(run, total / SEGMENT).ok();
            self.index = total / SEGMENT;
        }
        let room = limit.min(SEGMENT - total % SEGMENT);
        let Some(segment) = &self.segment else { return self.lose(room) };
        let mut offset = total % SEGMENT;
        let len = usize::try_from(room).unwrap_or(usize::MAX);
        match splice(&self.pipe, None, segment, Some(&mut offset), len, SpliceFlags::NONBLOCK) {
            Ok(bytes) => {
                self.progress.total += bytes as u64;
                Ok(bytes as u64)
            }
            Err(error @ (Errno::AGAIN | Errno::INTR)) => Err(error),
            Err(Errno::INVAL) => self.copy(room),
            Err(_) => self.lose(room),
        }
    }

    /// For file systems that cannot take pages from a pipe.
    fn copy(&mut self, room: u64) -> Result<u64, Errno> {
        let mut buffer = [0; 16 * 1024];
        let bytes = self.take(&mut buffer, room)?;
        let from = self.progress.total;
        let mut written = 0;
        while let (Some(segment), true) = (&self.segment, written < bytes) {
            match rustix::io::pwrite(segment, &buffer[written..bytes], from % SEGMENT + written as u64) {
                Ok(0) => break,
                Ok(more) => written += more,
                Err(Errno::INTR) => {}
                Err(_) => break,
            }
        }
        self.progress.total += bytes as u64;
        if written < bytes {
            self.progress.lose(from + written as u64, self.progress.total);
        }
        Ok(bytes as u64)
    }

    fn lose(&mut self, room: u64) -> Result<u64, Errno> {
        let mut buffer = [0; 16 * 1024];
        let bytes = self.take(&mut buffer, room)? as u64;
        let from = self.progress.total;
        self.progress.total += bytes;
        if bytes > 0 {
            self.progress.lose(from, from + bytes);
        }
        Ok(bytes)
    }

    /// Reads without waiting: the pipe itself blocks, because its other end is the job's and must.
    fn take(&self, buffer: &mut [u8], room: u64) -> Result<usize, Errno> {
        let len = buffer.len().min(usize::try_from(room).unwrap_or(usize::MAX));
        let mut wanted = [rustix::event::PollFd::new(&self.pipe, rustix::event::PollFlags::IN)];
        let now = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
        if rustix::event::poll(&mut wanted, Some(&now))? == 0 {
            return Err(Errno::AGAIN);
        }
        rustix::io::read(&self.pipe, &mut buffer[..len])
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
