//! Whether a command may run: never, unasked, or if a person says so.
//!
//! Everything here reads a command the way a shell would (quotes, escapes, substitutions, payloads of other shells),
//! so that neither a trick of spelling gets past it nor a sentence about `rm -rf /` trips over it. It guards against
//! accidents of a model, not against a program that wants to hide: a script file can still do what it wants.
//!
//! [`judge`] is the whole order of checks. The floor ([`hardline`]) is small on purpose: what can only be a
//! catastrophe, and what nothing overrides, neither a person's mode nor a person. [`dangers`] is what a person should
//! know before they answer. Everything is a function of its arguments: who is asked, and what was answered before, is
//! for others to keep.

mod catastrophe; // what is on the floor
mod danger; // what a person should know before it runs
mod device; // raw devices and places that hold a system
mod expand; // variables and substitutions whose value can be read off
mod glob; // `*` for any characters
mod judge; // every check, in its order
mod plain; // texts that leave nothing to guess
mod read_only; // what only reads and prints
pub mod rule; // answers that hold for more than once
pub(crate) mod shell; // the commands in a text, as a shell would start them
mod sudo; // passwords that are guessed
mod words; // options and operands

pub use catastrophe::{Category, Reason};
pub use danger::{Danger, DangerCategory, Place, dangers, place_of};
pub use judge::{Block, Judgement, Policy, Why, judge};
pub use read_only::is_read_only;
pub use sudo::sudo_guess;

use shell::Unreadable;

/// Why this command must never run, if that is so.
pub fn hardline(command: &str) -> Option<Reason> {
    match shell::parse(command) {
        Ok(script) => catastrophe::find(&script),
        Err(Unreadable) => Some(Reason::unreadable()),
    }
}

#[cfg(test)]
mod tests;
