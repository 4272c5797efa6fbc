//! Names followed by values: assignments, configuration, JSON, headers, query parameters.

use super::key::{self, Kind, Place};
use super::{Scope, Spans, Style, run_end, run_start};

/// The longest name looked at, and how much of a value decides whether it is a secret. Both bound the
/// work per separator.
const NAME_LIMIT: usize = 128;
const VALUE_WINDOW: usize = 256;

/// Schemes followed by one token, and schemes whose quoted parameters fill the line.
const ONE_PART: &[&str] = &["bearer", "basic", "token", "bot", "apikey", "negotiate", "ntlm"];
const MANY_PARTS: &[&str] = &["digest", "oauth", "hawk", "signature", "aws4-hmac-sha256"];

pub(super) fn scan(text: &str, scope: Scope, spans: &mut Spans) {
    let form = scope == Scope::Egress && is_form(text);
    let mut masked = 0;
    for (at, separator) in text.match_indices(['=', ':']) {
        if at < masked {
            continue;
        }
        let Some(name) = Name::before(text, at) else { continue };
        let pair = Pair { text, name, at, equals: separator == "=", scope, form };
        if let Some((start, end)) = pair.secret() {
            spans.push(start, end, Style::Ends);
            masked = end;
        }
    }
}

/// `a=b&c=d` and nothing else.
fn is_form(text: &str) -> bool {
    let body = text.trim();
    body.contains('&')
        && !body.bytes().any(|byte| byte.is_ascii_whitespace())
        && body
            .split('&')
            .all(|part| part.split_once('=').is_some_and(|(name, _)| !name.is_empty() && !name.contains(['/', ':'])))
}

struct Name<'t> {
    text: &'t str,
    start: usize,
    quoted: bool,
    spaced: bool,
}

impl<'t> Name<'t> {
    fn before(text: &'t str, at: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut end = run_start(bytes, at, 8, |byte| matches!(byte, b' ' | b'\t'));
        let spaced = end < at;
        let quote = bytes[..end].last().copied().filter(|byte| matches!(byte, b'"' | b'\''));
        if quote.is_some() {
            end = run_start(bytes, end - 1, 4, |byte| byte == b'\\');
        }
        let start = run_start(bytes, end, NAME_LIMIT, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
        });
        if start == end || (quote.is_some() && bytes[..start].last().copied() != quote) {
            return None;
        }
        Some(Self { text: &text[start..end], start, quoted: quote.is_some(), spaced })
    }
}

struct Pair<'t> {
    text: &'t str,
    name: Name<'t>,
    at: usize,
    equals: bool,
    scope: Scope,
    form: bool,
}

impl Pair<'_> {
    /// The range to mask, if this pair holds a secret.
    fn secret(&self) -> Option<(usize, usize)> {
        if !self.equals
            && let Some(kind) = key::header(self.name.text)
        {
            return self.header(kind);
        }
        if self.equals && self.in_query() {
            let asked = key::query(self.name.text) || (self.form && self.field().is_some());
            return if asked && self.scope == Scope::Egress {
                self.value(Until::Parameter, Kind::Credential, false)
            } else {
                None
            };
        }
        let kind = self.field()?;
        if kind == Kind::Named {
            return self.value(Until::Word, kind, false);
        }
        if self.name.quoted {
            return if self.opens_quote() { self.value(Until::Word, kind, self.scope == Scope::Command) } else { None };
        }
        if self.scope == Scope::Command {
            return None;
        }
        let at_line_start = self.starts_line();
        if !self.equals {
            let yaml = at_line_start && self.text[self.at + 1..].starts_with([' ', '\t']);
            return if yaml { self.value(Until::Comment, kind, false) } else { None };
        }
        let until = match (self.scope == Scope::Revealing && at_line_start, kind) {
            (true, _) => Until::Line,
            (false, Kind::Password) => Until::Blank,
            (false, _) => Until::Word,
        };
        self.value(until, kind, false)
    }

    fn field(&self) -> Option<Kind> {
        let shouted = !self.name.text.bytes().any(|byte| byte.is_ascii_lowercase());
        let place = if shouted && !self.name.quoted { Place::Anywhere } else { Place::End };
        key::field(self.name.text, place)
    }

    /// Whether the name stands where a parameter of an address or of a form body does.
    fn in_query(&self) -> bool {
        match &self.text.as_bytes()[..self.name.start] {
            [] => self.form,
            [.., b'&', b'&'] => false,
            [.., b'?' | b'&'] => true,
            _ => self.form,
        }
    }

    /// Whether only an indent, a list dash, `export`, or the gutter of a listing precedes the name.
    fn starts_line(&self) -> bool {
        let bytes = self.text.as_bytes();
        let line = run_start(bytes, self.name.start, VALUE_WINDOW, |byte| byte != b'\n');
        let lead = self.text.get(line..self.name.start).unwrap_or("?").trim_end();
        let lead = lead.strip_suffix("export").or_else(|| lead.strip_suffix("declare -x")).unwrap_or(lead).trim_end();
        let digits_only = lead.trim_start().bytes().all(|byte| byte.is_ascii_digit());
        digits_only || lead.ends_with([':', '-', '|', '>', '+', '{'])
    }

    fn opens_quote(&self) -> bool {
        let start = self.value_start();
        let bytes = self.text.as_bytes();
        let quote = run_end(bytes, start, |byte| byte == b'\\');
        matches!(bytes.get(quote), Some(b'"' | b'\''))
    }

    fn value_start(&self) -> usize {
        let bytes = self.text.as_bytes();
        let arrow = usize::from(self.equals && bytes.get(self.at + 1) == Some(&b'>'));
        let start = self.at + 1 + arrow;
        let may_space = !self.equals || self.name.spaced || self.name.quoted;
        if may_space { run_end(bytes, start, |byte| matches!(byte, b' ' | b'\t')) } else { start }
    }

    fn value(&self, until: Until, kind: Kind, doubtful: bool) -> Option<(usize, usize)> {
        let start = self.value_start();
        let variable = kind != Kind::Password && self.text[start..].starts_with('$');
        if variable || (self.equals && self.text[self.at + 1..].starts_with('=')) {
            return None;
        }
        let value = Value::at(self.text, start, until);
        key::is_secret(value.window, kind, doubtful).then(|| (value.start, value.end()))
    }

    fn header(&self, kind: Kind) -> Option<(usize, usize)> {
        let value = Value::at(self.text, self.value_start(), Until::Header);
        if kind == Kind::Header {
            let (word, _) = value.window.split_once([' ', '\t']).unwrap_or((value.window, ""));
            let end = if word.len() < value.window.len() { value.start + word.len() } else { value.end() };
            return key::is_secret(word, Kind::Credential, false).then_some((value.start, end));
        }
        let Some((scheme, rest)) = value.window.split_once(' ') else {
            return key::is_secret(value.window, Kind::Credential, false).then(|| (value.start, value.end()));
        };
        let rest = rest.trim_start();
        let start = value.start + (value.window.len() - rest.len());
        let (first, more) = rest.split_once(' ').unwrap_or((rest, ""));
        if !key::is_secret(first, Kind::Credential, false) {
            return None;
        }
        let is = |names: &[&str]| names.iter().any(|name| scheme.eq_ignore_ascii_case(name));
        if is(MANY_PARTS) {
            return Some((start, Value::at(self.text, start, Until::Line).end()));
        }
        Some((start, if is(ONE_PART) && !more.is_empty() { start + first.len() } else { value.end() }))
    }
}

/// Where an unquoted value ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    Blank,
    Word,
    Line,
    Comment,
    Parameter,
    Header,
}

impl Until {
    fn ends(self, byte: u8) -> bool {
        if byte == b'\n' || byte == b'\r' {
            return true;
        }
        match self {
            Self::Line => false,
            Self::Comment => byte == b'#',
            Self::Blank => byte.is_ascii_whitespace() || b"\"'`".contains(&byte),
            Self::Word => byte.is_ascii_whitespace() || b"\"'`;&|<>),}".contains(&byte),
            Self::Parameter => byte.is_ascii_whitespace() || b"\"'`&#<>".contains(&byte),
            Self::Header => b"\"'\\<>".contains(&byte),
        }
    }
}

/// A value and the part of it that is enough to judge it.
struct Value<'t> {
    text: &'t str,
    start: usize,
    window: &'t str,
    /// The closing quote with its backslashes, or nothing.
    closing: &'t str,
    until: Until,
}

impl<'t> Value<'t> {
    fn at(text: &'t str, from: usize, until: Until) -> Self {
        let bytes = text.as_bytes();
        let quote = run_end(bytes, from, |byte| byte == b'\\');
        let quoted = matches!(bytes.get(quote), Some(b'"' | b'\'')) && quote - from <= 4;
        let start = if quoted { quote + 1 } else { from };
        let mut value = Self { text, start, window: "", closing: if quoted { &text[from..start] } else { "" }, until };
        let limit = text.floor_char_boundary(start + VALUE_WINDOW);
        value.window = text[start..value.end_within(limit)].trim_end();
        value
    }

    fn end(&self) -> usize {
        if self.window.len() + 4 < VALUE_WINDOW {
            self.start + self.window.len()
        } else {
            self.end_within(self.text.len())
        }
    }

    fn end_within(&self, limit: usize) -> usize {
        let bytes = &self.text.as_bytes()[..limit];
        if self.closing.is_empty() {
            return run_end(bytes, self.start, |byte| !self.until.ends(byte));
        }
        let mut at = self.start;
        while at < limit {
            let rest = &bytes[at..];
            if rest.starts_with(self.closing.as_bytes()) || rest[0] == b'\n' {
                return at;
            }
            at += if rest[0] == b'\\' && self.closing.len() == 1 { 2 } else { 1 };
        }
        limit
    }
}
