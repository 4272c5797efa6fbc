//! What a terminal shows of a text, with everything that scrolled off above it.
//!
//! A line has its own length, and lines that left the screen stay: a log of any length comes out whole. A program that
//! takes the whole screen for itself leaves its last screen behind. No sequence costs more than a screen or
//! [`WIDEST`] cells, so a text of any kind takes time in proportion to its length.

use super::{ScreenSize, Track};
use crate::ansi::sequence_at;

mod cells; // one line
mod control; // escape sequences
mod page; // lines and a cursor

use cells::{Cell, Clusters};
use page::Page;

/// A cursor goes no further to the right than this, unless there is text.
const WIDEST: usize = 1_000;
/// Blanks that movements may make in one text: a few bytes can ask for a whole line of them.
const MOST_BLANKS: usize = 1 << 20;

/// Plays a text; also says where its lines come from.
pub(super) fn play(text: &str, size: ScreenSize) -> (String, Track) {
    let mut screen = Screen::new(size);
    screen.page.returns = returns(text, size);
    screen.play(text);
    let (shown, mut track) = screen.read();
    track.push(shown.len(), text.len());
    (shown, track)
}

/// Without a terminal between them, a line feed of a program is the end of its line. A terminal makes two characters of
/// that, so a text with none of those never went through one, whatever was asked for.
fn returns(text: &str, size: ScreenSize) -> bool {
    size.columns.is_none() || !text.contains("\r\n")
}

/// The quick way for a text in which no cursor moves but to the next line.
pub(super) fn plain(text: &str, size: ScreenSize) -> Option<(String, Track)> {
    let bytes = text.as_bytes();
    let moves = |byte: &u8| (*byte < 0x20 && !matches!(*byte, b'\n' | b'\t' | b'\r')) || *byte == 0x7F;
    if bytes.iter().any(moves) || (!text.is_ascii() && text.contains(|ch| ('\u{80}'..='\u{9F}').contains(&ch))) {
        return None;
    }
    if !bytes.contains(&b'\r') {
        return Some((text.to_owned(), Track::default()));
    }
    let returns = returns(text, size);
    let (mut out, mut track, mut at) = (String::with_capacity(text.len()), Track::default(), 0);
    for line in text.split_inclusive('\n') {
        track.push(out.len(), at);
        at += line.len();
        let (words, end) = line.strip_suffix('\n').map_or((line, ""), |words| (words, "\n"));
        let shown = words.trim_end_matches('\r');
        let down = !returns && !end.is_empty() && shown.len() == words.len();
        if shown.contains('\r') || down {
            return None;
        }
        out.push_str(shown);
        out.push_str(end);
    }
    track.push(out.len(), at);
    Some((out, track))
}

struct Screen {
    page: Page,
    /// The page that a program covered with its own.
    covered: Option<Page>,
    clusters: Clusters,
    blanks: usize,
    /// Letters stand for parts of frames.
    draws_lines: bool,
    last: char,
    /// Where in the text the next character stands.
    at: usize,
}

impl Screen {
    fn new(size: ScreenSize) -> Self {
        Self {
            page: Page::new(size, true),
            covered: None,
            clusters: Clusters::default(),
            blanks: MOST_BLANKS,
            draws_lines: false,
            last: ' ',
            at: 0,
        }
    }

    fn play(&mut self, text: &str) {
        while let Some(rest) = text.get(self.at..).filter(|rest| !rest.is_empty()) {
            let run = rest.bytes().take_while(|byte| (0x20..0x7F).contains(byte)).count();
            if run > 0 && !self.draws_lines {
                self.page.run(&rest[..run], self.at, &mut self.blanks);
                self.last = char::from(rest.as_bytes()[run - 1]);
                self.at += run;
            } else if let Some(len) = sequence_at(rest) {
                self.sequence(&rest[..len]);
                self.at += len;
            } else if let Some(ch) = rest.chars().next() {
                self.char(ch);
                self.at += ch.len_utf8();
            }
        }
    }

    fn char(&mut self, ch: char) {
        match ch {
            '\n' | '\u{B}' | '\u{C}' => self.page.line_feed(self.at),
            '\r' => self.page.column = 0,
            '\u{8}' => self.page.column = self.page.column.saturating_sub(1),
            '\t' => self.page.tab(self.at, &mut self.blanks),
            _ if ch.is_control() => {}
            _ => {
                let ch = if self.draws_lines { control::frame(ch) } else { ch };
                self.page.put(ch, self.at, &mut self.blanks, &mut self.clusters);
                self.last = ch;
            }
        }
    }

    /// What is left of the screen, and all that scrolled off.
    fn read(mut self) -> (String, Track) {
        self.uncover();
        self.page.read(&self.clusters)
    }

    fn cover(&mut self) {
        if self.covered.is_none() {
            let mut own = Page::new(self.page.size, false);
            own.returns = self.page.returns;
            self.covered = Some(std::mem::replace(&mut self.page, own));
        }
    }

    fn uncover(&mut self) {
        if let Some(page) = self.covered.take() {
            let own = std::mem::replace(&mut self.page, page);
            self.page.take_over(own);
        }
    }
}

#[cfg(test)]
mod tests;
