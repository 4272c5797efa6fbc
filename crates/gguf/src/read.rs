//! The bytes of the head, bounded: by the file's own length and by what no honest head needs.

use std::io::{BufReader, Read, Seek};

use crate::{Error, Result};

/// A head holds the vocabulary, which takes some megabytes; more than this is none.
const MAX_HEAD: u64 = 256 * 1024 * 1024;

/// Reads a head from its beginning.
pub(crate) struct Head<R> {
    from: BufReader<R>,
    /// Bytes taken so far.
    at: u64,
    /// Where the file or the patience ends.
    end: u64,
}

impl<R: Read + Seek> Head<R> {
    pub fn new(from: R, length: u64) -> Self {
        Self { from: BufReader::with_capacity(1024 * 1024, from), at: 0, end: length.min(MAX_HEAD) }
    }

    /// How far it was read.
    pub const fn at(&self) -> u64 {
        self.at
    }

    pub fn bytes<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.take(N as u64)?;
        let mut bytes = [0; N];
        self.from.read_exact(&mut bytes).map_err(|error| cut(&error))?;
        Ok(bytes)
    }

    pub fn u32(&mut self) -> Result<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    /// A text of at most `most` bytes.
    pub fn text(&mut self, most: u64) -> Result<String> {
        let length = self.u64()?;
        if length > most {
            return Err(Error::Damaged(format!("a text of {length} bytes stands where at most {most} can be")));
        }
        self.take(length)?;
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        self.from.read_exact(&mut bytes).map_err(|error| cut(&error))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Passes over `count` bytes.
    pub fn skip(&mut self, count: u64) -> Result<()> {
        self.take(count)?;
        let distance = i64::try_from(count).map_err(|_| ended())?;
        self.from.seek_relative(distance).map_err(|error| cut(&error))
    }

    /// Accounts for `count` bytes that are about to be read. Nothing is set aside for bytes that are not there.
    fn take(&mut self, count: u64) -> Result<()> {
        let after = self.at.checked_add(count).filter(|after| *after <= self.end).ok_or_else(ended)?;
        self.at = after;
        Ok(())
    }
}

fn ended() -> Error {
    Error::Damaged("it ends in the middle of its head".into())
}

fn cut(error: &std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => ended(),
        _ => Error::Damaged(format!("it cannot be read: {error}")),
    }
}
