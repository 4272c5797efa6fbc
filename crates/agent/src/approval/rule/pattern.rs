//! What a person lets run unasked.

use super::super::danger::{self, DangerCategory};
use super::super::shell::{assignment, base, is_reserved, wrapped};
use super::super::{catastrophe, glob, plain, shell, sudo};
use super::refusal::{PatternError, line};
use super::suggest::narrow;

/// A glob over the words of one plain command: `*` is any part of a word, and as the last word any further words or
/// none. Everything else stands for itself.
///
/// It never covers a text with operators, redirections, substitutions or wildcards of its own, nor anything on the
/// floor, nor a kind of danger that the pattern does not itself spell out: `git push *` does not cover
/// `git push --force`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    words: Vec<String>,
    covered: Vec<DangerCategory>,
}

impl Pattern {
    /// Reads a pattern as a person writes it.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let text = line(text)?;
        if let Some(c) = text.chars().find(|c| *c != '*' && *c != ' ' && !plain::is_plain(*c)) {
            return Err(PatternError::Syntax(c));
        }
        let words: Vec<String> = text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        check(&words)?;
        let said = spelled_out(&words);
        if let Some(reason) = shell::parse(&said).ok().and_then(|script| catastrophe::find(&script)) {
            return Err(PatternError::Floor(reason.words));
        }
        let covered = danger::dangers(&said).into_iter().map(|danger| danger.category).collect();
        Ok(Self { text: words.join(" "), words, covered })
    }

    /// The pattern as it is written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the pattern lets this command run.
    pub fn matches(&self, command: &str) -> bool {
        let Some(words) = plain::single(command) else { return false };
        self.fits(&words) && self.is_safe(command)
    }

    fn fits(&self, words: &[String]) -> bool {
        let (globs, open) = match self.words.split_last() {
            Some((last, first)) if last == "*" => (first, true),
            Some(_) | None => (self.words.as_slice(), false),
        };
        let enough = if open { words.len() >= globs.len() } else { words.len() == globs.len() };
        enough && globs.iter().zip(words).all(|(glob, word)| fits_word(glob, word))
    }

    fn is_safe(&self, command: &str) -> bool {
        let Ok(script) = shell::parse(command) else { return false };
        // A command in a command, as behind `find -exec`, is not what the words of a pattern speak of.
        if script.commands.len() != 1 {
            return false;
        }
        let covered = |danger: &danger::Danger| self.covered.contains(&danger.category);
        catastrophe::find(&script).is_none() && !sudo::guesses(&script) && danger::of(&script).iter().all(covered)
    }
}

/// A star within a word does not climb out of the folder that the word names.
fn fits_word(glob: &str, word: &str) -> bool {
    let climbs = glob.contains('*') && word.split('/').any(|part| part == "..");
    glob::matches(glob, word) && !climbs
}

/// What the pattern says without its stars.
fn spelled_out(words: &[String]) -> String {
    let said: Vec<String> = words.iter().map(|word| word.replace('*', "")).filter(|word| !word.is_empty()).collect();
    said.join(" ")
}

fn check(words: &[String]) -> Result<(), PatternError> {
    let Some((program, rest)) = words.split_first() else { return Err(PatternError::Empty) };
    if program.contains('*')
        || program.starts_with(['-', '=', '~'])
        || is_reserved(program)
        || assignment(program).is_some()
    {
        return Err(PatternError::NoProgram);
    }
    let name = base(program);
    let anything = || PatternError::RunsAnything(name.to_owned());
    if let Some(inner) = wrapped(words) {
        // What a wrapper starts must itself be a pattern.
        return check(inner).map_err(|_| anything());
    }
    let literal = |word: &&String| !word.contains('*');
    let named: Vec<&str> = rest.iter().take_while(literal).map(String::as_str).collect();
    if danger::runs_text(name) {
        let coded = rest.iter().any(|word| danger::hands_code(name, word));
        let script = named.iter().any(|word| !word.starts_with('-'));
        return if coded || !script { Err(anything()) } else { Ok(()) };
    }
    let runs = RUNNERS.iter().find(|runner| {
        runner.split(' ').eq(std::iter::once(name).chain(named.iter().copied()).take(runner.split(' ').count()))
    });
    if let Some(runner) = runs {
        let more = named.iter().skip(runner.split(' ').count() - 1).any(|word| !word.starts_with('-'));
        return if more { Ok(()) } else { Err(PatternError::RunsAnything((*runner).to_owned())) };
    }
    match narrow(name) {
        Some(command) if !named.iter().any(|word| !word.starts_with('-')) && !rest.is_empty() => {
            Err(PatternError::TooWide(name.to_owned(), command.to_owned()))
        }
        Some(_) | None => Ok(()),
    }
}

/// Programs that run whatever they are told to.
const RUNNERS: &[&str] = &[
    "npx",
    "bunx",
    "uvx",
    "pipx run",
    "uv run",
    "npm exec",
    "npm x",
    "pnpm dlx",
    "pnpm exec",
    "yarn dlx",
    "yarn exec",
    "bun x",
    "poetry run",
    "docker run",
    "docker exec",
    "podman run",
    "podman exec",
    "kubectl exec",
    "ssh",
    "su",
    "script",
    "find",
    "parallel",
    "entr",
    "git -c",
    "make",
    "screen",
    "tmux",
    "at",
    "nix run",
    "nix-shell",
    "cargo watch",
    "trap",
    "alias",
];
