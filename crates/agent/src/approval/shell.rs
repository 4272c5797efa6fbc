//! The commands in a text, as a POSIX shell would start them.
//!
//! This is a reader, not a shell: it finds simple commands, undoes quoting, follows the substitutions and payloads
//! whose text is there to be read, and leaves everything else as it is written.

use gatehouse_text::ansi;
use unicode_normalization::UnicodeNormalization;

use super::expand::{Names, braces};

mod payload; // commands inside commands
mod scan; // one text -> words and separators
mod word; // quotes, escapes and expansions

pub(crate) use payload::{DETACHED, base, is_reserved, is_shell, wrapped};
pub(crate) use scan::FILE_OF_A_COMMAND;
use scan::{Piece, Scanner};

const MOST_CHARS: usize = 128_000;
const MOST_COMMANDS: usize = 25_000;
const MOST_DEPTH: usize = 12;
/// Assignments and wrappers before one command.
const MOST_FRONT: usize = 256;
/// A longer directory is not one to watch over, and it would be kept with every command after it.
const MOST_CWD: usize = 512;

/// Too long or too deep to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unreadable;

/// Everything that a text starts.
#[derive(Debug, Default)]
pub(crate) struct Script {
    /// The simple commands, wrappers such as `sudo` taken off, in the order of the text.
    pub commands: Vec<Simple>,
    /// Whether the outermost text leaves a command behind with `&`.
    pub detaches: bool,
    /// The texts without quoted parts and blanks, for what is only visible in the whole.
    pub skeletons: Vec<String>,
}

/// One simple command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Simple {
    /// The assignments, reserved words and wrappers before it.
    pub front: Vec<String>,
    /// Its words, unquoted.
    pub words: Vec<String>,
    /// What it reads from a here-document, or from an `echo` before a pipe.
    pub input: String,
    /// Where it writes.
    pub writes: Vec<String>,
    /// Where it runs, if an earlier `cd` says so.
    pub cwd: Option<String>,
}

/// Reads a command.
pub(crate) fn parse(command: &str) -> Result<Script, Unreadable> {
    let mut script = Script::default();
    let mut reader = Reader { script: &mut script, names: Names::default(), cwd: None };
    reader.text(&normal(command), 0)?;
    Ok(script)
}

/// One spelling for what looks or runs the same.
pub(crate) fn normal(command: &str) -> String {
    let plain = ansi::strip(command).replace('\0', "");
    let same: String = plain.nfkc().collect();
    same.replace("\\\r\n", "").replace("\\\n", "").replace('\r', "\n")
}

struct Reader<'s> {
    script: &'s mut Script,
    names: Names,
    cwd: Option<String>,
}

/// A command while its words come in.
#[derive(Default)]
struct Draft {
    words: Vec<String>,
    writes: Vec<String>,
    input: String,
}

impl Reader<'_> {
    fn text(&mut self, text: &str, depth: usize) -> Result<(), Unreadable> {
        if depth > MOST_DEPTH || text.len() > MOST_CHARS * 4 || text.chars().count() > MOST_CHARS {
            return Err(Unreadable);
        }
        let mut scanner = Scanner::new(text);
        let mut draft = Draft::default();
        // What the command before a pipe says, if that can be read off.
        let mut piped = String::new();
        while let Some(piece) = scanner.next(&self.names) {
            match piece {
                Piece::Word { text, bare } => {
                    if bare {
                        draft.words.extend(braces(&text))
                    } else {
                        draft.words.push(text)
                    }
                }
                Piece::Inner { text } => self.text(&text, depth + 1)?,
                Piece::Spoken { text } => {
                    // The words that a substitution prints take its place.
                    draft.words.extend(text.split_whitespace().map(str::to_owned));
                }
                Piece::Write { target } => draft.writes.push(target),
                Piece::Input { text } => draft.input = text,
                Piece::End { pipe, detach } => {
                    self.script.detaches |= detach && depth == 0;
                    let said = self.command(std::mem::take(&mut draft), &piped, depth)?;
                    piped = if pipe { said } else { String::new() };
                }
            }
        }
        self.command(draft, &piped, depth)?;
        self.script.skeletons.push(scanner.into_skeleton());
        Ok(())
    }

    /// Files a command, and the commands inside it; returns what it prints if that can be read off.
    fn command(&mut self, draft: Draft, piped: &str, depth: usize) -> Result<String, Unreadable> {
        let Draft { words, writes, input } = draft;
        let (mut front, words) = self.assignments(words);
        if words.is_empty() && writes.is_empty() {
            return Ok(String::new());
        }
        if self.script.commands.len() >= MOST_COMMANDS {
            return Err(Unreadable);
        }
        let input = if input.is_empty() { piped.to_owned() } else { input };
        let (wrappers, words) = payload::unwrap(words, &input);
        front.extend(wrappers);
        if front.len() > MOST_FRONT || depth > MOST_DEPTH {
            return Err(Unreadable);
        }
        for text in payload::inner(&words, &input) {
            self.text(&text, depth + 1)?;
        }
        for words in payload::runs(&words) {
            let draft = Draft { words, ..Draft::default() };
            self.command(draft, "", depth + 1)?;
        }
        let said = payload::prints(&words);
        let cwd = self.cwd.clone();
        if words.first().is_some_and(|name| name == "cd" || name == "pushd") {
            let to = words.get(1).cloned().unwrap_or_else(|| "~".to_owned());
            self.cwd = Some(to).filter(|to| to.len() <= MOST_CWD);
        }
        self.script.commands.push(Simple { front, words, writes, input, cwd });
        Ok(said)
    }

    /// Splits `NAME=value` off the front.
    fn assignments(&mut self, mut words: Vec<String>) -> (Vec<String>, Vec<String>) {
        let mut front = 0;
        while let Some((name, value)) = words.get(front).and_then(|word| assignment(word)) {
            self.names.set(name, value);
            front += 1;
        }
        let rest = words.split_off(front);
        (words, rest)
    }
}

/// The two sides of `NAME=value`.
pub(crate) fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (starts_well && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')).then_some((name, value))
}
