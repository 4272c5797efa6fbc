//! The one order in which output is made fit for a model: decode, replay, mask, cut.
//!
//! Masking comes before cutting everywhere: a cut first could leave half a secret that no longer
//! looks like one.

use crate::ansi::plain;
use crate::redact::{Scope, redact, redact_exact};

/// Characters of a finished command's output that a model reads by default.
pub const COMPLETION_LIMIT: usize = 2_000;
/// Characters of a foreground command's output that a model reads.
pub const FOREGROUND_LIMIT: usize = 50_000;
/// Percent of a foreground result that shows its beginning.
const HEAD_PERCENT: usize = 40;
/// The longest piece of a line that is given up at the border of a gap.
const PARTIAL_LINE: usize = 4_096;

/// What is masked besides the forms that are always known.
#[derive(Clone, Copy, Debug)]
pub struct Masking<'a> {
    /// How much doubt is enough.
    pub scope: Scope,
    /// Values that are secret whatever they look like.
    pub secrets: &'a [&'a str],
}

/// The end of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tail {
    /// What is shown.
    pub text: String,
    /// How many characters `text` has.
    pub shown: usize,
    /// How much is missing before it: characters that were cut and bytes that were never read.
    pub omitted: u64,
}

/// Makes the tail of a finished command's output. `raw` is the last part of `total` bytes and should be
/// several times `limit`, since cleaning shrinks it.
pub fn completion(raw: &[u8], total: u64, limit: usize, masking: Masking<'_>) -> Tail {
    let unread = total.saturating_sub(raw.len() as u64);
    let whole_lines = if unread > 0 { after_partial_line(raw) } else { raw };
    let dropped = (raw.len() - whole_lines.len()) as u64;
    let mut tail = cut(&clean(whole_lines, masking), limit);
    tail.omitted += unread + dropped;
    tail
}

/// The last `limit` characters of a text that is already clean, starting on a whole line if there is one.
pub fn cut(text: &str, limit: usize) -> Tail {
    let count = text.chars().count();
    if count <= limit {
        return Tail { text: text.to_owned(), shown: count, omitted: 0 };
    }
    let rest = skip_chars(text, count - limit);
    let rest = rest.split_once('\n').map_or(rest, |(_, lines)| lines);
    let shown = rest.chars().count();
    Tail { text: rest.to_owned(), shown, omitted: (count - shown) as u64 }
}

/// Makes a foreground result of `limit` characters: its beginning, a marker, its end. The raw parts
/// follow each other if nothing was `omitted` between them.
pub fn foreground(head: &[u8], tail: &[u8], omitted: u64, limit: usize, masking: Masking<'_>) -> String {
    let head_limit = limit / 100 * HEAD_PERCENT + limit % 100 * HEAD_PERCENT / 100;
    if omitted == 0 {
        let text = clean(&[head, tail].concat(), masking);
        let count = text.chars().count();
        if count <= limit {
            return text;
        }
        let first = first_chars(&text, head_limit);
        let last = skip_chars(&text, count - (limit - head_limit));
        return around_gap(first, &format!("{} characters", count - limit), last);
    }
    let whole_head = before_partial_line(head);
    let whole_tail = after_partial_line(tail);
    let dropped = (head.len() - whole_head.len() + tail.len() - whole_tail.len()) as u64;
    let first = clean(whole_head, masking);
    let last = cut(&clean(whole_tail, masking), limit - head_limit);
    let gap = omitted + dropped + last.omitted + first.chars().count().saturating_sub(head_limit) as u64;
    around_gap(first_chars(&first, head_limit), &format!("about {gap} bytes"), &last.text)
}

/// The last line that has something on it, without blanks around it.
pub fn last_line(text: &str) -> &str {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("")
}

fn clean(raw: &[u8], masking: Masking<'_>) -> String {
    let text = plain(raw);
    let known = redact_exact(&text, masking.secrets);
    redact(&known, masking.scope).into_owned()
}

fn around_gap(first: &str, missing: &str, last: &str) -> String {
    format!("{}\n[... {missing} left out here ...]\n{}", first.trim_end_matches('\n'), last.trim_start_matches('\n'))
}

fn first_chars(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(at, _)| &text[..at])
}

fn skip_chars(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or("", |(at, _)| &text[at..])
}

fn after_partial_line(raw: &[u8]) -> &[u8] {
    match raw.iter().take(PARTIAL_LINE).position(|byte| *byte == b'\n') {
        Some(end) => &raw[end + 1..],
        None => raw,
    }
}

fn before_partial_line(raw: &[u8]) -> &[u8] {
    match raw.iter().rev().take(PARTIAL_LINE).position(|byte| *byte == b'\n') {
        Some(partial) => &raw[..raw.len() - partial],
        None => raw,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MASKING: Masking<'_> = Masking { scope: Scope::Command, secrets: &["correct horse"] };

    fn tail(raw: &str, limit: usize) -> Tail {
        completion(raw.as_bytes(), raw.len() as u64, limit, MASKING)
    }

    #[test]
    fn a_text_of_the_limit_is_whole_and_one_more_is_cut_on_a_line() {
        let exact = format!("first\n{}", "x".repeat(1_994));
        assert_eq!(tail(&exact, 2_000), Tail { text: exact.clone(), shown: 2_000, omitted: 0 });
        let more = format!("{exact}y");
        assert_eq!(tail(&more, 2_000), Tail { text: more[6..].to_owned(), shown: 1_995, omitted: 6 });
        let long = "z".repeat(2_001);
        assert_eq!(tail(&long, 2_000), Tail { text: long[1..].to_owned(), shown: 2_000, omitted: 1 });
    }

    #[test]
    fn a_secret_across_the_cut_is_masked() {
        let token = format!("ghp_{}", "a1".repeat(18));
        for shift in 0..45 {
            let text = format!("{token} {}", "x".repeat(shift));
            let shown = tail(&text, 40);
            assert!(!shown.text.contains("a1a1a1a1"), "{shown:?}");
        }
        assert_eq!(tail("the correct horse", 100).text, "the ***");
    }

    #[test]
    fn progress_takes_no_room_and_sequences_are_not_split() {
        let bar: String = (0..500).map(|step| format!("\rstep {step:3} \u{1b}[32m====\u{1b}[0m")).collect();
        assert_eq!(tail(&format!("start{bar}\ndone"), 30).text, "step 499 ====\ndone");
    }

    #[test]
    fn what_was_never_read_is_counted() {
        let shown = completion(b"rtial\nwhole\n", 112, 100, MASKING);
        assert_eq!(shown, Tail { text: "whole\n".to_owned(), shown: 6, omitted: 106 });
    }

    #[test]
    fn a_foreground_result_keeps_both_ends() {
        assert_eq!(foreground(b"one\ntw", b"o\n", 0, 100, MASKING), "one\ntwo\n");
        let text = format!("{}{}", "a".repeat(60), "b".repeat(60));
        let shown = foreground(text.as_bytes(), b"", 0, 100, MASKING);
        assert_eq!(shown, format!("{}\n[... 20 characters left out here ...]\n{}", "a".repeat(40), "b".repeat(60)));
        let gapped = foreground(b"start\npart", b"ial\nend\n", 1_000, 100, MASKING);
        assert_eq!(gapped, "start\n[... about 1008 bytes left out here ...]\nend\n");
    }

    #[test]
    fn the_last_line_with_words_is_found() {
        for (text, expect) in [("a\n b \n\n  \n", "b"), ("", ""), ("\n\n", ""), ("one", "one")] {
            assert_eq!(last_line(text), expect);
        }
    }

    #[test]
    fn a_recorded_terminal_session_reads_as_a_person_saw_it() {
        let shown = tail(include_str!("../tests/fixtures/progress.log"), 2_000).text;
        let lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
        for line in [
            "Downloading [#########################] 100%",
            "second",
            "shortr text",
            "spinner done",
            "green bold plain",
            "after-title",
            "link text tail",
            "charset",
            "last line without newline",
        ] {
            assert!(lines.contains(&line), "{line}: {shown}");
        }
        assert_eq!(lines.iter().filter(|line| line.starts_with("Downloading")).count(), 1);
        assert!(!shown.contains(['\u{1b}', '\u{7}']) && !shown.contains("window title") && !shown.contains("[?25l"));
    }

    proptest! {
        #[test]
        fn never_more_than_the_limit(raw in proptest::collection::vec(any::<u8>(), 0..600), limit in 0usize..200) {
            let shown = completion(&raw, raw.len() as u64 + 7, limit, MASKING);
            prop_assert_eq!(shown.text.chars().count(), shown.shown);
            prop_assert!(shown.shown <= limit);
            foreground(&raw, &raw, 3, limit, MASKING);
        }
    }
}
