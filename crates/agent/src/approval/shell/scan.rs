//! One text, character by character, into words and separators.

use super::super::expand::Names;
use super::payload;

/// Bytes of a word from which on variables add nothing to it.
const MOST_WORD: usize = 64 * 1_024;

/// What the scanner finds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A word. `bare` if no part of it was quoted.
    Word { text: String, bare: bool },
    /// A text in a substitution or group that is run by itself.
    Inner { text: String },
    /// A substitution that stands alone as a word and whose output can be read off.
    Spoken { text: String },
    /// A file that is written.
    Write { target: String },
    /// What the command reads as its input.
    Input { text: String },
    /// The end of a simple command.
    End { pipe: bool, detach: bool },
}

pub(super) struct Scanner {
    chars: Vec<char>,
    at: usize,
    ready: std::collections::VecDeque<Piece>,
    heredocs: Vec<String>,
    skeleton: String,
}

/// A word while it is put together.
#[derive(Default)]
struct Word {
    text: String,
    begun: bool,
    quoted: bool,
    inner: Vec<String>,
    /// Only substitutions so far, and all of them could be read off.
    spoken: bool,
}

impl Scanner {
    pub(super) fn new(text: &str) -> Self {
        Self {
            chars: text.chars().collect(),
            at: 0,
            ready: std::collections::VecDeque::new(),
            heredocs: Vec::new(),
            skeleton: String::new(),
        }
    }

    pub(super) fn into_skeleton(self) -> String {
        self.skeleton
    }

    pub(super) fn next(&mut self, names: &Names) -> Option<Piece> {
        while self.ready.is_empty() {
            let c = self.peek(0)?;
            match c {
                ' ' | '\t' => self.at += 1,
                '\n' => self.newline(),
                '#' => self.comment(),
                ';' | '(' | ')' => self.separator(c),
                '&' => self.ampersand(names),
                '|' => self.pipe(),
                '>' | '<' => self.redirect(names),
                _ => self.word_or_descriptor(names),
            }
        }
        self.ready.pop_front()
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn end(&mut self, pipe: bool, detach: bool) {
        self.ready.push_back(Piece::End { pipe, detach });
    }

    fn newline(&mut self) {
        self.at += 1;
        self.skeleton.push(';');
        for delimiter in std::mem::take(&mut self.heredocs) {
            let body = self.heredoc(&delimiter);
            self.ready.push_back(Piece::Input { text: body });
        }
        self.end(false, false);
    }

    fn heredoc(&mut self, delimiter: &str) -> String {
        let mut body = String::new();
        while self.at < self.chars.len() {
            let rest = &self.chars[self.at..];
            let length = rest.iter().position(|c| *c == '\n').unwrap_or(rest.len());
            let line: String = rest[..length].iter().collect();
            self.at += (length + 1).min(rest.len());
            if line.trim_start_matches('\t') == delimiter {
                break;
            }
            body.push_str(&line);
            body.push('\n');
        }
        body
    }

    fn comment(&mut self) {
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    fn separator(&mut self, c: char) {
        self.at += 1;
        self.skeleton.push(c);
        self.end(false, false);
    }

    fn ampersand(&mut self, names: &Names) {
        self.at += 1;
        match self.peek(0) {
            Some('&') => {
                self.at += 1;
                self.skeleton.push_str("&&");
                self.end(false, false);
            }
            // `&>` and `&>>` write both streams.
            Some('>') => self.redirect(names),
            _ => {
                self.skeleton.push('&');
                self.end(false, true);
            }
        }
    }

    fn pipe(&mut self) {
        self.at += 1;
        let other = self.peek(0);
        if matches!(other, Some('|' | '&')) {
            self.at += 1;
        }
        self.skeleton.push('|');
        self.end(other != Some('|'), false);
    }

    fn redirect(&mut self, names: &Names) {
        let mut operator = String::new();
        while let Some(c @ ('>' | '<' | '|' | '&' | '-')) = self.peek(0) {
            let more = matches!(
                (operator.as_str(), c),
                ("", '>' | '<') | (">", '>' | '|' | '&') | ("<", '<' | '>' | '&') | ("<<", '<' | '-')
            );
            if !more {
                break;
            }
            operator.push(c);
            self.at += 1;
        }
        // `<(…)` and `>(…)` run a command.
        if matches!(operator.as_str(), "<" | ">") && self.peek(0) == Some('(') {
            self.at += 1;
            let inner = self.balanced('(', ')');
            self.ready.push_back(Piece::Inner { text: inner });
            return;
        }
        while matches!(self.peek(0), Some(' ' | '\t')) {
            self.at += 1;
        }
        let word = self.word(names);
        for text in word.inner {
            self.ready.push_back(Piece::Inner { text });
        }
        match operator.as_str() {
            "<<" | "<<-" => self.heredocs.push(word.text),
            "<<<" => self.ready.push_back(Piece::Input { text: word.text }),
            operator if operator.contains('>') => self.ready.push_back(Piece::Write { target: word.text }),
            _ => {}
        }
    }

    fn word_or_descriptor(&mut self, names: &Names) {
        // `2>` and `2>&1`: the number belongs to the redirection.
        let digits = self.chars[self.at..].iter().take_while(|c| c.is_ascii_digit()).count();
        if digits > 0 && matches!(self.peek(digits), Some('>' | '<')) {
            self.at += digits;
            return self.redirect(names);
        }
        let before = self.at;
        let word = self.word(names);
        if self.at == before {
            self.at += 1;
        }
        for text in word.inner {
            self.ready.push_back(Piece::Inner { text });
        }
        if !word.begun {
            return;
        }
        match word.text.as_str() {
            // Braces group only as words of their own.
            "{" | "}" if !word.quoted => self.end(false, false),
            _ if word.spoken => self.ready.push_back(Piece::Spoken { text: word.text }),
            _ => self.ready.push_back(Piece::Word { text: word.text, bare: !word.quoted }),
        }
    }

    fn word(&mut self, names: &Names) -> Word {
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
    fn balanced(&mut self, open: char, close: char) -> String {
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
