//! A text that is still being written.

use super::build::parse;
use super::segment::{Cut, Cutter};
use super::{Block, BlockKind, Inline};

/// An unsettled segment longer than this is shown as plain text until it settles; parsing it again for
/// every piece would cost the square of its length.
const PLAIN_FROM: usize = 32 * 1024;
/// Plain text is handed out in blocks of this size, so that an update carries only the last of them.
const PLAIN_PIECE: usize = 8 * 1024;

/// What changed: the first `keep` blocks stay as they were, `blocks` replaces everything after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// How many blocks from the front are unchanged.
    pub keep: usize,
    /// All the others.
    pub blocks: Vec<Block>,
}

/// Parses a text piece by piece. Call [`push`](Self::push) once per frame with all that has come.
#[derive(Debug, Default)]
pub struct Stream {
    cutter: Cutter,
    /// The source from `offset` on: everything not settled.
    tail: String,
    offset: usize,
    /// How far `tail` was read for whole lines, and where its last line started.
    read: usize,
    searched: usize,
    last_line: usize,
    /// Blocks handed out that can no longer change, and those settled since.
    settled: usize,
    fresh: Vec<Block>,
    /// Plain pieces handed out that stay until the segment settles.
    plain: usize,
    plain_bytes: usize,
}

impl Stream {
    /// An empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a piece and tells what it changed.
    pub fn push(&mut self, delta: &str) -> Update {
        self.absorb(delta);
        if self.fresh.is_empty() && self.tail.len() > PLAIN_FROM {
            return self.plain_update();
        }
        let keep = self.settled;
        let mut blocks = std::mem::take(&mut self.fresh);
        self.settled += blocks.len();
        (self.plain, self.plain_bytes) = (0, 0);
        if self.tail.len() > PLAIN_FROM {
            blocks.append(&mut self.plain_update().blocks);
        } else {
            blocks.append(&mut parse(&self.tail, self.offset));
        }
        Update { keep, blocks }
    }

    /// Ends the text. All blocks together are then those of the whole text parsed at once.
    pub fn finish(mut self) -> Update {
        let end = self.tail.len();
        let mut settled = 0;
        if self.read < end
            && let Some(cut) = self.take_line(end)
        {
            self.fresh.append(&mut parse(&self.tail[..cut], self.offset));
            settled = cut;
        }
        self.fresh.append(&mut parse(&self.tail[settled..], self.offset + settled));
        Update { keep: self.settled, blocks: self.fresh }
    }

    /// Adds a piece and settles what it completes.
    pub(super) fn absorb(&mut self, delta: &str) {
        self.tail.push_str(delta);
        let mut settled = 0;
        while let Some(found) = self.tail[self.searched..].find('\n') {
            let end = self.searched + found;
            if let Some(cut) = self.take_line(end) {
                self.fresh.append(&mut parse(&self.tail[settled..cut], self.offset + settled));
                settled = cut;
            }
            self.read = end + 1;
            self.searched = self.read;
        }
        self.searched = self.tail.len();
        self.forget(settled);
    }

    /// Reads the line that ends at `end` and tells where a segment ended because of it.
    fn take_line(&mut self, end: usize) -> Option<usize> {
        let cut = match self.cutter.line(&self.tail[self.read..end]) {
            Cut::None => None,
            Cut::Here => Some(self.read),
            Cut::Before => Some(self.last_line),
        };
        self.last_line = self.read;
        cut
    }

    fn forget(&mut self, settled: usize) {
        if settled == 0 {
            return;
        }
        self.tail.drain(..settled);
        self.offset += settled;
        self.read -= settled;
        self.searched -= settled;
        self.last_line = self.last_line.saturating_sub(settled);
        (self.plain, self.plain_bytes) = (0, 0);
    }

    fn plain_update(&mut self) -> Update {
        let keep = self.settled + self.plain;
        let mut blocks = Vec::new();
        loop {
            let rest = &self.tail[self.plain_bytes..];
            let whole = rest.len() > PLAIN_PIECE;
            let end = if whole { piece_end(rest) } else { rest.len() };
            let start = self.offset + self.plain_bytes;
            let words = rest[..end].trim_end_matches('\n').to_owned();
            blocks.push(Block { range: start..start + end, kind: BlockKind::Paragraph(vec![Inline::Text(words)]) });
            if !whole {
                return Update { keep, blocks };
            }
            self.plain += 1;
            self.plain_bytes += end;
        }
    }
}

/// The end of a plain piece: behind a line end if there is one.
fn piece_end(rest: &str) -> usize {
    let limit = rest.floor_char_boundary(PLAIN_PIECE);
    rest[..limit].rfind('\n').map_or(limit, |line_end| line_end + 1)
}
