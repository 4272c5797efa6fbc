//! Secrets known by their shape alone: private keys, two token forms, telephone numbers.

use super::{Edges, Scope, Spans, Style, is_word, run_end, run_start, starts_token};

pub(super) fn scan(text: &str, scope: Scope, edges: Edges, spans: &mut Spans) {
    if edges.cut_before {
        middle_of_key(text, spans);
    }
    private_keys(text, spans);
    for (at, found) in text.match_indices(['.', ':', '+']) {
        match found {
            "." => hex_and_tail(text, at, spans),
            ":" => bot_token(text, at, spans),
            _ => phone(text, at, scope, spans),
        }
    }
}

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const LABEL: &str = "PRIVATE KEY";
/// The longest label in use is far shorter.
const LABEL_WINDOW: usize = 64;

/// The lines of keys are so long, and those of other things are not.
const KEY_WIDTHS: [usize; 2] = [64, 70];
const LEAST_KEY_LINES: usize = 2;

/// Masks from the first line of a key to its last; a key without an end reaches to the end of the text,
/// a key without a beginning back over its lines.
fn private_keys(text: &str, spans: &mut Spans) {
    let mut at = 0;
    while let Some(found) = text[at..].find("-----") {
        let start = at + found;
        let rest = &text[start..];
        if rest.starts_with(BEGIN) && has_label(&rest[BEGIN.len()..]) {
            let end = key_end(text, start + BEGIN.len());
            spans.push(start, end, Style::Key);
            at = end;
        } else if rest.starts_with(END) && has_label(&rest[END.len()..]) {
            let end = marker_end(text, start + END.len());
            spans.push(key_lines_before(text, at, start), end, Style::Key);
            at = end;
        } else {
            at = start + 1;
        }
    }
}

/// A text that begins in the middle of something may begin in the middle of a key.
fn middle_of_key(text: &str, spans: &mut Spans) {
    let is_line = |line: &&str| {
        let words = line.trim_end();
        KEY_WIDTHS.contains(&words.len()) && words.bytes().all(is_base64)
    };
    let lines: Vec<&str> = text.split_inclusive('\n').take_while(is_line).collect();
    if lines.len() < LEAST_KEY_LINES {
        return;
    }
    let end = lines.iter().map(|line| line.len()).sum();
    let last = text[end..].split('\n').next().unwrap_or_default().trim_end();
    let last = if last.bytes().all(is_base64) { last.len() } else { 0 };
    spans.push(0, (end + last).min(text.len()), Style::Key);
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

fn has_label(rest: &str) -> bool {
    let window = &rest.as_bytes()[..rest.len().min(LABEL_WINDOW)];
    let label =
        &window[..run_end(window, 0, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ')];
    label.windows(LABEL.len()).any(|part| part == LABEL.as_bytes())
}

fn key_end(text: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(found) = text[at..].find(END) {
        at += found + END.len();
        if has_label(&text[at..]) {
            return marker_end(text, at);
        }
    }
    text.len()
}

fn marker_end(text: &str, label: usize) -> usize {
    let end =
        run_end(text.as_bytes(), label, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    run_end(text.as_bytes(), end, |byte| byte == b'-')
}

fn key_lines_before(text: &str, floor: usize, end: usize) -> usize {
    let mut start = end;
    for line in text[floor..end].split_inclusive('\n').rev() {
        let trimmed = line.trim();
        let base64 = trimmed.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
        if trimmed.len() > 100 || !base64 {
            break;
        }
        start -= line.len();
    }
    start
}

/// `<32 hex digits>.<16 or more letters and digits>`
fn hex_and_tail(text: &str, dot: usize, spans: &mut Spans) {
    let bytes = text.as_bytes();
    let start = run_start(bytes, dot, 33, |byte| byte.is_ascii_hexdigit());
    if dot - start != 32 || !starts_token(bytes, start) {
        return;
    }
    let end = run_end(bytes, dot + 1, |byte| byte.is_ascii_alphanumeric());
    if end - dot > 16 {
        spans.push(start, end, Style::Ends);
    }
}

/// `<8 or more digits>:<30 or more>`; the digits name the bot and stay.
fn bot_token(text: &str, colon: usize, spans: &mut Spans) {
    let bytes = text.as_bytes();
    let start = run_start(bytes, colon, 20, |byte| byte.is_ascii_digit());
    let named = bytes[..start].last_chunk::<3>().is_some_and(|before| before.eq_ignore_ascii_case(b"bot"));
    if colon - start < 8 || !(named || starts_token(bytes, start)) {
        return;
    }
    let end = run_end(bytes, colon + 1, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if end - colon > 30 {
        spans.push(colon + 1, end, Style::Ends);
    }
}

/// `+` and 7 to 15 digits. A line of ordinary output that starts so is an added line of a diff.
fn phone(text: &str, plus: usize, scope: Scope, spans: &mut Spans) {
    let bytes = text.as_bytes();
    let before = bytes[..plus].last().copied();
    if before.is_some_and(|byte| is_word(byte) || matches!(byte, b'+' | b'.')) {
        return;
    }
    if scope != Scope::Egress && matches!(before, None | Some(b'\n')) {
        return;
    }
    let window = &bytes[plus + 1..bytes.len().min(plus + 18)];
    let digits = run_end(window, 0, |byte| byte.is_ascii_digit());
    let after = window.get(digits).copied();
    let fits = (7..=15).contains(&digits) && window.first() != Some(&b'0');
    if fits && !after.is_some_and(is_word) {
        spans.push(plus, plus + 1 + digits, Style::Phone);
    }
}
