//! Keeps the parser from seeing HTML and reference definitions.
//!
//! The signs that begin them are replaced by control characters of the same length that do not occur in
//! the segment, so source positions hold, and put back in everything the parser returns.

/// The stand-ins used for one segment.
pub(in crate::markdown) struct Disguise {
    angle: char,
    colon: char,
}

/// How far an address in angle brackets may reach.
const LONGEST_ADDRESS: usize = 2_048;

impl Disguise {
    /// Replaces each `<` that begins no address, and each colon behind a bracket.
    pub(in crate::markdown) fn of(segment: &str) -> (Self, String) {
        let mut used = [false; 0x20];
        for byte in segment.bytes().filter(|byte| *byte < 0x20) {
            used[usize::from(byte)] = true;
        }
        let mut free =
            (0x01..0x20).filter(|byte| !matches!(byte, 0x09..=0x0D) && !used[usize::from(*byte)]).map(char::from);
        // A text with every control character in it gets two of them turned into signs.
        let disguise = Self { angle: free.next().unwrap_or('\u{1}'), colon: free.next().unwrap_or('\u{2}') };
        let mut out = String::with_capacity(segment.len());
        let mut done = 0;
        for (at, sign) in segment.match_indices(['<', ':']) {
            let before = &segment[..at];
            let stand_in = match sign {
                "<" if !before.ends_with("](") && !is_address(&segment[at + 1..]) => disguise.angle,
                ":" if before.ends_with(']') => disguise.colon,
                _ => continue,
            };
            out.push_str(&segment[done..at]);
            out.push(stand_in);
            done = at + 1;
        }
        out.push_str(&segment[done..]);
        (disguise, out)
    }

    /// Puts the signs back.
    pub(in crate::markdown) fn lift(&self, text: &str) -> String {
        text.chars()
            .map(|ch| match ch {
                _ if ch == self.angle => '<',
                _ if ch == self.colon => ':',
                _ => ch,
            })
            .collect()
    }
}

/// Whether `<` is followed by a web or mail address and `>`.
fn is_address(rest: &str) -> bool {
    let window = &rest.as_bytes()[..rest.len().min(LONGEST_ADDRESS)];
    let Some(end) = window.iter().position(|byte| matches!(byte, b'<' | b'>') || byte.is_ascii_whitespace()) else {
        return false;
    };
    let inner = &window[..end];
    let starts = |scheme: &[u8]| inner.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme));
    let mail = inner.contains(&b'@') && !inner.iter().any(|byte| matches!(byte, b'/' | b'"' | b'=' | b':'));
    window[end] == b'>' && (starts(b"http://") || starts(b"https://") || starts(b"mailto:") || mail)
}
