//! Pieces of secrets that were found whole in another form of the text: what a cursor overwrote in part, or took apart,
//! has lost the look of a secret and is still most of one.

use std::collections::HashSet;

use super::{Spans, Style};

/// So many bytes of a secret in a row are no chance.
const LEAST: usize = 8;

pub(super) fn scan(text: &str, found: &[String], spans: &mut Spans) {
    let known: HashSet<&[u8]> = found.iter().flat_map(|secret| secret.as_bytes().windows(LEAST)).collect();
    if known.is_empty() {
        return;
    }
    let mut run: Option<(usize, usize)> = None;
    for (at, piece) in text.as_bytes().windows(LEAST).enumerate() {
        if !known.contains(piece) {
            continue;
        }
        run = match run {
            Some((start, end)) if at <= end => Some((start, at + LEAST)),
            other => {
                report(text, other, spans);
                Some((at, at + LEAST))
            }
        };
    }
    report(text, run, spans);
}

fn report(text: &str, run: Option<(usize, usize)>, spans: &mut Spans) {
    if let Some((start, end)) = run {
        spans.push(text.floor_char_boundary(start), text.ceil_char_boundary(end), Style::Hidden);
    }
}
