//! Secrets inside addresses: passwords of data sources, tokens before the host.

use super::{Scope, Spans, Style, is_masked, run_end, run_start};

const DATA_SOURCES: &[&str] = &[
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "mongodb",
    "mongodb+srv",
    "redis",
    "rediss",
    "amqp",
    "amqps",
    "mssql",
    "sqlserver",
    "clickhouse",
];

/// The longest address whose user part is looked at.
const WINDOW: usize = 1024;
const LEAST_TOKEN: usize = 8;

pub(super) fn scan(text: &str, scope: Scope, spans: &mut Spans) {
    for (at, _) in text.match_indices("://") {
        let bytes = text.as_bytes();
        let start = run_start(bytes, at, 16, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
        let scheme = text[start..at].to_ascii_lowercase();
        let source = DATA_SOURCES.iter().any(|name| scheme.ends_with(name));
        let Some(user) = user_part(&bytes[at + 3..], source) else { continue };
        let user = &text[at + 3..at + 3 + user];
        report(user, at + 3, source, scheme.ends_with("http") || scheme.ends_with("https"), scope, spans);
    }
}

/// How many bytes stand before the `@` of an authority.
fn user_part(rest: &[u8], source: bool) -> Option<usize> {
    let window = &rest[..rest.len().min(WINDOW)];
    let outside = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'`');
    let authority = run_end(window, 0, |byte| !outside(byte) && !matches!(byte, b'/' | b'?' | b'#' | b'\\'));
    let last_at = |end: usize| window[..end].iter().rposition(|byte| *byte == b'@');
    match last_at(authority) {
        // Passwords of data sources are often pasted unescaped, slashes and all.
        None if source => last_at(run_end(window, authority, |byte| !outside(byte))),
        found => found,
    }
}

fn report(user: &str, offset: usize, source: bool, web: bool, scope: Scope, spans: &mut Spans) {
    let end = offset + user.len();
    match user.split_once(':') {
        Some((name, "" | "x-oauth-basic")) if name.len() >= LEAST_TOKEN => hide(name, offset, spans),
        Some((name, password)) if source || scope == Scope::Egress => {
            hide(password, end - (user.len() - name.len() - 1), spans)
        }
        None if web && user.len() >= LEAST_TOKEN => hide(user, offset, spans),
        Some(_) | None => {}
    }
}

fn hide(secret: &str, offset: usize, spans: &mut Spans) {
    let variable = secret.starts_with('$') || secret.starts_with('{');
    if !variable && !is_masked(secret) {
        spans.push(offset, offset + secret.len(), Style::Ends);
    }
}
