//! Which of the known names somebody may have meant.

use std::collections::HashSet;

/// The names of `known` that are most like `wanted`, best first, at most `most` of them.
pub(super) fn nearest<'a>(wanted: &str, known: impl Iterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    let wanted = pairs(wanted);
    let mut ranked: Vec<_> = known.map(|name| (likeness(&wanted, &pairs(name)), name)).collect();
    // Stable: names that are equally like it stay in the server's order.
    ranked.sort_by_key(|(likeness, _)| std::cmp::Reverse(*likeness));
    ranked.into_iter().take(most).map(|(_, name)| name).collect()
}

/// The pairs of neighbouring characters; signs and case do not count.
fn pairs(name: &str) -> HashSet<(char, char)> {
    let letters: Vec<char> = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    letters.iter().copied().zip(letters.iter().copied().skip(1)).collect()
}

/// How many of a thousand pairs two names share.
fn likeness(one: &HashSet<(char, char)>, other: &HashSet<(char, char)>) -> usize {
    (2_000 * one.intersection(other).count()).checked_div(one.len() + other.len()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likest_come_first_and_the_rest_in_their_order() {
        let known = ["mistral-small", "Qwen3:8B", "llama3.2", "qwen3:4b", "gemma3"];
        assert_eq!(nearest("qwen3-8b", known.into_iter(), 3), ["Qwen3:8B", "qwen3:4b", "mistral-small"]);
        assert_eq!(nearest("?", known.into_iter(), 2), ["mistral-small", "Qwen3:8B"]);
        assert_eq!(nearest("x", [].into_iter(), 5), Vec::<&str>::new());
    }
}
