//! What never runs, in any mode.

use super::super::glob;
use super::super::shell::{self, DETACHED, Script, Simple, base};
use super::refusal::{PatternError, line};

/// A glob over commands that never run: `*` is any run of characters.
///
/// It is held against the whole text and against every command in it, with and without what stands before a command
/// (`sudo`, assignments) and with and without the folder of its program. So a denial cannot be dodged by `true; x`,
/// by quotes, or by a shell that is handed the text. What a script file does it cannot see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deny {
    text: String,
}

impl Deny {
    /// Reads a line of the settings.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let words: Vec<&str> = line(text)?.split(' ').filter(|word| !word.is_empty()).collect();
        Ok(Self { text: words.join(" ") })
    }

    /// The line as it is written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether this command is denied; what cannot be read is.
    pub fn matches(&self, command: &str) -> bool {
        shell::parse(command).map_or(true, |script| self.denies(command, &script))
    }

    pub(in super::super) fn denies(&self, command: &str, script: &Script) -> bool {
        let whole: Vec<String> = shell::normal(command).split_whitespace().map(str::to_owned).collect();
        self.fits(&whole.join(" ")) || script.commands.iter().any(|simple| self.denies_simple(simple))
    }

    fn denies_simple(&self, simple: &Simple) -> bool {
        let words = simple.words.iter().filter(|word| !word.starts_with(DETACHED));
        let words: Vec<&str> = simple.front.iter().chain(words).map(String::as_str).collect();
        (0..=simple.front.len().min(words.len().saturating_sub(1))).any(|start| self.denies_words(&words[start..]))
    }

    fn denies_words(&self, words: &[&str]) -> bool {
        let Some((program, rest)) = words.split_first() else { return false };
        let first = self.text.split(' ').next().unwrap_or_default();
        // Joining is only worth it where the program fits.
        let starts = |name: &str| first.contains('*') || first == name;
        let text = |name: &str| std::iter::once(name).chain(rest.iter().copied()).collect::<Vec<_>>().join(" ");
        // A program that is only known when it runs may be this one.
        let unknown = program.starts_with('$').then_some(first);
        [*program, base(program)].into_iter().chain(unknown).any(|name| starts(name) && self.fits(&text(name)))
    }

    /// A star as the last word also stands for no word.
    fn fits(&self, text: &str) -> bool {
        let bare = self.text.strip_suffix(" *");
        glob::matches(&self.text, text) || bare.is_some_and(|bare| glob::matches(bare, text))
    }
}
