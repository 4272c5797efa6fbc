//! Secrets known by their value.

use aho_corasick::{AhoCorasick, MatchKind};

use super::{Edges, Spans, Style};

/// Secrets shorter than this are not looked up by value, nor are shorter pieces of them: they would blank ordinary
/// words.
const MIN_EXACT: usize = 4;

/// Reports each value, and a piece of one that an edge of the text has cut. False if the search is impossible.
pub(super) fn scan(text: &str, secrets: &[&str], edges: Edges, spans: &mut Spans) -> bool {
    let wanted: Vec<&str> = secrets.iter().copied().filter(|secret| secret.len() >= MIN_EXACT).collect();
    if wanted.is_empty() {
        return true;
    }
    for secret in &wanted {
        cut_in_two(text, secret, edges, spans);
    }
    let Ok(search) = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(wanted) else {
        return false;
    };
    for hit in search.find_iter(text) {
        spans.push(hit.start(), hit.end(), Style::Hidden);
    }
    true
}

fn cut_in_two(text: &str, secret: &str, edges: Edges, spans: &mut Spans) {
    let pieces = MIN_EXACT..secret.len().min(text.len() + 1);
    let (text, secret) = (text.as_bytes(), secret.as_bytes());
    if edges.cut_before
        && let Some(len) = pieces.clone().rev().find(|len| text.starts_with(&secret[secret.len() - len..]))
    {
        spans.push(0, len, Style::Hidden);
    }
    // A line that is not ended yet may have been begun with it.
    let end = text.len() - usize::from(text.ends_with(b"\n"));
    if edges.open_after
        && let Some(len) = pieces.rev().find(|len| text[..end].ends_with(&secret[..*len]))
    {
        spans.push(end - len, end, Style::Hidden);
    }
}
