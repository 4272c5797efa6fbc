//! Answers that a person gave once and for more than once.
//!
//! There are two kinds. An *exact* answer holds for the identical text in the identical folder, operators and all:
//! nothing is left in it to smuggle. Comparing two texts needs nothing from here. A [`Pattern`] holds for every plain
//! command that it matches, and for nothing that a shell would take apart or replace. What must never run is told
//! by a [`Deny`], which looks into every part of a text instead.

mod deny; // what never runs
mod pattern; // what runs unasked
mod refusal; // why a line cannot be either
mod suggest; // a pattern for what is asked about

pub use deny::Deny;
pub use pattern::Pattern;
pub use refusal::PatternError;
pub use suggest::suggest_pattern;

#[cfg(test)]
mod tests;
