//! Strings of JSON that stands in a text without a fence around it.
//!
//! What a program printed names files that somebody else meant. A string counts if it follows a key's colon, or an
//! opening bracket or a comma of brackets that are still open: a quotation in a sentence does neither.

use std::ops::Range;

/// What stood before, blanks aside.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Opening,
    Comma,
    String,
    Colon,
    Other,
}

/// Where such strings stand, with their marks. What lies in `skipped` is a word to this.
pub(super) fn strings(source: &str, skipped: &[Range<usize>]) -> Vec<Range<usize>> {
    let bytes = source.as_bytes();
    let mut skipped = skipped.iter().peekable();
    let (mut found, mut depth, mut before, mut at) = (Vec::new(), 0_usize, Before::Other, 0);
    while let Some(byte) = bytes.get(at) {
        while skipped.next_if(|span| span.end <= at).is_some() {}
        if let Some(span) = skipped.next_if(|span| span.contains(&at)) {
            (before, at) = (Before::Other, span.end);
            continue;
        }
        let start = at;
        at += 1;
        before = match byte {
            b'{' | b'[' => {
                depth += 1;
                Before::Opening
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                Before::Other
            }
            b',' => Before::Comma,
            b':' if before == Before::String => Before::Colon,
            b'"' => {
                let closed = end_of_string(bytes, at);
                at = closed.unwrap_or_else(|open| open);
                let inside = depth > 0 && matches!(before, Before::Opening | Before::Comma);
                if closed.is_ok() && (inside || before == Before::Colon) {
                    found.push(start..at);
                }
                if closed.is_ok() { Before::String } else { Before::Other }
            }
            b'\n' if is_blank_line(bytes, at) => {
                // No bracket of a sentence above counts below.
                depth = 0;
                Before::Other
            }
            b' ' | b'\t' | b'\r' | b'\n' => before,
            _ => Before::Other,
        };
    }
    found
}

/// Behind the closing mark, or where the line ends without one. The rest of such a line is not read again, or marks
/// behind backslashes would cost the square of its length.
fn end_of_string(bytes: &[u8], from: usize) -> Result<usize, usize> {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return Ok(at + 1),
            b'\n' => break,
            b'\\' if bytes.get(at + 1).is_some_and(|next| *next != b'\n') => at += 2,
            _ => at += 1,
        }
    }
    Err(at)
}

fn is_blank_line(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at..), Some([b'\n', ..] | [b'\r', b'\n', ..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<&str> {
        strings(source, &[]).into_iter().map(|span| &source[span]).collect()
    }

    #[test]
    fn values_keys_and_elements_are_strings_of_json() {
        assert_eq!(found(r#"{"a": "b", "c": ["d", "e\"f"], "g": {"h" : "i"}}"#).len(), 8);
        assert_eq!(found("it said \"file\":\n  \"x\""), ["\"x\""]);
        assert_eq!(found(r#"x [ "a" ]"#), [r#""a""#]);
        assert_eq!(found(r#"{"a": "{\"b\": \"c\"}"}"#).len(), 2);
    }

    #[test]
    fn quotations_are_not() {
        for text in [
            r#"He said: "a"."#,
            r#"Both "a", "b" and "c""#,
            r#"[see "a"] and ("b", "c")"#,
            "[open\n\nx, \"a\", \"b\"",
            "{\"never closed",
            "{\"over\nlines\"}",
            "5\" and 6\"",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn what_is_skipped_is_a_word() {
        let text = "[`\"`, \"a\"]";
        assert_eq!(strings(text, std::slice::from_ref(&(1..4))), vec![6..9]);
    }
}
