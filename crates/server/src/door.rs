//! Who may come in: a token that only this run's person has, and no page of another place.
//!
//! A web page can make a browser send requests to loopback under a name of its own (DNS rebinding) or across sites.
//! So the Host must be this server's own address, an Origin must be too, and cookies are not used: they ignore ports.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::serve::Shared;

/// 256 random bits in hex; never written to disk.
#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    /// Its text is so long.
    pub const LENGTH: usize = 64;

    /// One that was made before, if it is one.
    pub fn given(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let is_whole = text.len() == Self::LENGTH && text.bytes().all(|b| b.is_ascii_hexdigit());
        is_whole.then(|| Self(text.to_owned()))
    }

    pub fn fresh() -> std::io::Result<Self> {
        let mut bytes = [0_u8; 32];
        rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
        Ok(Self(bytes.iter().map(|b| format!("{b:02x}")).collect()))
    }

    /// For the ready line; there is no other place that it may be written to.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// In a time that does not tell how much of a guess was right.
    pub fn is(&self, guess: &str) -> bool {
        let same_length = self.0.len() == guess.len();
        let differing = self.0.bytes().zip(guess.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
        same_length && differing == 0
    }
}

/// Every request: the Host must be ours, and the Origin, if there is one.
pub(crate) async fn check_place(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    if !is_ours(request.headers(), shared.port) {
        return refuse(
            StatusCode::FORBIDDEN,
            "forbidden",
            "This address is only for this computer's own windows and scripts.",
        );
    }
    next.run(request).await
}

/// Commands: the token must be there.
pub(crate) fn has_token(headers: &HeaderMap, token: &Token) -> bool {
    let value = headers.get(header::AUTHORIZATION).and_then(|v| v.to_str().ok());
    value.and_then(|v| v.strip_prefix("Bearer ")).is_some_and(|guess| token.is(guess.trim()))
}

pub(crate) fn refuse(status: StatusCode, code: &str, message: &str) -> Response {
    (status, axum::Json(json!({ "error": { "code": code, "message": message } }))).into_response()
}

fn is_ours(headers: &HeaderMap, port: u16) -> bool {
    let Some(host) = headers.get(header::HOST).and_then(|v| v.to_str().ok()) else { return false };
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")];
    let host_is_ours = hosts.iter().any(|h| h.eq_ignore_ascii_case(host));
    let origin_is_ours = match headers.get(header::ORIGIN) {
        None => true,
        Some(origin) => {
            origin.to_str().is_ok_and(|o| hosts.iter().any(|h| o.eq_ignore_ascii_case(&format!("http://{h}"))))
        }
    };
    host_is_ours && origin_is_ours
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(host: Option<&str>, origin: Option<&str>) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in [(header::HOST, host), (header::ORIGIN, origin)] {
            if let Some(value) = value {
                map.insert(name, value.parse().unwrap());
            }
        }
        map
    }

    #[test]
    fn only_our_own_place_comes_in() {
        let cases = [
            (Some("127.0.0.1:7"), None, true),
            (Some("LOCALHOST:7"), Some("http://localhost:7"), true),
            (Some("127.0.0.1:8"), None, false),
            (Some("evil.example"), None, false),
            (Some("evil.example:7"), Some("http://evil.example:7"), false),
            (Some("127.0.0.1:7"), Some("http://evil.example"), false),
            (Some("127.0.0.1:7"), Some("null"), false),
            (Some("127.0.0.1:7"), Some("http://127.0.0.1:70"), false),
            (None, None, false),
        ];
        for (host, origin, ours) in cases {
            assert_eq!(is_ours(&headers(host, origin), 7), ours, "{host:?} {origin:?}");
        }
    }

    #[test]
    fn a_token_is_only_itself() {
        let token = Token::fresh().unwrap();
        assert!(token.is(token.expose()));
        assert!(!token.is(""));
        assert!(!token.is(&token.expose()[1..]));
        assert!(!token.is(Token::fresh().unwrap().expose()));
    }

    #[test]
    fn only_a_whole_token_is_taken_over() {
        let token = Token::fresh().unwrap();
        let text = token.expose().as_bytes();
        assert!(Token::given(text).is_some_and(|again| again.is(token.expose())));
        assert!(Token::given(&text[1..]).is_none());
        assert!(Token::given(b"").is_none());
        assert!(Token::given(&[b'z'; Token::LENGTH]).is_none());
    }
}
