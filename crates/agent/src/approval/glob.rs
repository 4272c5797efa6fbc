//! `*` for any characters, everything else for itself, from the first character to the last.

/// Whether the glob matches the whole text.
pub(super) fn matches(glob: &str, text: &str) -> bool {
    let mut parts = glob.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut left) = text.strip_prefix(first) else { return false };
    let mut rest: Vec<&str> = parts.collect();
    let Some(last) = rest.pop() else { return left.is_empty() };
    // The earliest place for each part leaves most for the others, so one pass is enough.
    for part in rest {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_is_any_run_of_characters_and_both_ends_hold() {
        for (glob, text) in [("a*c", "abc"), ("a*c", "ac"), ("*", ""), ("a", "a"), ("*b*", "abc"), ("a*b*b", "abb")] {
            assert!(matches(glob, text), "{glob} {text}");
        }
        for (glob, text) in [("a*c", "abcd"), ("a*c", "xac"), ("a", "ab"), ("a*b*b", "ab"), ("aa*aa", "aaa"), ("", "a")]
        {
            assert!(!matches(glob, text), "{glob} {text}");
        }
    }
}
