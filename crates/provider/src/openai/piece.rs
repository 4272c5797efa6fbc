//! Text that arrives in pieces, cut where no text may be cut.
//!
//! Servers that count in UTF-16 cut an emoji in two and send each half as an escape. JSON allows that, a Rust string
//! does not; so a piece stays bytes until its other half has come.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Visitor};

/// UTF-8 that may hold halves of surrogate pairs, each as the three bytes it would have if it were a character.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Piece(pub Vec<u8>);

/// Where two pieces of one text meet.
#[derive(Debug, Default)]
pub(super) struct Seam {
    /// The first half of a character, until the second one comes.
    half: Vec<u8>,
}

impl Seam {
    /// The text of `piece`, with a character that began in the piece before and without one that ends in the next.
    /// A half that stays alone becomes a replacement character.
    pub fn join(&mut self, piece: Piece) -> String {
        let bytes = match (self.half.is_empty(), String::from_utf8(piece.0)) {
            (true, Ok(text)) => return text,
            (false, Ok(text)) => text.into_bytes(),
            (_, Err(error)) => error.into_bytes(),
        };
        let mut text = String::new();
        let mut rest = bytes.as_slice();
        if let Some(high) = surrogate(&std::mem::take(&mut self.half)) {
            let whole = surrogate(rest).and_then(|low| pair(high, low));
            text.push(whole.unwrap_or(char::REPLACEMENT_CHARACTER));
            rest = if whole.is_some() { &rest[3..] } else { rest };
        }
        if let Some(at) = rest.len().checked_sub(3)
            && matches!(surrogate(&rest[at..]), Some(0xD800..=0xDBFF))
        {
            self.half = rest[at..].to_vec();
            rest = &rest[..at];
        }
        text.push_str(&String::from_utf8_lossy(rest));
        text
    }
}

/// The surrogate that `bytes` begin with.
fn surrogate(bytes: &[u8]) -> Option<u32> {
    match bytes {
        [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, ..] => {
            Some(0xD000 | (u32::from(second & 0x3F) << 6) | u32::from(third & 0x3F))
        }
        _ => None,
    }
}

fn pair(high: u32, low: u32) -> Option<char> {
    let low = low.checked_sub(0xDC00)?;
    char::from_u32(0x1_0000 + (high.checked_sub(0xD800)? << 10) + low)
}

impl<'de> Deserialize<'de> for Piece {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Piece;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Piece, E> {
                Ok(Piece(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(pieces: &[&str]) -> Vec<String> {
        let mut seam = Seam::default();
        pieces.iter().map(|piece| seam.join(serde_json::from_str(piece).unwrap())).collect()
    }

    #[test]
    fn halves_of_a_character_find_each_other() {
        assert_eq!(join(&[r#""a\ud83d""#, r#""\ude00b""#]), ["a", "😀b"]);
        assert_eq!(join(&[r#""\ud83d""#, r#""\ude00\ud83c""#, r#""\udf0d""#]), ["", "😀", "🌍"]);
        assert_eq!(join(&[r#""\ud83d\ude00 你""#]), ["😀 你"]);
    }

    #[test]
    fn a_half_that_stays_alone_is_marked_and_takes_nothing_along() {
        assert_eq!(join(&[r#""a\ud83d""#, r#""b""#]), ["a", "\u{fffd}b"]);
        assert_eq!(join(&[r#""\ud83d""#, r#""""#, r#""b""#]), ["", "\u{fffd}", "b"]);
        let middle = &join(&[r#""a\ude00b""#])[0];
        assert!(middle.starts_with('a') && middle.ends_with('b') && middle.contains('\u{fffd}'), "{middle}");
    }
}
