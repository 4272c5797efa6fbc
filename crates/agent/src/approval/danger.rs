//! What can do damage that nobody wanted, and how to say it to a person.
//!
//! The list is made of what goes wrong with agents, not of everything that could. It says what a command would do;
//! whether that is fine only a person knows.

use super::shell::{self, DETACHED, Script, Simple, Unreadable, base};

mod category; // the closed set
mod code; // programs inside commands
mod data; // databases and repositories
mod files; // deleting, rights, and writing where it matters
mod machine; // services, processes, containers, packages
pub(super) mod places; // what a path stands for

pub use category::DangerCategory;
pub(super) use code::{hands_code, runs_text};
pub use places::{Place, place_of};

/// One thing a person should know before a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Danger {
    /// What kind.
    pub category: DangerCategory,
    /// One short sentence for a person.
    pub words: String,
}

/// What a rule finds: a kind, and a sentence about it.
type Finding = (DangerCategory, &'static str);

/// A command as the rules see it.
struct Call<'s> {
    name: &'s str,
    rest: Vec<&'s str>,
    simple: &'s Simple,
}

/// What is dangerous about a command, each kind once; nothing if nothing is known.
pub fn dangers(command: &str) -> Vec<Danger> {
    match shell::parse(command) {
        Ok(script) => of(&script),
        Err(Unreadable) => unread(),
    }
}

fn unread() -> Vec<Danger> {
    vec![danger((DangerCategory::Unreadable, "Cannot be checked, because it is too long or too deeply nested"))]
}

/// The dangers in what a text starts.
pub(super) fn of(script: &Script) -> Vec<Danger> {
    let calls: Vec<Call<'_>> = script.commands.iter().map(Call::new).collect();
    let mut found: Vec<Danger> = Vec::new();
    let mut add = |finding: Finding| {
        if found.iter().all(|known| known.category != finding.0) {
            found.push(danger(finding));
        }
    };
    for call in &calls {
        files::find(call, &mut add);
        data::find(call, &mut add);
        machine::find(call, &mut add);
        code::find(call, &mut add);
    }
    code::find_together(&calls, &mut add);
    machine::find_together(&calls, &mut add);
    data::find_together(&calls, &mut add);
    found
}

fn danger((category, words): Finding) -> Danger {
    Danger { category, words: words.to_owned() }
}

impl<'s> Call<'s> {
    fn new(simple: &'s Simple) -> Self {
        let mut words = simple.words.iter().map(String::as_str).filter(|word| !word.starts_with(DETACHED));
        let name = words.next().map_or("", base);
        Self { name, rest: words.collect(), simple }
    }

    /// Whether the word stands behind the program's name.
    fn says(&self, word: &str) -> bool {
        self.rest.contains(&word)
    }

    /// Whether one of the words stands behind the program's name.
    fn says_any(&self, words: &[&str]) -> bool {
        self.rest.iter().any(|word| words.contains(word))
    }

    /// Whether a bundle of short options has the letter.
    fn flag(&self, letter: char) -> bool {
        self.rest.iter().take_while(|word| **word != "--").any(|word| {
            word.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.contains(letter))
        })
    }

    /// The words that are no options.
    fn operands(&self) -> impl Iterator<Item = &'s str> {
        super::words::operands(&self.rest).collect::<Vec<_>>().into_iter()
    }

    /// The words that say where something is: not what a person reads, nor what is searched for.
    fn places(&self) -> Vec<&'s str> {
        match self.name {
            "echo" | "printf" => Vec::new(),
            "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" => self.operands().skip(1).collect(),
            _ => self.rest.clone(),
        }
    }

    /// The programs that stand before this one, such as `sudo`.
    fn is_behind(&self, wrappers: &[&str]) -> bool {
        self.simple.front.iter().any(|word| wrappers.contains(&base(word)))
    }
}

/// Asks every rule.
fn ask(rules: &[fn(&Call<'_>) -> Option<Finding>], call: &Call<'_>, add: &mut impl FnMut(Finding)) {
    rules.iter().filter_map(|rule| rule(call)).for_each(add);
}

#[cfg(test)]
mod tests;
