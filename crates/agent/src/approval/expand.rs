//! Values of variables that a text itself sets, and braces.

use std::collections::HashMap;

/// Bytes of a value that is remembered.
const MOST_VALUE: usize = 1_024;

/// What names stand for, as far as the text says so.
#[derive(Debug, Default, Clone)]
pub(super) struct Names(HashMap<String, String>);

impl Names {
    /// A long value is forgotten: values made of values would grow without bound.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        if value.len() > MOST_VALUE {
            self.0.remove(name);
        } else {
            self.0.insert(name.to_owned(), value.to_owned());
        }
    }

    /// The value of what stands between `${` and `}`, or behind a bare `$`. An unknown name stays as it is written:
    /// guessing that it is empty would make a catastrophe of every `$DIR/`.
    pub(super) fn value(&self, inside: &str) -> String {
        let end = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inside.len());
        let (name, rest) = inside.split_at(end);
        match name {
            "IFS" => return " ".to_owned(),
            "HOME" => return "~".to_owned(),
            _ => {}
        }
        if let Some(value) = self.0.get(name) {
            return value.clone();
        }
        let fallback = rest.strip_prefix(":-").or_else(|| rest.strip_prefix('-')).or_else(|| rest.strip_prefix(":="));
        match fallback {
            Some(fallback) => fallback.trim_matches(['"', '\'']).to_owned(),
            None => format!("${inside}"),
        }
    }
}

/// `a{b,c}d` as the shell makes several words of it; a word without such braces is one word.
pub(super) fn braces(word: &str) -> Vec<String> {
    const MOST: usize = 64;
    let mut done = Vec::new();
    let mut open = vec![word.to_owned()];
    while let Some(word) = open.pop() {
        match split(&word) {
            Some(parts) if done.len() + open.len() + parts.len() <= MOST => open.extend(parts.into_iter().rev()),
            Some(_) | None => done.push(word),
        }
    }
    done
}

fn split(word: &str) -> Option<Vec<String>> {
    let close = word.find('}')?;
    let open = word[..close].rfind('{')?;
    let inside = &word[open + 1..close];
    if !inside.contains(',') || word[..open].ends_with('$') {
        return None;
    }
    Some(inside.split(',').map(|part| format!("{}{part}{}", &word[..open], &word[close + 1..])).collect())
}
