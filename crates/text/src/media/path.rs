//! Where a path ends.

use super::kind::{LONGEST_ENDING, is_known};

/// Signs that close something around a path or end a sentence, when nothing of a word follows them.
const CLOSING: [char; 17] = ['.', ',', ';', ':', '!', '?', ')', ']', '}', '>', '"', '\'', '*', '_', '|', '~', '`'];

/// A path as it was written, and where what belongs to it ends, in bytes from the start of `text`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Written<'t> {
    pub path: &'t str,
    pub end: usize,
}

/// Reads the path that `text` begins with, in quotation marks or bare. `text` is part of one line.
pub(super) fn read(text: &str) -> Option<Written<'_>> {
    let first = text.chars().next()?;
    match closing_quote(first) {
        Some(closing) => quoted(text, first.len_utf8(), closing),
        None => bare(text),
    }
    .filter(|written| is_path(written.path))
}

/// Reads what a span of code holds as one path.
pub(super) fn in_code(code: &str) -> Option<&str> {
    let path = code.trim_matches('`').trim();
    (is_path(path) && !path.contains(is_line_end)).then_some(path)
}

/// What closes a quotation.
pub(super) fn closing_quote(opening: char) -> Option<char> {
    match opening {
        '"' | '\'' => Some(opening),
        '\u{201C}' => Some('\u{201D}'),
        '\u{2018}' => Some('\u{2019}'),
        _ => None,
    }
}

/// What no path goes beyond.
pub(super) fn is_line_end(ch: char) -> bool {
    (ch.is_control() && ch != '\t') || matches!(ch, '\u{2028}' | '\u{2029}')
}

/// Whether a text ends with a name's known ending.
pub(super) fn ends_known(text: &str) -> bool {
    let from = text.len().saturating_sub(LONGEST_ENDING + 1);
    let tail = &text.as_bytes()[from..];
    let Some(dot) = tail.iter().rposition(|byte| *byte == b'.') else { return false };
    std::str::from_utf8(&tail[dot + 1..]).is_ok_and(is_known)
}

fn quoted(text: &str, from: usize, closing: char) -> Option<Written<'_>> {
    let inner = &text[from..];
    let length = inner.find(closing)?;
    Some(Written { path: inner[..length].trim(), end: from + length + closing.len_utf8() })
}

/// Blanks belong to a path if a known ending follows them; else it ends with its first word.
fn bare(text: &str) -> Option<Written<'_>> {
    // Looked at first: a text that is no path is not searched for endings.
    if !is_path(text) {
        return None;
    }
    let mut dots = text.match_indices('.').map(|(at, _)| at + 1);
    let end = dots.find_map(|at| known_end(text, at)).unwrap_or_else(|| first_word(text));
    Some(Written { path: &text[..end], end })
}

fn known_end(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let length = rest.bytes().take(LONGEST_ENDING + 1).take_while(u8::is_ascii_alphanumeric).count();
    (is_known(&rest[..length]) && is_end(&rest[length..])).then_some(at + length)
}

/// Whether a name can be over here.
fn is_end(rest: &str) -> bool {
    let next = rest.trim_start_matches(CLOSING).chars().next();
    next.is_none_or(|ch| ch.is_whitespace() || (!ch.is_ascii() && !ch.is_alphanumeric()))
}

fn first_word(text: &str) -> usize {
    let word = text.split(char::is_whitespace).next().unwrap_or_default();
    word.trim_end_matches(CLOSING).len()
}

/// Whether a text begins as a path from a root does, and has a name.
fn is_path(text: &str) -> bool {
    let name = match text.as_bytes() {
        [b'~', b'/', name @ ..] => name,
        [drive, b':', b'\\' | b'/', name @ ..] if drive.is_ascii_alphabetic() => name,
        // Two of them begin an address.
        [b'/', name @ ..] if !name.starts_with(b"/") => name,
        _ => return false,
    };
    name.first().is_some_and(|byte| !byte.is_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_ends_where_its_author_ended_it() {
        for (text, path) in [
            ("/a/b.png", "/a/b.png"),
            ("/a/b.png and more", "/a/b.png"),
            ("/a/my photo (1).png, then", "/a/my photo (1).png"),
            ("/a/b.tar.gz.", "/a/b.tar.gz"),
            ("/a/B C.PDF)", "/a/B C.PDF"),
            ("~/b c.md**", "~/b c.md"),
            ("C:\\My files\\b.txt!", "C:\\My files\\b.txt"),
            ("/a/b.png/c d", "/a/b.png/c"),
            ("/a/b.pngx d.png", "/a/b.pngx d.png"),
            ("/a/Makefile is it", "/a/Makefile"),
            ("/a/b.xyz, is it", "/a/b.xyz"),
            ("/a/b.png\u{3002}\u{8C22}", "/a/b.png"),
            ("\"/a/b c\" d", "/a/b c"),
            ("'/a/b.png'", "/a/b.png"),
            ("\u{201C}~/b\u{201D}", "~/b"),
            ("/\u{E9}t\u{E9}/\u{1F30D}.gif", "/\u{E9}t\u{E9}/\u{1F30D}.gif"),
        ] {
            assert_eq!(read(text).map(|written| written.path), Some(path), "{text}");
        }
    }

    #[test]
    fn what_has_no_root_is_no_path() {
        for text in [
            "",
            "a.png",
            "./a.png",
            "//a/b.png",
            "/",
            "/ a.png",
            "~",
            "~/",
            "~a/b",
            "C:",
            "C:\\",
            "\"/a",
            "\"a\"",
            "`/a`",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_known_ending_is_seen_from_behind() {
        assert!(ends_known("/a/b.png") && ends_known("x.sqlite") && ends_known("\u{E9}.7z"));
        assert!(
            !ends_known("png") && !ends_known("a.b") && !ends_known("") && !ends_known("\u{1F30D}\u{1F30D}\u{1F30D}")
        );
    }
}
