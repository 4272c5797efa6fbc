//! Taking directives out of a text.

use std::ops::Range;

/// Signs that go with what they enclose.
const PAIRS: [(char, char); 9] = [
    ('"', '"'),
    ('\'', '\''),
    ('\u{201C}', '\u{201D}'),
    ('\u{2018}', '\u{2019}'),
    ('<', '>'),
    ('(', ')'),
    ('*', '*'),
    ('_', '_'),
    ('~', '~'),
];

/// A range with the pairs of signs directly around it.
pub(super) fn widened(source: &str, mut range: Range<usize>, room: &Range<usize>) -> Range<usize> {
    loop {
        let before = source[room.start..range.start].chars().next_back();
        let after = source.get(range.end..room.end).and_then(|rest| rest.chars().next());
        let (Some(before), Some(after)) = (before, after) else { return range };
        if !PAIRS.contains(&(before, after)) {
            return range;
        }
        range = range.start - before.len_utf8()..range.end + after.len_utf8();
    }
}

/// A text without some of its ranges, which come in order and apart from each other.
pub(super) fn without(source: &str, cuts: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(source.len());
    let (mut done, mut rest) = (0, cuts);
    while let Some(first) = rest.first() {
        let line = line_start(source, done, first.start)..line_end(source, first.end);
        let (line, count) = with_all_cuts(source, line, rest);
        let (here, later) = rest.split_at(count);
        out.push_str(&source[done..line.start]);
        let pieces = pieces(source, &line, here);
        if !is_bare(&pieces) {
            push_pieces(&mut out, &pieces);
        }
        (done, rest) = (line.end, later);
    }
    out.push_str(&source[done..]);
    out
}

/// Lines that cuts connect, and how many cuts they hold.
fn with_all_cuts(source: &str, mut line: Range<usize>, cuts: &[Range<usize>]) -> (Range<usize>, usize) {
    let mut count = 0;
    while let Some(cut) = cuts.get(count).filter(|cut| cut.start < line.end) {
        if cut.end > line.end {
            line.end = line_end(source, cut.end);
        }
        count += 1;
    }
    (line, count)
}

fn line_start(source: &str, from: usize, at: usize) -> usize {
    source[from..at].rfind('\n').map_or(from, |line_end| from + line_end + 1)
}

fn line_end(source: &str, at: usize) -> usize {
    source[at..].find('\n').map_or(source.len(), |found| at + found + 1)
}

fn pieces<'t>(source: &'t str, line: &Range<usize>, cuts: &[Range<usize>]) -> Vec<&'t str> {
    let starts = std::iter::once(line.start).chain(cuts.iter().map(|cut| cut.end));
    let ends = cuts.iter().map(|cut| cut.start).chain(std::iter::once(line.end));
    starts.zip(ends).map(|(start, end)| &source[start..end]).collect()
}

/// Whether nothing but blanks, a list's sign, signs of emphasis and what stands between names is left of a line.
fn is_bare(pieces: &[&str]) -> bool {
    let mut pieces = pieces.iter().copied();
    let first = pieces.next().unwrap_or_default().trim_start();
    let plain = |piece: &str| piece.chars().all(|ch| ch.is_whitespace() || matches!(ch, '*' | '_' | ',' | ';' | '.'));
    plain(without_list_sign(first)) && pieces.all(plain)
}

fn without_list_sign(text: &str) -> &str {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match (digits, text.as_bytes().get(digits)) {
        (0, Some(b'-' | b'+' | b'*')) => &text[1..],
        (1..=9, Some(b'.' | b')')) => &text[digits + 1..],
        _ => return text,
    };
    if rest.starts_with([' ', '\t']) { rest } else { text }
}

/// Blanks before a cut go with it; those that indent a line stay.
fn push_pieces(out: &mut String, pieces: &[&str]) {
    let last = pieces.len() - 1;
    for (index, piece) in pieces.iter().enumerate() {
        let indents = index == 0 && piece.trim().is_empty();
        out.push_str(if index == last || indents { piece } else { piece.trim_end_matches([' ', '\t']) });
    }
}
