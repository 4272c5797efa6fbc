//! Whole characters out of pieces of bytes. A token may end in the middle of one.

/// Collects bytes until they are characters.
#[derive(Debug, Default)]
pub(crate) struct Whole {
    rest: Vec<u8>,
}

impl Whole {
    /// The characters that are whole now. What never can be one becomes U+FFFD.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.rest.extend_from_slice(bytes);
        let mut text = String::new();
        loop {
            match std::str::from_utf8(&self.rest) {
                Ok(whole) => {
                    text.push_str(whole);
                    self.rest.clear();
                    return text;
                }
                Err(error) => {
                    let (good, bad) = self.rest.split_at(error.valid_up_to());
                    text.push_str(&String::from_utf8_lossy(good));
                    let Some(length) = error.error_len() else {
                        self.rest = bad.to_vec();
                        return text;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    self.rest = bad[length..].to_vec();
                }
            }
        }
    }

    /// What is left when nothing follows.
    pub fn end(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.rest)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_cut_character_waits_for_its_rest() {
        let mut whole = Whole::default();
        assert_eq!(whole.push(b"a\xF0\x9F"), "a");
        assert_eq!(whole.push(b"\x98"), "");
        assert_eq!(whole.push(b"\x80b"), "😀b");
        assert_eq!(whole.push(b"\xFFc"), "\u{FFFD}c");
        assert_eq!(whole.push(b"\xE4"), "");
        assert_eq!(whole.end(), "\u{FFFD}");
        assert_eq!(whole.end(), "");
    }

    proptest! {
        #[test]
        fn texts_survive_any_cuts(text in any::<String>(), size in 1_usize..5) {
            let mut whole = Whole::default();
            let mut seen: String = text.as_bytes().chunks(size).map(|piece| whole.push(piece)).collect();
            seen.push_str(&whole.end());
            prop_assert_eq!(seen, text);
        }

        #[test]
        fn bytes_become_what_the_standard_library_makes_of_them(
            bytes in prop::collection::vec(any::<u8>(), 0..60), size in 1_usize..5,
        ) {
            let mut whole = Whole::default();
            let mut seen: String = bytes.chunks(size).map(|piece| whole.push(piece)).collect();
            seen.push_str(&whole.end());
            prop_assert_eq!(seen, String::from_utf8_lossy(&bytes));
        }
    }
}
