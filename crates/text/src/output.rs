//! The one way from what a program wrote to what somebody reads.
//!
//! The order is fixed: bytes, characters, is it text at all, what a terminal would show, what others make of it,
//! secrets masked, and only then the cut. A cut before the mask could leave half a secret that no longer looks like
//! one, and a mask before the terminal would miss a secret that only stands on the screen.

use std::sync::Arc;

mod binary; // what is no text
mod cut; // as much as a reader takes
mod decode; // bytes -> characters
mod edge; // what is given up where a window begins or ends in the middle
mod screen; // characters -> what a terminal shows
mod track; // which byte a character comes from
mod transform; // what others make of an output

pub use cut::{cut, last_line};
pub use edge::MARGIN;
pub(crate) use track::Track;
pub use transform::OutputTransform;

use crate::ansi;
use crate::redact::{self, Edges, Masking, Scope};

/// Characters of a foreground command's output that a model reads.
pub const FOREGROUND_LIMIT: usize = 50_000;
/// Characters of a finished command's output that a report holds.
pub const COMPLETION_LIMIT: usize = 2_000;
/// Characters of a look at a command.
pub const PREVIEW_LIMIT: usize = 1_000;
/// Characters in a list of commands.
pub const ENTRY_LIMIT: usize = 200;

/// A part of an output: its beginning, its end, or both.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    /// The first bytes of the output; may be empty.
    pub head: &'a [u8],
    /// The last bytes. They follow the head directly if nothing is omitted.
    pub tail: &'a [u8],
    /// Bytes between the two that are not here; before the tail if there is no head.
    pub omitted: u64,
    /// Bytes that were written.
    pub total: u64,
    /// More may be written.
    pub open: bool,
}

impl<'a> Window<'a> {
    /// A text that is whole.
    pub const fn whole(bytes: &'a [u8]) -> Self {
        Self { head: bytes, tail: &[], omitted: 0, total: bytes.len() as u64, open: false }
    }
}

/// Who reads, and how much of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The result of a command that was waited for: both ends.
    Foreground,
    /// The report of an end: the last lines.
    Completion,
    /// A look at a command.
    Preview,
    /// A line in a list.
    Entry,
    /// A page of lines.
    Log {
        /// The first one; without it, the last lines.
        offset: Option<u64>,
        /// How many.
        limit: u64,
    },
    /// A file that leaves: whole, and masked on the slightest doubt.
    Export,
}

/// The terminal that a program wrote to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScreenSize {
    /// Lines that a cursor can reach.
    pub rows: usize,
    /// Where a line is broken; never, if the program wrote to no terminal.
    pub columns: Option<usize>,
}

impl Default for ScreenSize {
    fn default() -> Self {
        Self { rows: 30, columns: None }
    }
}

/// Whose output it is.
#[derive(Clone, Copy, Default)]
pub struct Source<'a> {
    /// What ran, to the letter.
    pub command: &'a str,
    /// What it exited with, if it has.
    pub code: Option<i32>,
    /// What it wrote to.
    pub screen: ScreenSize,
    /// Values that are secret whatever they look like.
    pub secrets: &'a [&'a str],
    /// Asked in this order; the first that has an answer is taken.
    pub transforms: &'a [Arc<dyn OutputTransform>],
}

/// What somebody reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The text.
    pub text: String,
    /// The first byte of the output that is shown.
    pub from: u64,
    /// The first byte after it.
    pub to: u64,
    /// Bytes in between that are not shown.
    pub gap: Option<(u64, u64)>,
    /// Bytes that were written.
    pub total: u64,
    /// Which lines they are, if lines were asked for.
    pub page: Option<Page>,
    /// The first bytes of what is no text.
    binary: Option<Vec<u8>>,
}

/// Which lines are shown, counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The first.
    pub first: u64,
    /// The first after the last.
    pub end: u64,
    /// How many there are.
    pub total: u64,
}

impl Shown {
    /// `showing bytes a-b of n`, if that is not all of them.
    pub fn showing(&self) -> Option<String> {
        let Self { from, to, total, .. } = self;
        match self.gap {
            Some((start, end)) => Some(format!("showing bytes {from}-{start} and {end}-{to} of {total}")),
            None if *from > 0 || to < total => Some(format!("showing bytes {from}-{to} of {total}")),
            None => None,
        }
    }

    /// How many bytes are not shown.
    pub fn omitted(&self) -> u64 {
        let gap = self.gap.map_or(0, |(start, end)| end - start);
        self.from + gap + (self.total - self.to)
    }

    /// The text, under a line that says which part of the output it is.
    pub fn noted(&self) -> String {
        match self.showing().filter(|_| self.gap.is_none()) {
            Some(part) => format!("[{part}]\n{}", self.text),
            None => self.text.clone(),
        }
    }

    /// The text for a person: what is no text is shown by its first bytes.
    pub fn for_person(&self) -> String {
        match &self.binary {
            Some(head) => format!("{}\n{}", self.text.trim_end_matches('\n'), binary::hex(head)),
            None => self.text.clone(),
        }
    }
}

/// Makes an output fit to be read.
pub fn render(window: &Window<'_>, purpose: Purpose, source: &Source<'_>) -> Shown {
    let parts = edge::parts(window);
    let missing = match parts.as_slice() {
        [part] => window.total.saturating_sub(part.bytes.len() as u64),
        _ => 0,
    };
    let scope = scope(purpose, source.command);
    let texts: Vec<Text> = parts.iter().map(|part| read(part, missing, scope, source)).collect();
    let binary = parts.into_iter().find_map(|part| part.block).map(|block| block.head);
    let texts = if binary.is_some() { texts } else { transform::apply(texts, source) };
    let masked: Vec<Text> = texts.into_iter().map(|text| text.masked(scope, source.secrets)).collect();
    Shown { binary, ..cut::show(&masked, purpose, window) }
}

fn scope(purpose: Purpose, command: &str) -> Scope {
    match purpose {
        Purpose::Export => Scope::Egress,
        Purpose::Foreground | Purpose::Completion | Purpose::Preview | Purpose::Entry | Purpose::Log { .. } => {
            if redact::reveals_secrets(command) {
                Scope::Revealing
            } else {
                Scope::Command
            }
        }
    }
}

/// A piece of text, and the bytes that it was made of.
#[derive(Debug)]
struct Text {
    text: String,
    track: Track,
    /// The first byte that it stands for, and the first after it.
    from: u64,
    to: u64,
    edges: Edges,
    /// Secrets that stood in it before a cursor moved through it.
    found: Vec<String>,
}

fn read(part: &edge::Part<'_>, missing: u64, scope: Scope, source: &Source<'_>) -> Text {
    let (from, to, edges) = (part.from, part.from + part.bytes.len() as u64, part.edges);
    if let Some(block) = &part.block {
        // What is missing of a single part belongs to the same block: it was judged by what was seen.
        let (from, to) = if missing > 0 { (0, part.bytes.len() as u64 + missing) } else { (from, to) };
        let text = without_hidden(block.words(&part.bytes, missing, source.screen));
        return Text { text, track: Track::default(), from, to, edges, found: Vec::new() };
    }
    let decoded = decode::decode(&part.bytes, edges.open_after);
    let (text, track, found) = match screen::plain(&decoded.text, source.screen) {
        Some((text, track)) => (text, track, Vec::new()),
        None => {
            let (text, track) = screen::play(&decoded.text, source.screen);
            let masking = Masking { scope, secrets: source.secrets, edges };
            (text, track, redact::find(&ansi::strip(&decoded.text), masking))
        }
    };
    Text { text: without_hidden(text), track: track.then(&decoded.track), from, to, edges, found }
}

impl Text {
    fn masked(self, scope: Scope, secrets: &[&str]) -> Self {
        let masking = Masking { scope, secrets, edges: self.edges };
        let (clean, track) = redact::traced(&self.text, masking, &self.found);
        Self { track: track.then(&self.track), text: clean.into_owned(), ..self }
    }
}

/// Takes out what has no mark of its own and can make a text read as another one. What joins letters and emoji stays.
fn without_hidden(text: String) -> String {
    let hides = |ch: char| {
        matches!(ch, '\u{AD}' | '\u{61C}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
    };
    if text.is_ascii() || !text.contains(hides) { text } else { text.replace(hides, "") }
}

#[cfg(test)]
mod tests;
