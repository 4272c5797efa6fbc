//! What is looked for in a line.
//!
//! Whoever writes `[ready]` or `main.rs:12 (x)` means those very characters, and whoever writes `port \d+` means a
//! number. So every pattern is looked for as it stands, and one that shows an unmistakable sign of a regular
//! expression is also matched as one. There is nothing to escape, and no switch to forget.

use std::fmt;

use regex::{Regex, RegexBuilder};

/// More patterns are refused.
pub const MOST_PATTERNS: usize = 16;
/// A longer pattern is refused.
pub const MOST_CHARS: usize = 256;
/// A compiled expression may take so many bytes; a larger one stays plain text.
const MOST_BYTES: usize = 128 * 1024;

/// Patterns of one job, in the order in which they were given.
#[derive(Clone, Default)]
pub struct WatchPatterns(Vec<Pattern>);

#[derive(Clone)]
struct Pattern {
    text: String,
    expression: Option<Regex>,
}

/// Why patterns are refused. The words are for whoever gave them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// Too many.
    #[error("at most {MOST_PATTERNS} watch patterns are possible; these are {0}")]
    TooMany(usize),
    /// Too long.
    #[error("a watch pattern has at most {MOST_CHARS} characters; this one has {0}")]
    TooLong(usize),
    /// It would be found in every line.
    #[error("a watch pattern needs something to look for; this one is empty")]
    Empty,
    /// It would be found in none.
    #[error("a watch pattern is looked for within one line, so it cannot hold a line break")]
    SeveralLines,
}

impl WatchPatterns {
    /// Takes patterns as somebody wrote them. None at all is no error: nothing is looked for then.
    pub fn parse<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Result<Self, PatternError> {
        let mut found: Vec<Pattern> = Vec::new();
        for text in texts {
            let text = text.into();
            check(&text)?;
            if found.iter().all(|known| known.text != text) {
                found.push(Pattern { expression: expression(&text), text });
            }
        }
        if found.len() > MOST_PATTERNS { Err(PatternError::TooMany(found.len())) } else { Ok(Self(found)) }
    }

    /// Whether there is nothing to look for.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The patterns as they were given.
    pub fn texts(&self) -> Vec<String> {
        self.0.iter().map(|pattern| pattern.text.clone()).collect()
    }

    /// The first pattern that is in the line.
    pub fn find(&self, line: &str) -> Option<&str> {
        self.0.iter().find(|pattern| pattern.is_in(line)).map(|pattern| pattern.text.as_str())
    }
}

impl Pattern {
    fn is_in(&self, line: &str) -> bool {
        line.contains(&self.text) || self.expression.as_ref().is_some_and(|expression| expression.is_match(line))
    }
}

impl PartialEq for WatchPatterns {
    fn eq(&self, other: &Self) -> bool {
        self.texts() == other.texts()
    }
}

impl Eq for WatchPatterns {}

impl fmt::Debug for WatchPatterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|pattern| &pattern.text)).finish()
    }
}

fn check(text: &str) -> Result<(), PatternError> {
    let chars = text.chars().count();
    if text.trim().is_empty() {
        Err(PatternError::Empty)
    } else if text.contains(['\n', '\r']) {
        Err(PatternError::SeveralLines)
    } else if chars > MOST_CHARS {
        Err(PatternError::TooLong(chars))
    } else {
        Ok(())
    }
}

/// The text as an expression, if that is what it looks like. One that fits nothing at all fits every line, so it is
/// surely meant as text.
fn expression(text: &str) -> Option<Regex> {
    if !looks_like_one(text) {
        return None;
    }
    let built = RegexBuilder::new(text).size_limit(MOST_BYTES).dfa_size_limit(2 * MOST_BYTES).build().ok()?;
    (!built.is_match("")).then_some(built)
}

fn looks_like_one(text: &str) -> bool {
    let pairs = || text.chars().zip(text.chars().skip(1));
    let escapes = |(a, b): (char, char)| a == '\\' && (b.is_ascii_punctuation() || "dDwWsSbB".contains(b));
    let repeats = |(a, b): (char, char)| (".])".contains(a) && "*+?".contains(b)) || (a == ']' && b == '{');
    let anchored = (text.starts_with('^') && text.chars().count() > 3) || text.ends_with('$');
    pairs().any(|pair| escapes(pair) || repeats(pair)) || text.contains('|') || text.contains("(?") || anchored
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, line: &str) -> bool {
        WatchPatterns::parse([pattern]).unwrap().find(line).is_some()
    }

    #[test]
    fn plain_text_stays_plain() {
        for (pattern, line, expect) in [
            ("[ERROR]", "a [ERROR] b", true),
            ("[ERROR]", "ROAR", false),
            ("main.rs (x)", "at main.rs (x)", true),
            ("main.rs (x)", "at main_rs x", false),
            ("C++", "built with C++", true),
            ("| ok |", "a | ok | b", true),
            ("| ok |", "nothing", false),
            ("$", "costs 5 $", true),
            ("$", "nothing", false),
            ("a(b", "xa(by", true),
            ("*", "a * b", true),
            ("*", "ab", false),
            ("what?", "what", false),
            ("^C", "Compiling", false),
            ("Error", "error", false),
        ] {
            assert_eq!(found(pattern, line), expect, "{pattern:?} in {line:?}");
        }
    }

    #[test]
    fn an_expression_is_one() {
        for (pattern, line, expect) in [
            (r"READY ON PORT \d+", "READY ON PORT 3000", true),
            (r"READY ON PORT \d+", "READY ON PORT x", false),
            ("error|warning", "a warning", true),
            ("(?i)error", "ERROR", true),
            ("^listening", "not listening", false),
            ("^listening", "listening", true),
            ("done$", "done", true),
            ("done$", "done it", false),
            ("[0-9]+ passed", "12 passed", true),
            ("took .* ms", "took 3 ms", true),
            (r"127\.0\.0\.1", "127.0.0.1", true),
        ] {
            assert_eq!(found(pattern, line), expect, "{pattern:?} in {line:?}");
        }
        // Nothing that a compiler refuses, or only with much memory, is lost: it is text.
        for odd in [r"\d(", r"\w{9999}{9999}", r"(a|b"] {
            assert!(found(odd, &format!("x{odd}y")), "{odd}");
        }
    }

    #[test]
    fn the_first_that_fits_is_named_and_limits_hold() {
        let patterns = WatchPatterns::parse(["two", "one", "two"]).unwrap();
        assert_eq!(patterns.texts(), ["two", "one"]);
        assert_eq!(patterns.find("one two"), Some("two"));
        assert_eq!(WatchPatterns::parse([""]).unwrap_err(), PatternError::Empty);
        assert_eq!(WatchPatterns::parse(["a\nb"]).unwrap_err(), PatternError::SeveralLines);
        assert_eq!(WatchPatterns::parse(["ä".repeat(257)]).unwrap_err(), PatternError::TooLong(257));
        assert!(WatchPatterns::parse(["ä".repeat(256)]).is_ok());
        let many = (0..17).map(|n| n.to_string());
        assert_eq!(WatchPatterns::parse(many).unwrap_err(), PatternError::TooMany(17));
        assert!(WatchPatterns::parse(Vec::<String>::new()).unwrap().is_empty());
    }
}
