//! As much of a masked text as a reader takes, and which bytes that is.

use super::{COMPLETION_LIMIT, ENTRY_LIMIT, FOREGROUND_LIMIT, PREVIEW_LIMIT};
use super::{Page, Purpose, Shown, Text, Track, Window};
use crate::redact::Edges;

/// Percent of a foreground result that shows its beginning.
const HEAD_PERCENT: usize = 40;
const HEAD_LIMIT: usize = FOREGROUND_LIMIT / 100 * HEAD_PERCENT;

/// The last `limit` characters of a text, starting on a whole line if there is one.
pub fn cut(text: &str, limit: usize) -> &str {
    let count = text.chars().count();
    if count <= limit {
        return text;
    }
    let rest = &text[place(text, count - limit)..];
    rest.split_once('\n').map_or(rest, |(_, lines)| lines)
}

/// The last line that has something on it, without blanks around it.
pub fn last_line(text: &str) -> &str {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("")
}

pub(super) fn show(texts: &[Text], purpose: Purpose, window: &Window<'_>) -> Shown {
    match (purpose, texts) {
        (Purpose::Foreground, [text]) => both_ends(text, window.total),
        (Purpose::Foreground, [head, .., tail]) => around(head, tail, window.total),
        (Purpose::Log { offset, limit }, texts) => page(&join(texts, window.total), offset, limit, window.total),
        (Purpose::Export, texts) => part(&join(texts, window.total), 0, window.total),
        (Purpose::Completion, [.., text]) => end_of(text, COMPLETION_LIMIT, window.total),
        (Purpose::Preview, [.., text]) => end_of(text, PREVIEW_LIMIT, window.total),
        (Purpose::Entry, [.., text]) => end_of(text, ENTRY_LIMIT, window.total),
        (Purpose::Foreground | Purpose::Completion | Purpose::Preview | Purpose::Entry, []) => {
            part(&join(&[], window.total), 0, window.total)
        }
    }
}

impl Text {
    /// The byte that a place of the text comes from.
    fn origin(&self, place: usize) -> u64 {
        (self.from + self.track.origin(place) as u64).min(self.to)
    }
}

fn end_of(text: &Text, limit: usize, total: u64) -> Shown {
    part(text, text.text.len() - cut(&text.text, limit).len(), total)
}

/// From a place of the text on.
fn part(text: &Text, start: usize, total: u64) -> Shown {
    let from = text.origin(start);
    Shown { text: text.text[start..].to_owned(), from, to: text.to, gap: None, total, page: None, binary: None }
}

fn both_ends(text: &Text, total: u64) -> Shown {
    let all = &text.text;
    let count = all.chars().count();
    if count <= FOREGROUND_LIMIT {
        return part(text, 0, total);
    }
    let head = whole_lines(&all[..place(all, HEAD_LIMIT)]).len();
    let tail = all.len() - from_line(&all[place(all, count - (FOREGROUND_LIMIT - HEAD_LIMIT))..]).len();
    gapped(&all[..head], &all[tail..], text.origin(0), (text.origin(head), text.origin(tail)), text.to, total)
}

fn around(head: &Text, tail: &Text, total: u64) -> Shown {
    let first = match head.text.char_indices().nth(HEAD_LIMIT) {
        Some((end, _)) => whole_lines(&head.text[..end]),
        None => &head.text,
    };
    let last = cut(&tail.text, FOREGROUND_LIMIT - HEAD_LIMIT);
    let end = if first.len() == head.text.len() { head.to } else { head.origin(first.len()) };
    let start = tail.origin(tail.text.len() - last.len());
    gapped(first, last, head.origin(0), (end, start), tail.to, total)
}

fn gapped(first: &str, last: &str, from: u64, gap: (u64, u64), to: u64, total: u64) -> Shown {
    let text =
        format!("{}\n{}\n{}", first.trim_end_matches('\n'), gap_words(gap, total), last.trim_start_matches('\n'));
    Shown { text, from, to, gap: Some(gap), total, page: None, binary: None }
}

fn gap_words((start, end): (u64, u64), total: u64) -> String {
    format!("[... bytes {start}-{end} of {total} are not shown here ...]")
}

/// Without a piece of a line at its end, if that is not most of it.
fn whole_lines(text: &str) -> &str {
    match text.rfind('\n') {
        Some(end) if end > text.len() / 2 => &text[..=end],
        _ => text,
    }
}

fn from_line(text: &str) -> &str {
    match text.split_once('\n') {
        Some((partial, lines)) if partial.len() < text.len() / 2 => lines,
        _ => text,
    }
}

/// The parts of an output with a line for each gap, so that no line is made of two halves.
fn join(texts: &[Text], total: u64) -> Text {
    let (text, track, edges) = (String::new(), Track::default(), Edges::default());
    let mut joined = Text { text, track, from: 0, to: 0, edges, found: Vec::new() };
    for text in texts {
        if joined.to < text.from {
            if !joined.text.is_empty() && !joined.text.ends_with('\n') {
                joined.text.push('\n');
            }
            joined.track.push(joined.text.len(), index(joined.to));
            if !joined.text.is_empty() {
                joined.text.push_str(&gap_words((joined.to, text.from), total));
                joined.text.push('\n');
            }
        }
        joined.track.append(joined.text.len(), &text.track, index(text.from));
        joined.text.push_str(&text.text);
        joined.to = text.to;
    }
    joined
}

fn page(text: &Text, offset: Option<u64>, limit: u64, total: u64) -> Shown {
    let lines: Vec<&str> = text.text.split_terminator('\n').collect();
    let count = lines.len() as u64;
    let first = offset.unwrap_or_else(|| count.saturating_sub(limit)).min(count);
    let end = first.saturating_add(limit).min(count);
    let length = |lines: &[&str]| lines.iter().map(|line| line.len() + 1).sum::<usize>();
    let start = length(&lines[..index(first)]).min(text.text.len());
    let stop = (start + length(&lines[index(first)..index(end)]).saturating_sub(1)).min(text.text.len());
    // A page of very long lines keeps its end.
    let shown = cut(&text.text[start..stop], FOREGROUND_LIMIT);
    let to = if end == count { text.to } else { text.origin(stop + 1) };
    Shown {
        text: shown.to_owned(),
        from: text.origin(stop - shown.len()).min(to),
        to,
        gap: None,
        total,
        page: Some(Page { first, end, total: count }),
        binary: None,
    }
}

fn place(text: &str, chars: usize) -> usize {
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}

fn index(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
