//! Terminal output as text.
//!
//! Two depths: [`strip`] removes escape sequences and nothing else, [`plain`] also replays the rewrites
//! a progress bar makes inside one line, so that a reader sees each line in its last state. Movement
//! between lines is not replayed: that needs a screen, and a log has none.

use std::borrow::Cow;
use std::fmt::Write as _;

mod sequence;

pub(crate) use sequence::{Sequence, sequence_at};

/// Columns a cursor movement may reach beyond the written text; without a limit eight bytes of input
/// could ask for megabytes of blanks.
const MAX_COLUMN: usize = 200;

/// Removes every escape sequence and C1 control; text, newlines and other C0 controls stay.
/// A string that is cut before its terminator is dropped to the end.
pub fn strip(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(is_introducer) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    let mut rest = &text[first..];
    while let Some(at) = rest.find(is_introducer) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let skipped = sequence_at(rest).map_or(1, |found| found.len);
        rest = &rest[skipped..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Decodes raw output and shows every line in its final state: escape sequences are gone, text after
/// a carriage return overwrites what stood there, and no control character but newline and tab is left.
/// Bytes that are not UTF-8 become replacement characters.
pub fn plain(raw: &[u8]) -> String {
    let decoded = String::from_utf8_lossy(raw);
    let mut replay = Replay { out: String::with_capacity(decoded.len()), line: Vec::new(), column: 0 };
    let mut rest: &str = &decoded;
    while let Some(ch) = rest.chars().next() {
        if is_introducer(ch)
            && let Some(found) = sequence_at(rest)
        {
            replay.control(&found);
            rest = &rest[found.len..];
            continue;
        }
        replay.char(ch);
        rest = &rest[ch.len_utf8()..];
    }
    replay.end_line();
    replay.out
}

/// Shows controls, zero-width and direction-changing characters as `\u202E`-like text, so that what a
/// person approves is what runs. Newline and tab stay.
pub fn escape_invisible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for ch in text.chars() {
        if !is_invisible(ch) {
            out.push(ch);
            continue;
        }
        let code = u32::from(ch);
        // Writing to a String cannot fail.
        let _ = if code <= 0xFFFF { write!(out, "\\u{code:04X}") } else { write!(out, "\\u{{{code:X}}}") };
    }
    out
}

/// Whether a character leaves no mark of its own or changes how its neighbours are laid out.
pub(crate) fn is_invisible(ch: char) -> bool {
    if matches!(ch, '\n' | '\t') {
        return false;
    }
    ch.is_control()
        || matches!(ch,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0E}' | '\u{FEFF}' | '\u{FFA0}'
            | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}

fn is_introducer(ch: char) -> bool {
    ch == '\u{1B}' || matches!(ch, '\u{80}'..='\u{9F}')
}

/// One line of a terminal, one character per cell.
struct Replay {
    out: String,
    line: Vec<char>,
    column: usize,
}

impl Replay {
    fn char(&mut self, ch: char) {
        match ch {
            '\n' => {
                self.end_line();
                self.out.push('\n');
            }
            '\r' => self.column = 0,
            '\u{8}' => self.column = self.column.saturating_sub(1),
            '\t' => self.put(ch),
            _ if ch.is_control() => {}
            _ => self.put(ch),
        }
    }

    fn put(&mut self, ch: char) {
        while self.line.len() < self.column {
            self.line.push(' ');
        }
        match self.line.get_mut(self.column) {
            Some(cell) => *cell = ch,
            None => self.line.push(ch),
        }
        self.column += 1;
    }

    fn control(&mut self, found: &Sequence) {
        let count = found.parameter.max(1);
        match found.last {
            'K' => self.erase(found.parameter),
            'G' => self.move_to(count - 1),
            'C' => self.move_to(self.column.saturating_add(count)),
            'D' => self.column = self.column.saturating_sub(count),
            _ => {}
        }
    }

    fn move_to(&mut self, column: usize) {
        self.column = column.min(self.line.len().max(MAX_COLUMN));
    }

    fn erase(&mut self, mode: usize) {
        match mode {
            0 => self.line.truncate(self.column),
            1 => {
                let end = (self.column + 1).min(self.line.len());
                self.line[..end].fill(' ');
            }
            2 => self.line.clear(),
            _ => {}
        }
    }

    fn end_line(&mut self) {
        self.out.extend(self.line.drain(..));
        self.column = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn strip_removes_each_kind_of_sequence() {
        for (input, expect) in [
            ("plain", "plain"),
            ("\u{1b}[1;32mgreen\u{1b}[0m", "green"),
            ("\u{1b}[?25lhidden\u{1b}[?25h", "hidden"),
            ("\u{1b}[38:2::1:2:3mrgb", "rgb"),
            ("\u{1b}[2 qcursor", "cursor"),
            ("\u{1b}]0;title\u{7}after", "after"),
            ("\u{1b}]8;;https://x.invalid\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}P$ data\u{1b}\\dcs", "dcs"),
            ("\u{1b}Xsos\u{1b}\\a\u{1b}^pm\u{1b}\\b\u{1b}_apc\u{1b}\\c", "abc"),
            ("\u{1b}(Bcharset\u{1b}#8", "charset"),
            ("\u{1b}7save\u{1b}8\u{1b}Mup\u{1b}c", "saveup"),
            ("\u{9b}31mred\u{9d}0;t\u{9c}x\u{85}y", "redxy"),
            ("end\u{1b}]0;never closed", "end"),
            ("end\u{1b}[12", "end"),
            ("end\u{1b}", "end"),
            ("a\u{1b}[3\nb", "a\nb"),
            ("\u{1b}]0;a\u{1b}[1mb", "b"),
            ("tab\tcr\r\n", "tab\tcr\r\n"),
        ] {
            assert_eq!(strip(input), expect, "{input:?}");
        }
        assert!(matches!(strip("nothing to do"), Cow::Borrowed(_)));
    }

    #[test]
    fn plain_shows_the_last_state_of_a_line() {
        for (input, expect) in [
            ("first\rsecond\n", "second\n"),
            ("shorter\rshort", "shorter"),
            ("longer text\rshort", "shortr text"),
            ("windows\r\nline\r\n", "windows\nline\n"),
            ("a long line\r\u{1b}[Kab", "ab"),
            ("\u{1b}[2K\rspin |\u{1b}[2K\rspin done", "spin done"),
            ("abc\u{8}d", "abd"),
            ("a\0b\u{7}c", "abc"),
            ("x\u{1b}[5Gy", "x   y"),
            ("tab\there", "tab\there"),
            ("  0%\r 50%\r100%", "100%"),
        ] {
            assert_eq!(plain(input.as_bytes()), expect, "{input:?}");
        }
        assert_eq!(plain(b"ok \xff\xfe end"), "ok \u{FFFD}\u{FFFD} end");
    }

    #[test]
    fn a_cursor_jump_cannot_inflate_the_text() {
        assert!(plain(b"\x1b[99999999999999999999Cx").len() <= MAX_COLUMN + 1);
        assert!(plain(b"\x1b[999999Gx").len() <= MAX_COLUMN + 1);
    }

    #[test]
    fn invisible_characters_become_words() {
        assert_eq!(escape_invisible("rm \u{202E}fdp.exe\u{200B}"), "rm \\u202Efdp.exe\\u200B");
        assert_eq!(escape_invisible("a\tb\nc\u{1b}[0m\u{7f}"), "a\tb\nc\\u001B[0m\\u007F");
        assert_eq!(escape_invisible("\u{E0041}"), "\\u{E0041}");
        assert_eq!(escape_invisible("grüße 你好 🌍"), "grüße 你好 🌍");
    }

    proptest! {
        #[test]
        fn no_byte_string_leaves_a_control_behind(raw in proptest::collection::vec(any::<u8>(), 0..400)) {
            let text = plain(&raw);
            prop_assert!(text.chars().all(|ch| !ch.is_control() || matches!(ch, '\n' | '\t')));
        }

        #[test]
        fn stripped_text_holds_no_introducer(text in "([a-z\n]|\u{1b}|\u{9b}|\u{9d}|[\\[\\]P;0-9mK\u{7}\\\\])*") {
            let once = strip(&text).into_owned();
            prop_assert!(!once.chars().any(is_introducer));
            prop_assert_eq!(strip(&once).into_owned(), once.clone());
        }
    }
}
