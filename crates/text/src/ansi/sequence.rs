//! Where one escape sequence ends.

/// How many bytes the sequence that `text` begins with takes, never 0; `None` if it begins with something else. One
/// that is cut short is taken as far as it goes.
pub(crate) fn sequence_at(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    match bytes {
        [0x1B, kind, ..] => Some(match kind {
            b'[' => control(bytes, 2),
            b']' => string_end(bytes, 2, true),
            b'P' | b'X' | b'^' | b'_' => string_end(bytes, 2, false),
            0x20..=0x2F => intermediate(bytes, 1),
            0x30..=0x7E => 2,
            _ => 1,
        }),
        [0x1B] => Some(1),
        // The C1 controls, U+0080 to U+009F, as UTF-8.
        [0xC2, kind @ 0x80..=0x9F, ..] => Some(match kind {
            0x9B => control(bytes, 2),
            0x9D => string_end(bytes, 2, true),
            0x90 | 0x98 | 0x9E | 0x9F => string_end(bytes, 2, false),
            _ => 2,
        }),
        _ => None,
    }
}

/// Parameters, intermediates, final byte. A byte that fits nowhere ends the sequence before itself.
fn control(bytes: &[u8], start: usize) -> usize {
    let parameters = run(bytes, start, |byte| matches!(byte, 0x30..=0x3F));
    intermediate_from(bytes, parameters, 0x40)
}

fn intermediate(bytes: &[u8], start: usize) -> usize {
    intermediate_from(bytes, start, 0x30)
}

fn intermediate_from(bytes: &[u8], start: usize, least: u8) -> usize {
    let end = run(bytes, start, |byte| matches!(byte, 0x20..=0x2F));
    match bytes.get(end) {
        Some(last) if (least..=0x7E).contains(last) => end + 1,
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
