//! What a GGUF file says of itself, read before anything else trusts it.
//!
//! **Owns** the format's head: its key-value pairs, its list of tensors, and whether the file is as long as they say.
//! Everything is bounded, so that a hostile file costs no more than a good one.
//!
//! **Never** reads a weight, computes, or calls a C library. What is refused here is never shown to one.

mod kind; // kinds of numbers and how much room they take
mod read; // the bytes of the head, bounded
mod value; // the values of the head
mod walk; // from the bytes to what they say

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

pub use walk::Model;

/// Why a file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It is not there, or cannot be opened.
    #[error("{0}")]
    NoFile(String),
    /// It is something else.
    #[error("It is no GGUF file: {0}.")]
    NotAModel(String),
    /// It is one, and cut short or wrong.
    #[error("The file is damaged: {0}.")]
    Damaged(String),
    /// It is whole, and of a kind that is not known here.
    #[error("The file is of a kind that cannot be read here: {0}.")]
    Unsupported(String),
}

/// The crate's own result.
pub type Result<T> = std::result::Result<T, Error>;

/// Reads the head of the file at `path`.
pub fn open(path: &Path) -> Result<Model> {
    let metadata = std::fs::metadata(path).map_err(|error| no_file(&error))?;
    // A pipe or a device may never end, and opening one may wait for ever.
    if !metadata.is_file() {
        return Err(Error::NotAModel("it is not an ordinary file".into()));
    }
    let file = File::open(path).map_err(|error| no_file(&error))?;
    walk::walk(file, metadata.len())
}

fn no_file(error: &std::io::Error) -> Error {
    Error::NoFile(match error.kind() {
        ErrorKind::NotFound => "The file is not there. Was it moved or deleted?".into(),
        ErrorKind::PermissionDenied => "The file may not be read by you.".into(),
        _ => format!("The file cannot be opened: {error}."),
    })
}
