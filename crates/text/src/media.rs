//! Files that an answer names, to be handed over with it.
//!
//! `MEDIA:/a/b.png` names one: a path from a root, in quotation marks or backticks or bare; blanks may stand in a bare
//! one with a known ending. `[[as_document]]` and `[[audio_as_voice]]` say how. In code, in a quotation and in strings
//! of JSON none of this means anything: who shows such a text to somebody asks for nothing.
//!
//! Nothing here knows whether a file exists. So a text is cut in two steps: what it names is read first, and what was
//! refused by others stays where it stands.

use std::ops::Range;

mod cut;
mod json;
mod kind;
mod layout;
mod mark;
mod path;

pub use kind::{Kind, Split, kind, split};

use layout::Layout;
use mark::{Mark, Sign};

/// A file that a text names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// As it was written, without quotation marks.
    pub path: String,
    /// What goes when the file goes: bytes of the text, with the signs around the tag.
    pub range: Range<usize>,
}

/// What a text asks for beside its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directives<'t> {
    source: &'t str,
    /// Files in the order in which they are named; one can be named twice.
    pub files: Vec<Named>,
    /// Pictures go as documents.
    pub as_document: bool,
    /// Sound goes as spoken words.
    pub audio_as_voice: bool,
    flags: Vec<Range<usize>>,
}

impl Directives<'_> {
    /// The text with everything taken out.
    pub fn text(&self) -> String {
        self.text_keeping(|_| false)
    }

    /// The text with everything taken out but the files that stay visible.
    ///
    /// Blanks before what is taken out go with it, and so does a line that held nothing else.
    pub fn text_keeping(&self, stays: impl Fn(&Named) -> bool) -> String {
        let going = self.files.iter().filter(|file| !stays(file)).map(|file| &file.range);
        let mut cuts: Vec<Range<usize>> = going.chain(&self.flags).cloned().collect();
        cuts.sort_unstable_by_key(|cut| cut.start);
        cut::without(self.source, &cuts)
    }
}

/// Reads what a text asks for.
pub fn directives(source: &str) -> Directives<'_> {
    let mut found =
        Directives { source, files: Vec::new(), as_document: false, audio_as_voice: false, flags: Vec::new() };
    let marks = mark::all(source);
    if marks.is_empty() {
        return found;
    }
    let layout = Layout::of(source);
    let marks: Vec<Mark> = marks.into_iter().filter(|mark| !layout.is_verbatim(mark.at)).collect();
    let mut floor = 0;
    for (index, mark) in marks.iter().enumerate() {
        let next = marks.get(index + 1).map_or(source.len(), |next| next.at);
        if mark.at >= floor
            && let Some(end) = found.take(mark, &layout, floor..next)
        {
            floor = end;
        }
    }
    found
}

impl Directives<'_> {
    /// Takes one mark in and says where it ends. Nothing outside of `room` can belong to it.
    fn take(&mut self, mark: &Mark, layout: &Layout, room: Range<usize>) -> Option<usize> {
        let room = layout.narrowed(mark.at, room);
        let (path, range) = match mark.sign {
            Sign::File => file(self.source, mark, layout, &room)?,
            Sign::AsDocument | Sign::AudioAsVoice => (None, mark.range()),
        };
        let range = layout.link_around(&range, &room).unwrap_or_else(|| cut::widened(self.source, range, &room));
        let end = range.end;
        match mark.sign {
            Sign::File => self.files.extend(path.map(|path| Named { path, range })),
            Sign::AsDocument => {
                self.as_document = true;
                self.flags.push(range);
            }
            Sign::AudioAsVoice => {
                self.audio_as_voice = true;
                self.flags.push(range);
            }
        }
        Some(end)
    }
}

/// The path behind a tag, and all that the tag takes up.
fn file(source: &str, mark: &Mark, layout: &Layout, room: &Range<usize>) -> Option<(Option<String>, Range<usize>)> {
    let behind = mark.range().end;
    let before = source[room.start..mark.at].chars().next_back();
    let line = mark::line(&source[behind..room.end], before);
    let start = behind + (line.len() - line.trim_start_matches([' ', '\t']).len());
    if let Some(code) = layout.code_at(source, start) {
        let path = path::in_code(&source[code.clone()])?;
        return Some((Some(path.to_owned()), mark.at..code.end));
    }
    let written = path::read(&source[start..behind + line.len()])?;
    Some((Some(written.path.to_owned()), mark.at..start + written.end))
}

#[cfg(test)]
mod tests;
