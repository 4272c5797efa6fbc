//! Pure functions on text that other programs, models and people wrote.
//!
//! **Owns** the way raw output becomes readable text (escape sequences, carriage returns), the masking
//! of secrets, the cuts shown to a model, the words of a completion note, and the typed tree that the
//! window draws Markdown from.
//!
//! **Never** does IO, awaits, keeps global mutable state, panics on any input, or makes HTML.

pub mod ansi; // terminal output -> text
pub mod markdown; // Markdown -> typed blocks
pub mod note; // the words a model reads about finished commands
pub mod redact; // secrets -> masks
pub mod tail; // the one order in which output is cleaned, masked and cut
