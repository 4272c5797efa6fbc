//! What is no text. A model gets its size and no more: bytes that mean nothing cost as much to read as words do, and
//! some of them break requests. Text before and behind such a block is kept.

use std::fmt::Write as _;

use super::{ScreenSize, decode, screen};

/// So many bytes of a block are shown to a person.
const HEAD: usize = 32;
/// Text beside a block that is not clean has at least so many characters.
const LEAST: usize = 32;

/// A block of bytes that is no text.
pub(super) struct Binary {
    /// Text before it, in bytes.
    before: usize,
    /// Text behind it, in bytes.
    behind: usize,
    /// Its first bytes.
    pub head: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Text,
    Nul,
    Bad,
}

impl Binary {
    /// Looks at bytes that follow each other.
    pub(super) fn find(bytes: &[u8]) -> Option<Self> {
        if std::str::from_utf8(bytes).is_ok() && !bytes.iter().any(|byte| is_bad(*byte) || *byte == 0) {
            return None;
        }
        let classes = classes(bytes);
        let count = |wanted| classes.iter().filter(|class| **class == wanted).count();
        let (nul, bad) = (count(Class::Nul), count(Class::Bad));
        let is_binary = match (nul, bad) {
            // Names that end with a NUL are a list, and UTF-16 is none.
            (nul, 0) => nul * 3 >= bytes.len(),
            (0, bad) => bad * 10 > bytes.len() * 3,
            (nul, bad) => (nul + bad) * 10 > bytes.len(),
        };
        if !is_binary {
            return None;
        }
        let before = edge(classes.iter().copied(), bytes.iter().copied(), false);
        let behind = edge(classes.iter().rev().copied(), bytes.iter().rev().copied(), true);
        let (before, behind) = if before + behind < bytes.len() { (before, behind) } else { (0, 0) };
        let end = bytes.len() - behind;
        Some(Self { before, behind, head: bytes[before..end].iter().copied().take(HEAD).collect() })
    }

    /// Text at the edge of a window is not judged: it may be half of something.
    pub(super) const fn without_edges(mut self, cut_before: bool, cut_after: bool) -> Self {
        if cut_before {
            self.before = 0;
        }
        if cut_after {
            self.behind = 0;
        }
        self
    }

    /// The words that stand for it, between the texts around it. `missing` bytes of it were never read.
    pub(super) fn words(&self, bytes: &[u8], missing: u64, size: ScreenSize) -> String {
        let end = bytes.len() - self.behind;
        let read = |bytes: &[u8]| screen::play(&decode::decode(bytes, false).text, size).0;
        let mut text = read(&bytes[..self.before]);
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        // Writing to a String cannot fail.
        let _ = write!(text, "[binary, {} bytes]", (end - self.before) as u64 + missing);
        let rest = read(&bytes[end..]);
        if !rest.is_empty() && !rest.starts_with('\n') {
            text.push('\n');
        }
        text.push_str(&rest);
        text
    }
}

/// The first bytes as a person reads them. No letters beside them: those could be a secret.
pub(super) fn hex(head: &[u8]) -> String {
    let bytes: Vec<String> = head.iter().map(|byte| format!("{byte:02x}")).collect();
    bytes.join(" ")
}

fn classes(bytes: &[u8]) -> Vec<Class> {
    let mut classes = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        classes.extend(chunk.valid().bytes().map(|byte| match byte {
            0 => Class::Nul,
            _ if is_bad(byte) => Class::Bad,
            _ => Class::Text,
        }));
        classes.extend(chunk.invalid().iter().map(|_| Class::Bad));
    }
    classes
}

/// Controls that no terminal and no text uses.
fn is_bad(byte: u8) -> bool {
    matches!(byte, 1..=6 | 0x10..=0x1A | 0x1C..=0x1F | 0x7F)
}

/// How many bytes of text stand at an end: whole clean lines, or a good piece with a few bytes that are none.
fn edge(classes: impl Iterator<Item = Class>, bytes: impl Iterator<Item = u8>, backwards: bool) -> usize {
    let (mut text, mut bad, mut nul, mut score, mut best) = (0usize, 0usize, 0usize, 0usize, 0);
    let mut bytes = bytes.peekable();
    for (index, class) in classes.enumerate() {
        let byte = bytes.next().unwrap_or_default();
        match class {
            Class::Text => (text, score) = (text + 1, score.saturating_sub(1)),
            Class::Nul => (nul, score) = (nul + 1, score + 2),
            Class::Bad => (bad, score) = (bad + 1, score + 2),
        }
        if score > LEAST {
            break;
        }
        let line_ends = if backwards { bytes.peek() == Some(&b'\n') } else { byte == b'\n' };
        let clean = bad + nul == 0 && line_ends && text > 3;
        let good = class == Class::Text && text + bad >= LEAST && bad * 100 <= 15 * (text + bad);
        if clean || good {
            best = index + 1;
        }
    }
    best
}
