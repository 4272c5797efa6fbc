//! The signs that begin a directive.

use std::ops::Range;

use super::path::{closing_quote, ends_known, is_line_end};

/// What a sign asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    File,
    AsDocument,
    AudioAsVoice,
}

impl Sign {
    const ALL: [Self; 3] = [Self::File, Self::AsDocument, Self::AudioAsVoice];

    fn words(self) -> &'static str {
        match self {
            Self::File => "MEDIA:",
            Self::AsDocument => "[[as_document]]",
            Self::AudioAsVoice => "[[audio_as_voice]]",
        }
    }
}

/// A sign and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub at: usize,
    pub sign: Sign,
}

impl Mark {
    pub fn range(&self) -> Range<usize> {
        self.at..self.at + self.sign.words().len()
    }
}

/// Every sign of a text, whatever surrounds it.
pub(super) fn all(source: &str) -> Vec<Mark> {
    let at = |(at, _): (usize, &str)| {
        let sign = Sign::ALL.into_iter().find(|sign| source[at..].starts_with(sign.words()))?;
        (sign != Sign::File || begins_word(&source[..at])).then_some(Mark { at, sign })
    };
    source.match_indices(['M', '[']).filter_map(at).collect()
}

/// What may belong to a tag: the rest of its line, up to the quotation mark that closes the one before it.
pub(super) fn line(rest: &str, before: Option<char>) -> &str {
    let closing = match before {
        Some('<') => Some('>'),
        Some(before) => closing_quote(before),
        None => None,
    };
    let end = rest.find(|ch| is_line_end(ch) || Some(ch) == closing);
    &rest[..end.unwrap_or(rest.len())]
}

/// Whether a tag can begin behind this: not within a word or a path, but right behind a file's name.
fn begins_word(before: &str) -> bool {
    let within = |ch: char| ch.is_alphanumeric() || matches!(ch, '/' | '\\' | '.' | '-' | '$' | '@');
    // An underscore is part of a word or the sign of emphasis around it.
    let last = before.trim_end_matches('_').chars().next_back();
    !last.is_some_and(within) || ends_known(before)
}
