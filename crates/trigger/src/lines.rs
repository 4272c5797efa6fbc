//! Bytes to lines. What ends with a read is no line yet, so it is carried over.

use gatehouse_text::ansi;

/// A longer line is taken in pieces.
const LONGEST: usize = 16 * 1024;

/// The line that is being written.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// Where the next byte stands in the whole output.
    next: u64,
    carry: Vec<u8>,
    /// What is left of this line is of no interest: it was told before it ended.
    told: bool,
}

impl Lines {
    /// Goes on at this place of the output.
    pub const fn at(next: u64, told: bool) -> Self {
        Self { next, carry: Vec::new(), told }
    }

    /// Where the next byte is expected.
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// From where everything must be read again by somebody who does not have what is carried over, and whether the
    /// rest of the line there is of no interest.
    pub fn resume(&self) -> (u64, bool) {
        (self.next.saturating_sub(self.carry.len() as u64), self.told)
    }

    /// Takes bytes that stand at `from`, and hands over each line that is whole. Where bytes are missing, the line that
    /// they belong to is given up.
    pub fn push(&mut self, from: u64, bytes: &[u8], mut line: impl FnMut(&str)) {
        if from > self.next {
            self.carry.clear();
            self.told = false;
        }
        let known = usize::try_from(self.next.saturating_sub(from)).unwrap_or(usize::MAX).min(bytes.len());
        let fresh = &bytes[known..];
        self.next = self.next.max(from) + fresh.len() as u64;
        for byte in fresh {
            if matches!(byte, b'\n' | b'\r') {
                self.end_line(&mut line);
                self.told = false;
            } else if !self.told {
                self.carry.push(*byte);
                if self.carry.len() == LONGEST {
                    self.end_line(&mut line);
                }
            }
        }
    }

    fn end_line(&mut self, line: &mut impl FnMut(&str)) {
        if !self.told && !self.carry.is_empty() {
            line(&readable(&self.carry));
        }
        self.carry.clear();
    }

    /// The line that has not ended.
    pub fn unfinished(&self) -> Option<String> {
        (!self.carry.is_empty()).then(|| readable(&self.carry))
    }

    /// The line that has not ended was told as it is; its rest is not looked at.
    pub fn set_told(&mut self) {
        self.carry.clear();
        self.told = true;
    }
}

fn readable(bytes: &[u8]) -> String {
    ansi::strip(&String::from_utf8_lossy(bytes)).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines_of(pieces: &[&[u8]]) -> (Vec<String>, Lines) {
        let (mut lines, mut seen, mut at) = (Lines::default(), Vec::new(), 0);
        for piece in pieces {
            lines.push(at, piece, |line| seen.push(line.to_owned()));
            at += piece.len() as u64;
        }
        (seen, lines)
    }

    #[test]
    fn a_line_is_clean_and_whole() {
        let (seen, lines) = lines_of(&[b"\x1b[3", b"2mREA", b"DY\x1b[0m\r\n 1%\r 2%\r\ncaf\xc3", b"\xa9\n\nend"]);
        assert_eq!(seen, ["READY", " 1%", " 2%", "café"]);
        assert_eq!(lines.unfinished().as_deref(), Some("end"));
        assert_eq!(lines.resume(), (lines.next() - 3, false));
    }

    #[test]
    fn what_was_told_is_not_looked_at_again() {
        let mut lines = Lines::default();
        lines.push(0, b"Password: ", |_| unreachable!());
        lines.set_told();
        assert_eq!(lines.resume(), (10, true));
        let mut seen = Vec::new();
        lines.push(10, b"Password: again\nnext\n", |line| seen.push(line.to_owned()));
        assert_eq!(seen, ["next"]);
        let mut resumed = Lines::at(10, true);
        resumed.push(10, b"rest\nnext\n", |line| seen.push(line.to_owned()));
        assert_eq!(seen, ["next", "next"]);
    }

    #[test]
    fn a_gap_gives_its_line_up_and_nothing_is_taken_twice() {
        let (mut lines, mut seen) = (Lines::default(), Vec::new());
        lines.push(0, b"one\ntw", |line| seen.push(line.to_owned()));
        lines.push(4, b"two\n", |line| seen.push(line.to_owned()));
        lines.push(100, b"hree\nfour\n", |line| seen.push(line.to_owned()));
        assert_eq!(seen, ["one", "two", "hree", "four"]);
        assert_eq!(lines.next(), 110);
    }

    proptest! {
        #[test]
        fn pieces_change_nothing(text in "([a-c]|\n|\r|\u{1b}\\[1m|é|🌍){0,60}", cuts in prop::collection::vec(1_usize..9, 0..80)) {
            let bytes = text.as_bytes();
            let (whole, one) = lines_of(&[bytes]);
            let mut pieces = Vec::new();
            let mut rest = bytes;
            for cut in cuts {
                let (piece, after) = rest.split_at(cut.min(rest.len()));
                pieces.push(piece);
                rest = after;
            }
            pieces.push(rest);
            let (cut, other) = lines_of(&pieces);
            prop_assert_eq!(whole, cut);
            prop_assert_eq!(one.unfinished(), other.unfinished());
        }
    }
}
