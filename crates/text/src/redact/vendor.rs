//! Tokens that carry their vendor's prefix, whole or interrupted.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::{Edges, Scope, Spans, Style, is_masked, starts_token};
use crate::ansi::{is_invisible, sequence_at};

/// What may follow a prefix.
#[derive(Clone, Copy)]
enum Body {
    Alnum,
    Caps,
    Dash,
    Dotted,
    Base64,
}

impl Body {
    fn holds(self, byte: u8) -> bool {
        match self {
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Caps => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Dash => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'~' | b'+' | b'/' | b'=')
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Length alone decides.
    Any,
    /// At least one digit, for prefixes that also begin ordinary names.
    Digit,
    /// Exactly the least length.
    Exact,
    /// Only where text leaves, and the prefix itself stays.
    Bearer,
}

struct Vendor {
    prefix: &'static str,
    least: usize,
    body: Body,
    rule: Rule,
}

const fn vendor(prefix: &'static str, least: usize, body: Body, rule: Rule) -> Vendor {
    Vendor { prefix, least, body, rule }
}

static VENDORS: &[Vendor] = &[
    // OpenAI, Anthropic, OpenRouter, Langfuse secret keys
    vendor("sk-", 10, Body::Dotted, Rule::Any),
    // GitHub
    vendor("ghp_", 10, Body::Dash, Rule::Any),
    vendor("gho_", 10, Body::Dash, Rule::Any),
    vendor("ghu_", 10, Body::Dash, Rule::Any),
    vendor("ghs_", 10, Body::Dotted, Rule::Any),
    vendor("ghr_", 10, Body::Dash, Rule::Any),
    vendor("github_pat_", 10, Body::Dash, Rule::Any),
    // GitLab
    vendor("glpat-", 10, Body::Dotted, Rule::Any),
    vendor("gloas-", 10, Body::Dotted, Rule::Any),
    vendor("gldt-", 10, Body::Dotted, Rule::Any),
    vendor("glrt-", 10, Body::Dotted, Rule::Any),
    vendor("glrtr-", 10, Body::Dotted, Rule::Any),
    vendor("glcbt-", 10, Body::Dotted, Rule::Any),
    vendor("glptt-", 10, Body::Dotted, Rule::Any),
    vendor("glft-", 10, Body::Dotted, Rule::Any),
    vendor("glimt-", 10, Body::Dotted, Rule::Any),
    vendor("glagent-", 10, Body::Dotted, Rule::Any),
    vendor("glsoat-", 10, Body::Dotted, Rule::Any),
    vendor("glffct-", 10, Body::Dotted, Rule::Any),
    vendor("glwt-", 10, Body::Dotted, Rule::Any),
    vendor("GR1348941", 10, Body::Dash, Rule::Any),
    // Slack
    vendor("xoxb-", 10, Body::Dash, Rule::Any),
    vendor("xoxa-", 10, Body::Dash, Rule::Any),
    vendor("xoxp-", 10, Body::Dash, Rule::Any),
    vendor("xoxr-", 10, Body::Dash, Rule::Any),
    vendor("xoxs-", 10, Body::Dash, Rule::Any),
    vendor("xapp-", 10, Body::Dash, Rule::Digit),
    // Google, AWS, Stripe
    vendor("AIza", 30, Body::Dash, Rule::Any),
    vendor("AKIA", 16, Body::Caps, Rule::Exact),
    vendor("ASIA", 16, Body::Caps, Rule::Exact),
    vendor("sk_live_", 10, Body::Alnum, Rule::Any),
    vendor("sk_test_", 10, Body::Alnum, Rule::Any),
    vendor("rk_live_", 10, Body::Alnum, Rule::Any),
    // Mail, build and package services
    vendor("SG.", 10, Body::Dotted, Rule::Digit),
    vendor("npm_", 10, Body::Alnum, Rule::Digit),
    vendor("pypi-", 10, Body::Dash, Rule::Digit),
    vendor("dop_v1_", 10, Body::Alnum, Rule::Any),
    vendor("doo_v1_", 10, Body::Alnum, Rule::Any),
    vendor("hf_", 10, Body::Alnum, Rule::Digit),
    vendor("r8_", 10, Body::Alnum, Rule::Digit),
    // AI services
    vendor("pplx-", 10, Body::Alnum, Rule::Digit),
    vendor("gsk_", 10, Body::Alnum, Rule::Digit),
    vendor("xai-", 30, Body::Dash, Rule::Any),
    vendor("fw-", 30, Body::Dash, Rule::Digit),
    vendor("fw_", 30, Body::Alnum, Rule::Digit),
    vendor("fpk_", 30, Body::Alnum, Rule::Any),
    vendor("fal_", 10, Body::Dash, Rule::Digit),
    vendor("fc-", 10, Body::Alnum, Rule::Digit),
    vendor("tvly-", 10, Body::Dash, Rule::Digit),
    vendor("exa_", 10, Body::Dash, Rule::Digit),
    vendor("sk_", 10, Body::Alnum, Rule::Digit),
    vendor("mem0_", 10, Body::Alnum, Rule::Digit),
    vendor("hsk-", 10, Body::Dash, Rule::Digit),
    vendor("brv_", 10, Body::Dash, Rule::Digit),
    vendor("retaindb_", 10, Body::Alnum, Rule::Digit),
    vendor("am_", 20, Body::Alnum, Rule::Digit),
    vendor("bb_live_", 10, Body::Dash, Rule::Any),
    vendor("pk-lf-", 10, Body::Dash, Rule::Any),
    vendor("gAAAA", 20, Body::Base64, Rule::Any),
    // Others
    vendor("syt_", 10, Body::Dash, Rule::Any),
    vendor("ntn_", 10, Body::Alnum, Rule::Digit),
    vendor("eyJ", 10, Body::Dotted, Rule::Any),
    vendor("Bearer ", 20, Body::Base64, Rule::Bearer),
    vendor("bearer ", 20, Body::Base64, Rule::Bearer),
    vendor("BEARER ", 20, Body::Base64, Rule::Bearer),
];

static PREFIXES: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(VENDORS.iter().map(|vendor| vendor.prefix)).ok());

/// Reports tokens; false if the search itself is impossible.
pub(super) fn scan(text: &str, scope: Scope, edges: Edges, spans: &mut Spans) -> bool {
    let Some(search) = PREFIXES.as_ref() else { return false };
    let bytes = text.as_bytes();
    each_candidate(search, bytes, scope, |hit| {
        // The rest of a token at an open end may be on its way.
        let unfinished = edges.open_after && hit.end == bytes.len() && hit.end > hit.body;
        if starts_token(bytes, hit.start) && (unfinished || hit.is_secret(text, hit.end)) {
            spans.push(hit.shown, hit.end, Style::Ends);
        }
    });
    if let Some(joined) = Joined::of(text) {
        let bytes = joined.text.as_bytes();
        each_candidate(search, bytes, scope, |hit| joined.report(&hit, spans));
    }
    true
}

/// A prefix and the run of possible token characters after it.
struct Candidate {
    vendor: &'static Vendor,
    /// Where the prefix starts.
    start: usize,
    /// Where the mask starts.
    shown: usize,
    /// Where what follows the prefix starts.
    body: usize,
    end: usize,
}

impl Candidate {
    fn is_secret(&self, text: &str, end: usize) -> bool {
        let body = text.get(self.body..end).unwrap_or_default();
        if body.len() < self.vendor.least || is_masked(&text[self.shown..end]) {
            return false;
        }
        match self.vendor.rule {
            Rule::Any | Rule::Bearer => true,
            Rule::Digit => body.bytes().any(|byte| byte.is_ascii_digit()),
            Rule::Exact => body.len() == self.vendor.least,
        }
    }
}

/// Calls back for each prefix. A prefix inside the run of an earlier one of the same vendor cannot be a
/// secret where that one was not, so each run is read once per vendor.
fn each_candidate(search: &AhoCorasick, bytes: &[u8], scope: Scope, mut report: impl FnMut(Candidate)) {
    let mut read = vec![0; VENDORS.len()];
    for hit in search.find_overlapping_iter(bytes) {
        let index = hit.pattern().as_usize();
        let vendor = &VENDORS[index];
        let bearer = vendor.rule == Rule::Bearer;
        if hit.start() < read[index] || (bearer && scope != Scope::Egress) {
            continue;
        }
        let mut end = super::run_end(bytes, hit.end(), |byte| vendor.body.holds(byte));
        read[index] = end;
        while end > hit.end() && bytes[end - 1] == b'.' {
            end -= 1;
        }
        let shown = if bearer { hit.end() } else { hit.start() };
        report(Candidate { vendor, start: hit.start(), shown, body: hit.end(), end });
    }
}

/// A text without the characters that could hide a token: invisible ones, escape sequences and line ends.
struct Joined {
    text: String,
    cuts: Vec<Cut>,
}

struct Cut {
    joined: usize,
    original: usize,
    line_end: bool,
}

impl Joined {
    fn of(text: &str) -> Option<Self> {
        let mut joined = Self { text: String::new(), cuts: Vec::new() };
        let mut kept = 0;
        while let Some(found) = text[kept..].find(|ch| ch == '\n' || is_invisible(ch)) {
            let at = kept + found;
            let rest = &text[at..];
            let one = rest.chars().next().map_or(1, char::len_utf8);
            let len = sequence_at(rest).unwrap_or(one);
            joined.text.push_str(&text[kept..at]);
            kept = at + len;
            joined.cuts.push(Cut { joined: joined.text.len(), original: kept, line_end: rest.starts_with('\n') });
        }
        if joined.cuts.is_empty() {
            return None;
        }
        joined.text.push_str(&text[kept..]);
        Some(joined)
    }

    /// Reports a token that something interrupts, or that starts right behind an interruption.
    fn report(&self, hit: &Candidate, spans: &mut Spans) {
        let first = self.cuts.partition_point(|cut| cut.joined < hit.start);
        let inside = self.cuts.partition_point(|cut| cut.joined <= hit.start);
        let last = self.cuts.partition_point(|cut| cut.joined < hit.end);
        let after_cut = first < inside;
        if hit.vendor.rule == Rule::Bearer {
            return;
        }
        if !after_cut && (inside == last || !starts_token(self.text.as_bytes(), hit.start)) {
            return;
        }
        let end = self.real_end(hit, &self.cuts[inside..last]);
        if hit.is_secret(&self.text, end) {
            spans.push(self.original(hit.shown), self.original(end - 1) + 1, Style::Ends);
        }
    }

    /// A line end inside a token is a wrap only if what follows looks like more of it.
    fn real_end(&self, hit: &Candidate, inside: &[Cut]) -> usize {
        let mut breaks = inside.iter().filter(|cut| cut.line_end).map(|cut| cut.joined).peekable();
        while let Some(at) = breaks.next() {
            let piece = &self.text.as_bytes()[at..breaks.peek().copied().unwrap_or(hit.end)];
            let digit = piece.iter().any(u8::is_ascii_digit);
            let letter = piece.iter().any(u8::is_ascii_alphabetic);
            let unfinished = at < hit.body + hit.vendor.least;
            let sentence = self.text[..at].ends_with('.');
            if sentence || !(digit && (letter || unfinished)) {
                return at;
            }
        }
        hit.end
    }

    fn original(&self, joined: usize) -> usize {
        match self.cuts.partition_point(|cut| cut.joined <= joined).checked_sub(1) {
            Some(index) => self.cuts[index].original + (joined - self.cuts[index].joined),
            None => joined,
        }
    }
}
