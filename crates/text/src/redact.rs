//! Secrets masked in text.
//!
//! Every class of secret is found by one of four hand-written scanners: vendor prefixes, key and value
//! pairs, addresses, and fixed shapes. Each reads the text once and looks back and ahead by a bounded
//! amount, so hostile output costs linear time. They only report spans; the text is rebuilt once, and
//! not at all when nothing was found.

use std::borrow::Cow;

use crate::output::Track;

mod address;
mod exact;
mod key;
mod pair;
mod piece;
mod reveal;
mod shape;
mod vendor;

pub use reveal::reveals_secrets;

/// Where the text comes from or goes to; it decides how much doubt is enough to mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Output of an ordinary command: assignments are code (`MAX_TOKENS=100`) and stay.
    Command,
    /// Output of a command that shows the environment or a file of secrets: assignments are masked.
    Revealing,
    /// Text that leaves to people or into durable files: also query parameters, form bodies, passwords
    /// in web addresses and bare bearer tokens.
    Egress,
}

/// Stands for a text that could not be searched; a text that might hold secrets is never passed on.
pub const UNAVAILABLE: &str = "[text withheld: it could not be searched for secrets]";

/// What is missing around a text that is part of a longer one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edges {
    /// Something stood before it.
    pub cut_before: bool,
    /// Something follows, or may.
    pub open_after: bool,
}

/// Masks every secret that is known by its form. Masks are left alone when a text is searched again.
pub fn redact(text: &str, scope: Scope) -> Cow<'_, str> {
    let mut spans = Spans::default();
    if by_form(text, scope, Edges::default(), &mut spans) { spans.apply(text).0 } else { Cow::Borrowed(UNAVAILABLE) }
}

/// Masks the given values wherever they appear, whatever they look like.
pub fn redact_exact<'t>(text: &'t str, secrets: &[&str]) -> Cow<'t, str> {
    let mut spans = Spans::default();
    if exact::scan(text, secrets, Edges::default(), &mut spans) {
        spans.apply(text).0
    } else {
        Cow::Borrowed(UNAVAILABLE)
    }
}

/// What is masked in a text, and what is known about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Masking<'a> {
    /// How much doubt is enough.
    pub scope: Scope,
    /// Values that are secret whatever they look like.
    pub secrets: &'a [&'a str],
    /// What is missing around it.
    pub edges: Edges,
}

/// Masks by value and by form, and every piece of what was `found` elsewhere; says where each place comes from.
pub(crate) fn traced<'t>(text: &'t str, masking: Masking<'_>, found: &[String]) -> (Cow<'t, str>, Track) {
    let mut spans = Spans::default();
    piece::scan(text, found, &mut spans);
    if all(text, masking, &mut spans) { spans.apply(text) } else { (Cow::Borrowed(UNAVAILABLE), Track::default()) }
}

/// The secrets of a text, as they stand there.
pub(crate) fn find(text: &str, masking: Masking<'_>) -> Vec<String> {
    let mut spans = Spans::default();
    // What cannot be searched here cannot be searched later either, and is withheld then.
    all(text, masking, &mut spans);
    spans.0.iter().filter_map(|span| text.get(span.start..span.end)).map(str::to_owned).collect()
}

fn all(text: &str, masking: Masking<'_>, spans: &mut Spans) -> bool {
    exact::scan(text, masking.secrets, masking.edges, spans) && by_form(text, masking.scope, masking.edges, spans)
}

/// False if the search itself is impossible.
fn by_form(text: &str, scope: Scope, edges: Edges, spans: &mut Spans) -> bool {
    shape::scan(text, scope, edges, spans);
    address::scan(text, scope, spans);
    pair::scan(text, scope, spans);
    vendor::scan(text, scope, edges, spans)
}

/// How a span is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// Ends kept when the secret is long enough to spare them.
    Ends,
    /// Nothing of it is shown.
    Hidden,
    /// A telephone number: country and last digits are kept.
    Phone,
    /// A whole private key.
    Key,
}

impl Style {
    fn write(self, secret: &str, out: &mut String) {
        match self {
            Self::Ends => out.push_str(&mask(secret)),
            Self::Hidden => out.push_str("***"),
            Self::Phone => {
                out.push_str(&secret[..3]);
                out.push_str("***");
                out.push_str(&secret[secret.len() - 2..]);
            }
            Self::Key => out.push_str("[private key hidden]"),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    end: usize,
    style: Style,
}

/// What the scanners found, in any order and possibly overlapping.
#[derive(Default)]
struct Spans(Vec<Span>);

impl Spans {
    fn push(&mut self, start: usize, end: usize, style: Style) {
        if start < end {
            self.0.push(Span { start, end, style });
        }
    }

    fn apply(mut self, text: &str) -> (Cow<'_, str>, Track) {
        let mut track = Track::default();
        if self.0.is_empty() {
            return (Cow::Borrowed(text), track);
        }
        self.0.sort_by_key(|span| (span.start, usize::MAX - span.end));
        let mut merged: Vec<Span> = Vec::with_capacity(self.0.len());
        for span in self.0 {
            match merged.last_mut() {
                Some(last) if span.end <= last.end => {}
                Some(last) if span.start < last.end => {
                    *last = Span { start: last.start, end: span.end, style: Style::Hidden }
                }
                _ => merged.push(span),
            }
        }
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for span in merged {
            out.push_str(&text[done..span.start]);
            track.push(out.len(), span.start);
            span.style.write(&text[span.start..span.end], &mut out);
            track.push(out.len(), span.end);
            done = span.end;
        }
        out.push_str(&text[done..]);
        (Cow::Owned(out), track)
    }
}

const SPARED_FROM: usize = 18;

fn mask(secret: &str) -> String {
    let count = secret.chars().count();
    if count < SPARED_FROM {
        return "***".to_owned();
    }
    let head = secret.chars().take(6);
    let tail = secret.chars().skip(count - 4);
    head.chain("...".chars()).chain(tail).collect()
}

/// A mask is not a secret: text is searched once at each border it crosses.
fn is_masked(value: &str) -> bool {
    value == "***" || (value.chars().count() == 13 && value.chars().skip(6).take(3).all(|ch| ch == '.'))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a token may start at `at`: not inside a word, except after an escape such as `\n` or `%3D`.
fn starts_token(bytes: &[u8], at: usize) -> bool {
    match &bytes[..at] {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
        [.., before] => !is_word(*before),
        [] => true,
    }
}

/// The end of the run of bytes from `start` that belong together.
fn run_end(bytes: &[u8], start: usize, belongs: impl Fn(u8) -> bool) -> usize {
    start + bytes[start..].iter().take_while(|byte| belongs(**byte)).count()
}

/// The start of the run of bytes before `end` that belong together, at most `limit` of them.
fn run_start(bytes: &[u8], end: usize, limit: usize, belongs: impl Fn(u8) -> bool) -> usize {
    end - bytes[..end].iter().rev().take(limit).take_while(|byte| belongs(**byte)).count()
}

#[cfg(test)]
mod tests;
