//! Whether a command may run at all: the floor that nothing overrides, neither a person's mode nor a person.
//!
//! The floor is small on purpose: what can only be a catastrophe. Everything else is a person's decision. It reads a
//! command the way a shell would (quotes, escapes, substitutions, payloads of other shells), so that neither a trick
//! of spelling gets below it nor a sentence about `rm -rf /` trips over it. It guards against accidents of a model,
//! not against a program that wants to hide: a script file can still do what it wants.

mod catastrophe; // what is on the floor
mod device; // raw devices and places that hold a system
mod expand; // variables and substitutions whose value can be read off
pub(crate) mod shell; // the commands in a text, as a shell would start them

pub use catastrophe::{Category, Reason};

use shell::Unreadable;

/// Why this command must never run, if that is so.
pub fn hardline(command: &str) -> Option<Reason> {
    match shell::parse(command) {
        Ok(script) => catastrophe::find(&script),
        Err(Unreadable) => Some(Reason {
            category: Category::Unreadable,
            words: "it is too long or too deeply nested to be checked".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests;
