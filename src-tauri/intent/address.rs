//! `gatehouse://session/<id>[/<seq>]`, `gatehouse://settings`, `gatehouse://notices`: what a link elsewhere may ask for.
//! Showing something is all that it can do.

use super::Intent;

/// Links begin so.
pub(crate) const SCHEME: &str = "gatehouse://";

/// What the link asks for; `None` when it is none of ours, whole and exact.
pub(crate) fn parse(address: &str) -> Option<Intent> {
    let place = address.strip_prefix(SCHEME)?;
    match place.trim_end_matches('/') {
        "settings" => return Some(Intent::OpenSettings),
        "notices" => return Some(Intent::OpenNotices),
        _ => {}
    }
    let rest = place.strip_prefix("session/")?;
    let (session, seq) = match rest.split_once('/') {
        None | Some((_, "")) => (rest.trim_end_matches('/'), None),
        Some((session, seq)) => (session, Some(number(seq)?)),
    };
    is_id(session).then(|| Intent::Show { profile: None, session_id: session.to_owned(), seq, process_id: None })
}

fn number(text: &str) -> Option<i32> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// A UUID as it is written everywhere here.
fn is_id(text: &str) -> bool {
    let shaped = |(place, byte): (usize, u8)| match place {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
    };
    text.len() == 36 && text.bytes().enumerate().all(shaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0198a3c2-7f00-7abc-8def-0123456789ab";

    fn show(seq: Option<i32>) -> Option<Intent> {
        Some(Intent::Show { profile: None, session_id: ID.into(), seq, process_id: None })
    }

    #[test]
    fn a_link_shows_a_session_or_an_item() {
        assert_eq!(parse(&format!("gatehouse://session/{ID}")), show(None));
        assert_eq!(parse(&format!("gatehouse://session/{ID}/")), show(None));
        assert_eq!(parse(&format!("gatehouse://session/{ID}/42")), show(Some(42)));
        assert_eq!(parse("gatehouse://settings"), Some(Intent::OpenSettings));
        assert_eq!(parse("gatehouse://notices/"), Some(Intent::OpenNotices));
    }

    #[test]
    fn anything_else_is_nothing() {
        let links = [
            "gatehouse://session/".to_owned(),
            "gatehouse://session/../../etc/passwd".to_owned(),
            format!("gatehouse://session/{ID}/-1"),
            format!("gatehouse://session/{ID}/42/x"),
            format!("gatehouse://session/{ID}/99999999999"),
            format!("gatehouse://session/{ID}?x=1"),
            format!("gatehouse://run/{ID}"),
            format!("gatehouse:session/{ID}"),
            format!("https://session/{ID}"),
            format!("gatehouse://session/{}", ID.to_uppercase()),
            format!("gatehouse://session/{}", "é".repeat(18)),
        ];
        for link in links {
            assert_eq!(parse(&link), None, "{link}");
        }
    }
}
