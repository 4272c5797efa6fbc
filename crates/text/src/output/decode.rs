//! Bytes as characters. Only bytes that can be no character become replacements; a character that is merely cut by the
//! end of a window is left out.

use std::borrow::Cow;

use super::Track;

/// Characters, and which bytes they were.
pub(super) struct Decoded<'a> {
    pub text: Cow<'a, str>,
    pub track: Track,
}

/// `cut` says that what follows is missing, so the last character may be too.
pub(super) fn decode(bytes: &[u8], cut: bool) -> Decoded<'_> {
    let bytes = if cut { without_half_character(bytes) } else { bytes };
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Decoded { text: Cow::Borrowed(text), track: Track::default() };
    }
    let (mut text, mut track, mut at) = (String::with_capacity(bytes.len()), Track::default(), 0);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            track.push(text.len(), at);
            text.push(char::REPLACEMENT_CHARACTER);
            at += chunk.invalid().len();
            track.push(text.len(), at);
        }
    }
    Decoded { text: Cow::Owned(text), track }
}

fn without_half_character(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(&bytes[bytes.len().saturating_sub(3)..]) {
        Ok(_) => bytes,
        Err(_) => {
            // Only the last three bytes can begin a character that is not whole.
            let half = (1..=bytes.len().min(3)).find(|count| {
                let piece = &bytes[bytes.len() - count..];
                piece[0] >= 0xC2 && std::str::from_utf8(piece).is_err_and(|error| error.error_len().is_none())
            });
            &bytes[..bytes.len() - half.unwrap_or(0)]
        }
    }
}

/// How many bytes at the start belong to a character that began before.
pub(super) fn rest_of_character(bytes: &[u8]) -> usize {
    bytes.iter().take(3).take_while(|byte| (0x80..0xC0).contains(*byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_cut_by_a_window_is_left_out_and_a_broken_one_is_replaced() {
        let text = "é你🌍".as_bytes();
        for end in 0..=text.len() {
            let whole = (0..=end).rev().find_map(|end| std::str::from_utf8(&text[..end]).ok()).unwrap_or("");
            assert_eq!(decode(&text[..end], true).text, whole, "{end}");
        }
        assert_eq!(decode(b"cut-at-exit \xe4\xbd", false).text, "cut-at-exit \u{FFFD}");
        assert_eq!(decode(b"ok \xff\xfe", true).text, "ok \u{FFFD}\u{FFFD}");
        let shown = decode(b"a\xffb\xe4\xbdc", false);
        assert_eq!(shown.text, "a\u{FFFD}b\u{FFFD}c");
        assert_eq!([0, 1, 4, 5, 8].map(|at| shown.track.origin(at)), [0, 1, 2, 3, 5]);
        assert_eq!(rest_of_character(&text[3..]), 2);
    }
}
