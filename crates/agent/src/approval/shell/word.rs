//! One word, with its quotes and escapes undone and what can be read off put in its place.

use super::super::expand::Names;
use super::payload;
use super::scan::Scanner;

/// Bytes of a word from which on variables add nothing to it.
const MOST_WORD: usize = 64 * 1_024;

/// A word while it is put together.
#[derive(Default)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) begun: bool,
    pub(super) quoted: bool,
    pub(super) inner: Vec<String>,
    /// Only substitutions so far, and all of them could be read off.
    pub(super) spoken: bool,
}

impl Scanner {
    /// Reads the word that begins here; empty if none does.
    pub(super) fn word(&mut self, names: &Names) -> Word {
        let mut word = Word { spoken: true, ..Word::default() };
        while let Some(c) = self.peek(0) {
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => {
                    // `name()` is a function, whose body follows.
                    break;
                }
                '\'' => {
                    self.at += 1;
                    self.single(&mut word);
                }
                '"' => {
                    self.at += 1;
                    self.double(&mut word, names);
                }
                '\\' => {
                    self.at += 1;
                    word.spoken = false;
                    if let Some(next) = self.peek(0) {
                        word.text.push(next);
                        word.begun = true;
                        self.at += 1;
                    }
                }
                '`' => {
                    self.at += 1;
                    let inner = self.until_backtick();
                    substitute(&mut word, inner);
                }
                '$' => {
                    if self.dollar(&mut word, names, false) {
                        break;
                    }
                }
                _ => {
                    word.text.push(c);
                    word.begun = true;
                    word.spoken = false;
                    self.skeleton.push(c);
                    self.at += 1;
                }
            }
        }
        word
    }

    fn single(&mut self, word: &mut Word) {
        word.begun = true;
        word.spoken = false;
        let start = self.at;
        while self.peek(0).is_some_and(|c| c != '\'') {
            self.at += 1;
        }
        word.text.extend(&self.chars[start..self.at]);
        word.quoted |= self.at > start;
        self.at = (self.at + 1).min(self.chars.len());
    }

    fn double(&mut self, word: &mut Word, names: &Names) {
        word.begun = true;
        word.spoken = false;
        while let Some(c) = self.peek(0) {
            word.quoted |= c != '"';
            match c {
                '"' => {
                    self.at += 1;
                    return;
                }
                '\\' if matches!(self.peek(1), Some('"' | '\\' | '$' | '`')) => {
                    word.text.extend(self.peek(1));
                    self.at += 2;
                }
                '`' => {
                    self.at += 1;
                    let inner = self.until_backtick();
                    substitute(word, inner);
                }
                '$' => {
                    self.dollar(word, names, true);
                }
                _ => {
                    word.text.push(c);
                    self.at += 1;
                }
            }
        }
    }

    /// Reads what a `$` begins. `true` if it splits the word here.
    fn dollar(&mut self, word: &mut Word, names: &Names, quoted: bool) -> bool {
        self.at += 1;
        match self.peek(0) {
            Some('(') => {
                self.at += 1;
                let inner = self.balanced('(', ')');
                substitute(word, inner);
                false
            }
            Some('\'') if !quoted => {
                self.at += 1;
                self.escaped(word);
                false
            }
            Some('"') if !quoted => false,
            Some('{') => {
                self.at += 1;
                let inner = self.balanced('{', '}');
                expand(word, &names.value(&inner), quoted)
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let rest = &self.chars[self.at..];
                let length = rest.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == '_').count();
                let name: String = rest[..length].iter().collect();
                self.at += length;
                expand(word, &names.value(&name), quoted)
            }
            _ => {
                word.text.push('$');
                word.begun = true;
                word.spoken = false;
                false
            }
        }
    }

    /// `$'…'`, with the escapes that spell characters.
    fn escaped(&mut self, word: &mut Word) {
        word.begun = true;
        word.spoken = false;
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '\'' => return,
                '\\' => {
                    let next = self.peek(0).unwrap_or('\\');
                    self.at += 1;
                    word.text.push(match next {
                        'n' => '\n',
                        't' => '\t',
                        'x' => self.number(16, 2),
                        'u' => self.number(16, 4),
                        'U' => self.number(16, 8),
                        '0'..='7' => {
                            self.at -= 1;
                            self.number(8, 3)
                        }
                        other => other,
                    });
                }
                _ => word.text.push(c),
            }
        }
    }

    fn number(&mut self, radix: u32, most: usize) -> char {
        let digits: String =
            self.chars[self.at.min(self.chars.len())..].iter().take(most).take_while(|c| c.is_digit(radix)).collect();
        self.at += digits.len();
        u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32).unwrap_or('\u{fffd}')
    }

    fn until_backtick(&mut self) -> String {
        let mut inner = String::new();
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '`' => break,
                '\\' if matches!(self.peek(0), Some('`' | '\\' | '$')) => {
                    inner.extend(self.peek(0));
                    self.at += 1;
                }
                _ => inner.push(c),
            }
        }
        inner
    }

    /// The text up to the bracket that closes the one before; quotes hide brackets.
    pub(super) fn balanced(&mut self, open: char, close: char) -> String {
        let start = self.at;
        let mut depth = 1_usize;
        let mut quote = None;
        while let Some(c) = self.peek(0) {
            match quote {
                Some(_) if c == '\\' && quote == Some('"') => self.at += 1,
                Some(q) if c == q => quote = None,
                Some(_) => {}
                None if c == '\\' => self.at += 1,
                None if c == '\'' || c == '"' => quote = Some(c),
                None if c == open => depth += 1,
                None if c == close => depth -= 1,
                None => {}
            }
            self.at += 1;
            if depth == 0 {
                return self.chars[start..self.at - 1].iter().collect();
            }
        }
        self.at = self.chars.len();
        self.chars[start.min(self.at)..].iter().collect()
    }
}

/// Puts what a substitution prints in its place, if that can be read off; its text is read in any case.
fn substitute(word: &mut Word, inner: String) {
    match payload::spoken(&inner) {
        Some(said) => word.text.push_str(&said),
        None => {
            word.text.push_str("$(…)");
            word.spoken = false;
        }
    }
    word.begun = true;
    word.inner.push(inner);
}

/// Puts a value in its place; blanks in it split an unquoted word. `true` if the word ends here.
fn expand(word: &mut Word, value: &str, quoted: bool) -> bool {
    let splits = !quoted && value.chars().all(char::is_whitespace) && !value.is_empty();
    if splits {
        return true;
    }
    if word.text.len() < MOST_WORD {
        word.text.push_str(value);
    }
    word.begun = true;
    word.spoken &= !quoted && value.contains(' ');
    false
}
