//! Where a window begins or ends in the middle of an output, it begins or ends in the middle of a word too, and half a
//! secret looks like none. So the word there is given up, and with it the line if it is not too long.

use std::borrow::Cow;

use super::binary::Binary;
use super::{Window, decode};
use crate::redact::Edges;

/// The longest piece that is given up for a whole line, and the least that a window should have beyond what it shows.
pub const MARGIN: usize = 4_096;

/// Bytes that follow each other.
pub(super) struct Part<'a> {
    pub bytes: Cow<'a, [u8]>,
    /// Where they stand in the output.
    pub from: u64,
    pub edges: Edges,
    /// What of it is no text; then all of it is here.
    pub block: Option<Binary>,
}

/// The one or two parts of a window that can be read.
pub(super) fn parts<'a>(window: &Window<'a>) -> Vec<Part<'a>> {
    let Window { head, tail, omitted, total, open } = *window;
    if omitted == 0 || head.is_empty() {
        let bytes = match (head, tail) {
            (bytes, []) | ([], bytes) => Cow::Borrowed(bytes),
            (head, tail) => Cow::Owned([head, tail].concat()),
        };
        let to = omitted + bytes.len() as u64;
        return vec![part(bytes, omitted, open || to < total, to < total)];
    }
    let after = head.len() as u64 + omitted;
    let to = after + tail.len() as u64;
    vec![part(Cow::Borrowed(head), 0, true, true), part(Cow::Borrowed(tail), after, open || to < total, to < total)]
}

fn part(bytes: Cow<'_, [u8]>, from: u64, open_after: bool, cut_after: bool) -> Part<'_> {
    let edges = Edges { cut_before: from > 0, open_after };
    if let Some(block) = Binary::find(&bytes) {
        return Part { bytes, from, edges, block: Some(block.without_edges(from > 0, cut_after)) };
    }
    let start = if from > 0 { after_partial(&bytes) } else { 0 };
    let end = if cut_after { start + before_partial(&bytes[start..]) } else { bytes.len() };
    let bytes = match bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[start..end]),
        Cow::Owned(bytes) => Cow::Owned(bytes[start..end].to_vec()),
    };
    Part { bytes, from: from + start as u64, edges, block: None }
}

fn after_partial(bytes: &[u8]) -> usize {
    let margin = &bytes[..bytes.len().min(MARGIN)];
    if let Some(end) = margin.iter().position(|byte| *byte == b'\n') {
        return end + 1;
    }
    let rest = &bytes[margin.len()..];
    let word = rest.iter().take_while(|byte| is_of_word(**byte)).count();
    margin.len() + word + decode::rest_of_character(&rest[word..])
}

fn before_partial(bytes: &[u8]) -> usize {
    let margin = &bytes[bytes.len() - bytes.len().min(MARGIN)..];
    if let Some(partial) = margin.iter().rev().position(|byte| *byte == b'\n') {
        return bytes.len() - partial;
    }
    let before = &bytes[..bytes.len() - margin.len()];
    before.len() - before.iter().rev().take_while(|byte| is_of_word(**byte)).count()
}

/// What tokens, passwords and addresses are made of.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.=+/~:@%$!*#?^\\".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown<'a>(head: &'a [u8], tail: &'a [u8], omitted: u64, total: u64) -> Vec<(Vec<u8>, u64)> {
        let window = Window { head, tail, omitted, total, open: false };
        parts(&window).into_iter().map(|part| (part.bytes.into_owned(), part.from)).collect()
    }

    #[test]
    fn a_line_or_a_word_is_given_up_at_a_cut() {
        assert_eq!(shown(b"one\ntw", b"o\n", 0, 8), [(b"one\ntwo\n".to_vec(), 0)]);
        assert_eq!(shown(b"", b"rt\nend", 10, 16), [(b"end".to_vec(), 13)]);
        assert_eq!(
            shown(b"start\npar", b"tial\nend\n", 100, 118),
            [(b"start\n".to_vec(), 0), (b"end\n".to_vec(), 114)]
        );
        let long = [&[b'x'; 5_000][..], b" end"].concat();
        assert_eq!(shown(b"", &long, 1, 5_005), [(b" end".to_vec(), 5_001)]);
        let growing = [b"start ".as_slice(), &[b'x'; 5_000]].concat();
        assert_eq!(shown(&growing, b"\n", 9, 5_016)[0], (b"start ".to_vec(), 0));
    }
}
