//! What happens to a command: every check, in its order.

use gatehouse_domain::ApprovalMode;

use super::catastrophe::{self, Category, Reason};
use super::danger::{self, Danger};
use super::read_only::is_read_only;
use super::rule::Deny;
use super::shell;
use super::sudo;

/// What a person decided before this command came.
#[derive(Debug, Clone, Copy)]
pub struct Policy<'p> {
    /// When to ask.
    pub mode: ApprovalMode,
    /// What never runs.
    pub deny: &'p [Deny],
    /// Whether a remembered answer allows this command: its identical text in the identical folder, or a pattern.
    pub remembered: bool,
}

/// What happens to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// It does not run, and nobody is asked.
    Block(Block),
    /// It runs, and nobody is asked.
    Run(Why),
    /// A person is asked.
    Ask {
        /// What they should know.
        dangers: Vec<Danger>,
    },
}

/// Why a command does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// It is on the floor.
    Floor(Reason),
    /// It feeds a password to `sudo`.
    SudoGuess,
    /// The person's settings deny it.
    Denied {
        /// The line of the settings.
        deny: String,
    },
}

/// Why a command runs unasked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It only reads and prints.
    ReadOnly,
    /// A remembered answer allows it.
    Rule,
    /// The mode asks for nothing, or for nothing like this.
    Mode,
}

impl Block {
    /// The reason, for a sentence after a colon.
    pub fn words(&self) -> String {
        match self {
            Self::Floor(reason) => reason.words.clone(),
            Self::SudoGuess => "it hands a password to sudo, and nobody gave one".to_owned(),
            Self::Denied { deny } => format!("the settings deny every command like `{deny}`"),
        }
    }
}

/// Judges a command. The first check that decides wins; a denial holds in every mode, and the floor over everything.
pub fn judge(command: &str, policy: &Policy<'_>) -> Judgement {
    let Ok(script) = shell::parse(command) else { return Judgement::Block(Block::Floor(Reason::unreadable())) };
    if let Some(reason) = catastrophe::find(&script) {
        return Judgement::Block(Block::Floor(reason));
    }
    if sudo::guesses(&script) {
        return Judgement::Block(Block::SudoGuess);
    }
    if let Some(deny) = policy.deny.iter().find(|deny| deny.denies(command, &script)) {
        return Judgement::Block(Block::Denied { deny: deny.as_str().to_owned() });
    }
    if policy.mode == ApprovalMode::Off {
        return Judgement::Run(Why::Mode);
    }
    if policy.remembered {
        return Judgement::Run(Why::Rule);
    }
    if is_read_only(command) {
        return Judgement::Run(Why::ReadOnly);
    }
    let dangers = danger::of(&script);
    match policy.mode {
        ApprovalMode::Risky if dangers.is_empty() => Judgement::Run(Why::Mode),
        ApprovalMode::Risky | ApprovalMode::Ask | ApprovalMode::Off => Judgement::Ask { dangers },
    }
}

impl Reason {
    /// What cannot be read cannot be let through.
    pub(super) fn unreadable() -> Self {
        let words = "it is too long or too deeply nested to be checked".to_owned();
        Self { category: Category::Unreadable, words }
    }
}

#[cfg(test)]
mod tests;
