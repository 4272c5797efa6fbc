//! A job's output on disk. Segment `out.<k>` holds the bytes from `k * SEGMENT` on; old segments are renamed and
//! overwritten, so only the newest few exist, and `out.head` keeps the beginning. `progress` tells how much is valid.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};

use rustix::fs::AtFlags;

use crate::rundir::RunDir;

/// Bytes per segment.
pub const SEGMENT: u64 = 2 * 1024 * 1024;
/// Segments that exist at most: the newest one and 8 MiB before it.
pub const KEPT: u64 = 5;
/// How much of the beginning is kept for good.
pub const HEAD: u64 = 64 * 1024;
/// The file of the beginning.
pub const HEAD_FILE: &str = "out.head";
/// The file of [`Progress`].
pub const PROGRESS: &str = "progress";

/// A reader starts over this often when a segment was reused under its eyes.
const ATTEMPTS: usize = 16;

/// The name of segment `index`.
pub fn segment_name(index: u64) -> String {
    format!("out.{index}")
}

/// How much output there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that the job wrote.
    pub total: u64,
    /// First byte that the disk did not take.
    pub gap_from: u64,
    /// First byte after those; equal to `gap_from` when nothing is missing.
    pub gap_to: u64,
}

impl Progress {
    /// As it lies on disk.
    pub fn to_bytes(self) -> [u8; 24] {
        let mut bytes = [0; 24];
        for (slot, value) in bytes.chunks_exact_mut(8).zip([self.total, self.gap_from, self.gap_to]) {
            slot.copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: [u8; 24]) -> Self {
        let mut values = bytes.chunks_exact(8).map(|slot| u64::from_le_bytes(slot.try_into().unwrap_or_default()));
        let mut next = || values.next().unwrap_or_default();
        Self { total: next(), gap_from: next(), gap_to: next() }
    }

    /// Notes that `[from, to)` is lost. One range is remembered: all that lies between two losses counts as lost.
    pub fn lose(&mut self, from: u64, to: u64) {
        let oldest_kept = (self.total / SEGMENT).saturating_sub(KEPT - 1) * SEGMENT;
        if self.gap_from == self.gap_to || (self.gap_to <= oldest_kept && self.gap_from >= HEAD) {
            self.gap_from = from;
        }
        self.gap_to = to;
    }

    /// What the shim last wrote down; nothing yet counts as zero.
    pub fn read(run: &RunDir) -> io::Result<Self> {
        let file = match run.readable(PROGRESS) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error),
        };
        let mut bytes = [0; 24];
        match file.read_exact_at(&mut bytes, 0) {
            Ok(()) => Ok(Self::from_bytes(bytes)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }
}

/// A contiguous piece of output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputSlice {
    /// Offset of the first byte; later than asked for where output was dropped.
    pub from: u64,
    /// Offset to go on from.
    pub next: u64,
    /// Bytes that the job wrote so far.
    pub total: u64,
    /// The bytes, as the job wrote them.
    pub bytes: Vec<u8>,
    /// How many of the bytes asked for are gone before `from`.
    pub dropped_before: u64,
}

/// Reads up to `max` bytes from `from` on, or the last ones.
pub fn read(run: &RunDir, from: Option<u64>, max: usize) -> io::Result<OutputSlice> {
    for _ in 0..ATTEMPTS {
        let progress = Progress::read(run)?;
        let wanted = from.unwrap_or_else(|| progress.total.saturating_sub(max as u64)).min(progress.total);
        if let Some(slice) = read_once(run, progress, wanted, max)? {
            return Ok(slice);
        }
    }
    Err(io::Error::new(io::ErrorKind::ResourceBusy, "output is overwritten faster than it can be read"))
}

/// `None` when a segment was reused meanwhile.
fn read_once(run: &RunDir, progress: Progress, wanted: u64, max: usize) -> io::Result<Option<OutputSlice>> {
    let Progress { total, gap_from, gap_to } = progress;
    let mut bytes = Vec::new();
    let mut first = wanted;
    loop {
        let at = first + bytes.len() as u64;
        let room = max - bytes.len();
        if room == 0 || at >= total {
            break;
        }
        if (gap_from..gap_to).contains(&at) {
            if !bytes.is_empty() {
                break;
            }
            first = gap_to;
            continue;
        }
        let end = if at < gap_from { gap_from.min(total) } else { total };
        match piece(run, at, end, total)? {
            Piece::File { name, offset, len } => {
                if !append(run, &name, offset, len.min(room as u64), &mut bytes)? {
                    return Ok(None);
                }
            }
            Piece::Resumes(offset) if bytes.is_empty() => first = offset,
            Piece::Resumes(_) => break,
        }
    }
    let next = first + bytes.len() as u64;
    Ok(Some(OutputSlice { from: first, next, total, bytes, dropped_before: first - wanted }))
}

enum Piece {
    File { name: String, offset: u64, len: u64 },
    Resumes(u64),
}

/// Where the byte at `at` lies, or where output goes on if it is gone.
fn piece(run: &RunDir, at: u64, end: u64, total: u64) -> io::Result<Piece> {
    let index = at / SEGMENT;
    let name = segment_name(index);
    if run.has(&name)? {
        return Ok(Piece::File { name, offset: at % SEGMENT, len: end.min((index + 1) * SEGMENT) - at });
    }
    if at < HEAD && run.has(HEAD_FILE)? {
        return Ok(Piece::File { name: HEAD_FILE.to_owned(), offset: at, len: end.min(HEAD) - at });
    }
    let newest = total / SEGMENT;
    for later in (index + 1).max(newest.saturating_sub(KEPT))..=newest {
        if run.has(&segment_name(later))? {
            return Ok(Piece::Resumes((later * SEGMENT).min(total)));
        }
    }
    Ok(Piece::Resumes(total))
}

/// Whether the bytes are what `name` stood for: a segment is renamed before it is overwritten.
fn append(run: &RunDir, name: &str, offset: u64, len: u64, bytes: &mut Vec<u8>) -> io::Result<bool> {
    let file = match run.readable(name) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    let start = bytes.len();
    bytes.resize(start + usize::try_from(len).unwrap_or(usize::MAX), 0);
    let complete = match file.read_exact_at(&mut bytes[start..], offset) {
        Ok(()) => true,
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => false,
        Err(error) => return Err(error),
    };
    Ok(complete && is_still(run, name, &file)?)
}

fn is_still(run: &RunDir, name: &str, file: &File) -> io::Result<bool> {
    match rustix::fs::statat(run.fd(), name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(now) => Ok(now.st_ino == file.metadata()?.ino()),
        Err(rustix::io::Errno::NOENT) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests;
