//! Pure functions on text that other programs, models and people wrote.
//!
//! **Owns** the one way from what a program wrote to what somebody reads (characters, a terminal's screen, masks,
//! cuts), the masking of secrets, the words of a completion note, the typed tree that the window draws Markdown from, and
//! which files an answer hands over.
//!
//! **Never** does IO, awaits, keeps global mutable state, panics on any input, or makes HTML.

pub mod ansi; // escape sequences and hidden characters in other texts
pub mod markdown; // Markdown -> typed blocks
pub mod media; // files that an answer names
pub mod note; // the words a model reads about finished commands
pub mod output; // what a program wrote -> what somebody reads
pub mod redact; // secrets -> masks
