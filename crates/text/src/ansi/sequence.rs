//! Where one escape sequence ends.

/// An escape sequence at the start of a text.
pub(crate) struct Sequence {
    /// Bytes it takes, never 0.
    pub len: usize,
    /// Its final character if it is a complete control sequence, else NUL.
    pub last: char,
    /// The first numeric parameter of a control sequence.
    pub parameter: usize,
}

impl Sequence {
    fn opaque(len: usize) -> Self {
        Self { len, last: '\0', parameter: 0 }
    }
}

/// Reads the sequence that `text` begins with; `None` if it begins with something else.
pub(crate) fn sequence_at(text: &str) -> Option<Sequence> {
    let bytes = text.as_bytes();
    match bytes {
        [0x1B, kind, ..] => Some(match kind {
            b'[' => control(bytes, 2),
            b']' => Sequence::opaque(string_end(bytes, 2, true)),
            b'P' | b'X' | b'^' | b'_' => Sequence::opaque(string_end(bytes, 2, false)),
            0x20..=0x2F => Sequence::opaque(intermediate(bytes, 1)),
            0x30..=0x7E => Sequence::opaque(2),
            _ => Sequence::opaque(1),
        }),
        [0x1B] => Some(Sequence::opaque(1)),
        // The C1 controls, U+0080 to U+009F, as UTF-8.
        [0xC2, kind @ 0x80..=0x9F, ..] => Some(match kind {
            0x9B => control(bytes, 2),
            0x9D => Sequence::opaque(string_end(bytes, 2, true)),
            0x90 | 0x98 | 0x9E | 0x9F => Sequence::opaque(string_end(bytes, 2, false)),
            _ => Sequence::opaque(2),
        }),
        _ => None,
    }
}

/// Parameters, intermediates, final byte. A byte that fits nowhere ends the sequence before itself.
fn control(bytes: &[u8], start: usize) -> Sequence {
    let parameters = run(bytes, start, |byte| matches!(byte, 0x30..=0x3F));
    let end = run(bytes, parameters, |byte| matches!(byte, 0x20..=0x2F));
    match bytes.get(end) {
        Some(last @ 0x40..=0x7E) if end == parameters => {
            Sequence { len: end + 1, last: char::from(*last), parameter: number(&bytes[start..parameters]) }
        }
        Some(0x40..=0x7E) => Sequence::opaque(end + 1),
        _ => Sequence::opaque(end),
    }
}

fn number(bytes: &[u8]) -> usize {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |sum: usize, digit| sum.saturating_mul(10).saturating_add(usize::from(digit - b'0')))
}

fn intermediate(bytes: &[u8], start: usize) -> usize {
    let end = run(bytes, start, |byte| matches!(byte, 0x20..=0x2F));
    match bytes.get(end) {
        Some(0x30..=0x7E) => end + 1,
        _ => end,
    }
}

/// A string ends with ST, with a cancel, and an OSC also with BEL; any other escape breaks it off.
fn string_end(bytes: &[u8], start: usize, bell_ends: bool) -> usize {
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        match (byte, bytes.get(at + 1)) {
            (0x07, _) if bell_ends => return at + 1,
            (0x18 | 0x1A, _) => return at + 1,
            (0x1B, Some(b'\\')) | (0xC2, Some(0x9C)) => return at + 2,
            (0x1B, _) => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn run(bytes: &[u8], start: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let tail = bytes.get(start..).unwrap_or_default();
    start + tail.iter().take_while(|byte| belongs(**byte)).count()
}
