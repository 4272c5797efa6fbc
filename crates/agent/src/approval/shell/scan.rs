//! One text, character by character, into words and separators.

use super::super::expand::Names;

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

/// What stands in the words of a command for a `<(…)` that it is handed as a file.
pub(crate) const FILE_OF_A_COMMAND: &str = "<(…)";

pub(super) struct Scanner {
    pub(super) chars: Vec<char>,
    pub(super) at: usize,
    ready: std::collections::VecDeque<Piece>,
    heredocs: Vec<String>,
    pub(super) skeleton: String,
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

    pub(super) fn peek(&self, ahead: usize) -> Option<char> {
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
            self.ready.push_back(Piece::Word { text: FILE_OF_A_COMMAND.to_owned(), bare: false });
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
}
