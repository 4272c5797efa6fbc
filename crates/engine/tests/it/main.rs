//! The engine as the program that it is: lines in, lines out. What computes wants the starter model: set
//! `GATEHOUSE_STARTER` to its file and run with `--include-ignored`.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a broken set-up should end a test at once"
)]

mod allocator; // how much memory this program takes
mod bad; // files, conversations and lines that cannot be used
mod chat; // answers, taking them back, what is read again
mod figures; // how fast it is here
mod fuzz; // the starter's head, changed at will
mod long; // conversations that are longer than the context
mod support; // the engine as a program, and what is said to it
