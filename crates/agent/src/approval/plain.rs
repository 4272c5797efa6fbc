//! Commands that leave nothing to guess: words and quotes, and nothing that a shell would replace.
//!
//! The other reader finds as much as it can in any text; this one refuses every text that it does not understand to
//! the last character. What is allowed without asking is decided by this one.

/// What ends a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    /// `|`
    Pipe,
    /// `;`, `&&` or `||`
    Then,
}

/// A text of plain commands.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plain {
    /// The words of each command.
    pub commands: Vec<Vec<String>>,
    /// What stands between them.
    pub joins: Vec<Join>,
    /// Whether output is thrown away or joined.
    pub redirects: bool,
}

/// The commands of a text, if all of it is plain.
pub(super) fn read(text: &str) -> Option<Plain> {
    let mut reader = Reader { chars: text.trim_matches(' ').chars().collect(), at: 0 };
    let mut plain = Plain::default();
    let mut words = Vec::new();
    while let Some(c) = reader.peek(0) {
        if c == ' ' {
            reader.at += 1;
        } else if let Some(join) = reader.join() {
            if words.is_empty() {
                return None;
            }
            plain.commands.push(std::mem::take(&mut words));
            plain.joins.push(join);
        } else if reader.redirect() {
            plain.redirects = true;
        } else {
            words.push(reader.word()?);
        }
    }
    if words.is_empty() {
        return None;
    }
    plain.commands.push(words);
    Some(plain)
}

/// The words of a text that is one plain command without redirections.
pub(super) fn single(text: &str) -> Option<Vec<String>> {
    let mut plain = read(text)?;
    if plain.redirects || plain.commands.len() != 1 {
        return None;
    }
    plain.commands.pop()
}

/// All spellings of output that is thrown away or joined; a longer one comes first.
const REDIRECTS: &[&str] = &[
    "2>/dev/null",
    "2> /dev/null",
    "1>/dev/null",
    "&>/dev/null",
    "&> /dev/null",
    ">/dev/null",
    "> /dev/null",
    "2>&1",
    "1>&2",
    ">&2",
];

struct Reader {
    chars: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn join(&mut self) -> Option<Join> {
        let (join, length) = match (self.peek(0)?, self.peek(1)) {
            ('|', Some('|')) | ('&', Some('&')) => (Join::Then, 2),
            ('|', Some('&')) => return None,
            ('|', _) => (Join::Pipe, 1),
            // Two of them belong to a `case`.
            (';', next) if next != Some(';') => (Join::Then, 1),
            _ => return None,
        };
        self.at += length;
        Some(join)
    }

    fn redirect(&mut self) -> bool {
        let found = REDIRECTS.iter().find(|spelling| {
            let length = spelling.chars().count();
            let ends = matches!(self.peek(length), None | Some(' ' | ';' | '|'));
            ends && spelling.chars().enumerate().all(|(at, c)| self.peek(at) == Some(c))
        });
        self.at += found.map_or(0, |spelling| spelling.chars().count());
        found.is_some()
    }

    fn word(&mut self) -> Option<String> {
        let mut word = String::new();
        let start = self.at;
        while let Some(c) = self.peek(0) {
            match c {
                ' ' | ';' | '|' => break,
                '&' if self.peek(1) == Some('&') => break,
                '\'' => self.single_quoted(&mut word)?,
                '"' => self.double_quoted(&mut word)?,
                // A home is known only for oneself; elsewhere the character is itself.
                '~' if self.at == start && !matches!(self.peek(1), None | Some(' ' | '/')) => return None,
                // Some shells put a program's path for `=name`.
                '=' if self.at == start => return None,
                _ if is_plain(c) => {
                    word.push(c);
                    self.at += 1;
                }
                _ => return None,
            }
        }
        (self.at > start).then_some(word)
    }

    fn single_quoted(&mut self, word: &mut String) -> Option<()> {
        self.at += 1;
        loop {
            let c = self.peek(0)?;
            self.at += 1;
            match c {
                '\'' => return Some(()),
                c if is_shown(c) => word.push(c),
                _ => return None,
            }
        }
    }

    fn double_quoted(&mut self, word: &mut String) -> Option<()> {
        self.at += 1;
        loop {
            let c = self.peek(0)?;
            self.at += 1;
            match c {
                '"' => return Some(()),
                '$' | '`' | '!' => return None,
                '\\' if matches!(self.peek(0), None | Some('$' | '`' | '"' | '\\' | '!')) => return None,
                c if is_shown(c) => word.push(c),
                _ => return None,
            }
        }
    }
}

/// A character that no shell makes anything of.
pub(super) fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || "-_./:,+@%=~^".contains(c)
}

/// A character that a person sees: neither a control nor one that turns or hides text.
pub(super) fn is_shown(c: char) -> bool {
    let hides = ['\u{200b}'..='\u{200f}', '\u{2028}'..='\u{202e}', '\u{2060}'..='\u{206f}', '\u{e0000}'..='\u{e007f}'];
    let alone = matches!(c, '\u{ad}' | '\u{61c}' | '\u{feff}');
    !c.is_control() && !alone && !hides.iter().any(|range| range.contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_undone() {
        let words = single(r#"git log --grep 'a; b' "c | d" e'f'"g""#);
        assert_eq!(
            words.as_deref(),
            Some(["git", "log", "--grep", "a; b", "c | d", "efg"].map(str::to_owned).as_slice())
        );
    }

    #[test]
    fn commands_are_parted() {
        let plain = read("ls -l 2>&1 | head -3 && pwd; date >/dev/null").expect("plain");
        assert_eq!(plain.commands.len(), 4);
        assert_eq!(plain.joins, [Join::Pipe, Join::Then, Join::Then]);
        assert!(plain.redirects);
    }

    #[test]
    fn whatever_a_shell_replaces_is_refused() {
        for text in [
            "",
            " ",
            "ls $x",
            "ls `x`",
            "ls $(x)",
            "ls *",
            "ls ?",
            "ls [a]",
            "ls {a,b}",
            "ls \\x",
            "ls \"$x\"",
            "ls \"`x`\"",
            "ls > f",
            "ls >> f",
            "ls < f",
            "ls 2> f",
            "ls >/dev/nullx",
            "ls & pwd",
            "ls &",
            "(ls)",
            "ls\npwd",
            "ls\tpwd",
            "ls # x",
            "ls !x",
            "ls ~ada",
            "=ls",
            "ls ;; pwd",
            "ls |& pwd",
            "| ls",
            "ls |",
            "ls; ",
            "'ls",
            "\"ls",
            "ls \u{a0}x",
            "ls 'a\u{202e}b'",
            "ls \"a\\\"b\"",
            "ls \"a!b\"",
            "ls <(x)",
            "ls <<a",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }
}
