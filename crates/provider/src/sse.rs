//! The event-stream wire format, read byte by byte so that it does not matter where the network cuts.
//!
//! Lines end in LF, CR or CRLF; a byte order mark may come first; fields may lack the space after the colon; an event
//! without data is no event. Lines are cut at ASCII bytes only, so text is decoded a whole event at a time and no
//! character is ever torn.

use std::borrow::Cow;

/// The longest event accepted; a whole answer fits many times.
const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// One event with data.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Event<'a> {
    /// The event's type; empty when none was given.
    pub kind: &'a str,
    /// Its data lines, joined by line feeds.
    pub data: &'a str,
}

/// An event that grows without end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Turns pieces of bytes into events.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// The unfinished line.
    line: Vec<u8>,
    /// The first line has been handled, so no byte order mark can come any more.
    begun: bool,
    /// The last line ended in CR: a following LF belongs to it.
    after_cr: bool,
    kind: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    understood: bool,
    foreign: bool,
}

impl Decoder {
    /// Reads one piece; `each` gets every event that it completes.
    pub fn feed<E: From<TooLong>>(
        &mut self,
        mut bytes: &[u8],
        mut each: impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        while !bytes.is_empty() {
            if std::mem::take(&mut self.after_cr) && bytes[0] == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.line.extend_from_slice(bytes);
                break;
            };
            self.after_cr = bytes[end] == b'\r';
            self.end_of_line(&bytes[..end], &mut each)?;
            bytes = &bytes[end + 1..];
        }
        if self.line.len() + self.data.len() > MAX_EVENT_BYTES { Err(TooLong.into()) } else { Ok(()) }
    }

    /// The stream is over: hands out an event whose closing blank line never came.
    ///
    /// Stricter readers drop it, but servers that end right after their last line are common.
    pub fn finish<E>(&mut self, mut each: impl FnMut(Event<'_>) -> Result<(), E>) -> Result<(), E> {
        if !self.line.is_empty() {
            self.end_of_line(&[], &mut each)?;
        }
        self.dispatch(&mut each)
    }

    /// There were lines, and not one of them belongs into an event stream.
    pub const fn is_foreign(&self) -> bool {
        self.foreign && !self.understood
    }

    fn end_of_line<E>(&mut self, rest: &[u8], each: &mut impl FnMut(Event<'_>) -> Result<(), E>) -> Result<(), E> {
        let mut carried = std::mem::take(&mut self.line);
        let mut line = rest;
        if !carried.is_empty() {
            carried.extend_from_slice(rest);
            line = &carried;
        }
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix(BOM).unwrap_or(line);
        }
        let result = if line.is_empty() {
            self.dispatch(each)
        } else {
            self.field(line);
            Ok(())
        };
        carried.clear();
        self.line = carried;
        result
    }

    fn field(&mut self, line: &[u8]) {
        let (name, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
            }
            b"event" => {
                self.kind.clear();
                self.kind.extend_from_slice(value);
            }
            // A comment has an empty name; ids and delays matter only to readers that reconnect.
            b"" | b"id" | b"retry" => {}
            _ => {
                self.foreign = true;
                return;
            }
        }
        self.understood = true;
    }

    fn dispatch<E>(&mut self, each: &mut impl FnMut(Event<'_>) -> Result<(), E>) -> Result<(), E> {
        let result = if self.data.is_empty() {
            Ok(())
        } else {
            each(Event { kind: &text(&self.kind), data: &text(&self.data) })
        };
        self.kind.clear();
        self.data.clear();
        self.has_data = false;
        result
    }
}

fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut seen = Vec::new();
        let mut decoder = Decoder::default();
        let mut each = |event: Event<'_>| {
            seen.push((event.kind.to_owned(), event.data.to_owned()));
            Ok::<(), TooLong>(())
        };
        for piece in pieces {
            decoder.feed(piece, &mut each).unwrap();
        }
        decoder.finish(&mut each).unwrap();
        seen
    }

    fn check(input: &str, expect: &[(&str, &str)]) {
        let expect: Vec<_> = expect.iter().map(|(kind, data)| ((*kind).to_owned(), (*data).to_owned())).collect();
        assert_eq!(read(&[input.as_bytes()]), expect, "whole: {input:?}");
        let bytes: Vec<&[u8]> = input.as_bytes().chunks(1).collect();
        assert_eq!(read(&bytes), expect, "byte by byte: {input:?}");
        for cut in 0..input.len() {
            let (head, tail) = input.as_bytes().split_at(cut);
            assert_eq!(read(&[head, tail]), expect, "cut at {cut}: {input:?}");
        }
    }

    #[test]
    fn line_ends_of_every_kind() {
        check("data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\n\r\n", &[("", "a"), ("", "b"), ("", "c"), ("", "d")]);
    }

    #[test]
    fn spaces_comments_and_unknown_fields() {
        check(": hi\n\ndata:x\nfoo: y\nid: 1\nretry: 5\n\n", &[("", "x")]);
        check("data:  two\n\n", &[("", " two")]);
    }

    #[test]
    fn several_data_lines_are_one_event() {
        check("event: message\ndata: a\ndata\ndata: b\n\n", &[("message", "a\n\nb")]);
    }

    #[test]
    fn an_event_without_data_is_none_and_its_type_does_not_stick() {
        check("event: keepalive\n\ndata: a\n\n", &[("", "a")]);
    }

    #[test]
    fn a_byte_order_mark_counts_only_at_the_start() {
        check("\u{feff}data: a\n\n", &[("", "a")]);
        check("\u{feff}: hello\r\n\r\ndata: a\n\n", &[("", "a")]);
        check("data: a\n\n\u{feff}data: b\n\n", &[("", "a")]);
    }

    #[test]
    fn the_last_event_needs_no_blank_line() {
        check("data: [DONE]", &[("", "[DONE]")]);
    }

    #[test]
    fn characters_survive_any_cut() {
        check("data: 你好 👩‍👧\n\n", &[("", "你好 👩‍👧")]);
    }

    #[test]
    fn an_endless_event_is_given_up() {
        let mut decoder = Decoder::default();
        let piece = vec![b'x'; 1024 * 1024];
        let ends = (0..20).find(|_| decoder.feed(&piece, |_| Ok::<(), TooLong>(())).is_err());
        assert_eq!(ends, Some(16));
    }
}
