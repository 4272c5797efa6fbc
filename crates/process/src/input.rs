//! What a job can be typed, through a terminal or a pipe, and why not.

use serde::{Deserialize, Serialize};

/// Bytes that one write may have, and that may wait for a program to read them.
pub const MAX_INPUT: usize = 64 * 1024;
/// A write that the program does not read is answered after this long; what is left of it still waits.
pub const INPUT_PATIENCE_MS: u64 = 5000;

/// The size of a terminal, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PtySize {
    /// Lines.
    pub rows: u16,
    /// Characters in a line.
    pub cols: u16,
}

impl Default for PtySize {
    fn default() -> Self {
        Self { rows: 30, cols: 120 }
    }
}

/// What a job without a terminal reads from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stdin {
    /// Nothing: whoever reads sees the end at once, and never hangs.
    #[default]
    Null,
    /// A pipe that can be typed to and closed.
    Pipe,
}

/// What comes after typed bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// Nothing: they are typed as they are.
    #[default]
    Nothing,
    /// The Enter key: what it sends depends on whether there is a terminal.
    Enter,
    /// The end of the input: a closed pipe, or what a terminal takes for the end.
    End,
}

/// Why a job was not typed to, or has no size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// It was started without a terminal and without a pipe.
    #[error("it runs without a terminal and takes no input; start it with pty to type to it")]
    NoInput,
    /// It has at most a pipe.
    #[error("it runs without a terminal, so it has no size")]
    NoTerminal,
    /// What was typed before still waits.
    #[error("the program does not read its input")]
    Full,
    /// One write may only have so much.
    #[error("one write has at most {MAX_INPUT} bytes")]
    TooLong,
    /// Its end was typed before, or the program has closed it.
    #[error("its input is closed")]
    Closed,
    /// Nobody is there to read.
    #[error("it has ended")]
    Ended,
    /// Its shim knows nothing of input.
    #[error("it was started by an older version, which cannot type to it")]
    OldShim,
    /// The line to its shim broke before the answer came.
    #[error("the line to its helper broke, so it is not known whether this was typed")]
    Unsure,
}
