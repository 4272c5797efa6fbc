//! Files that an answer names, looked at before anybody gets them.
//!
//! A model can name any path, also one that a page or a mail told it. So a file is handed over only if it lies where
//! the person works, keeps no keys, is no part of the system, and is a plain file of a bearable size. All of that is
//! asked of the place that symbolic links lead to, once more of the file that was opened, and again before it goes. What
//! is refused stays in the text, and the person is told why.
//!
//! Everything here reads the file system and may wait for it: it is called where waiting is allowed.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use gatehouse_text::ansi::escape_invisible;
use gatehouse_text::media::{Kind, Split, directives, kind, split};

mod allowed; // where files may lie
mod answer; // what an answer's entry keeps
mod look; // one file, as it is now
mod refusal; // why a file does not go

pub use allowed::Allowed;
pub(crate) use answer::of_answer;
pub use answer::{AnswerFile, AnswerFiles, FileUse, RefusedFile};
pub use refusal::{Reason, Refusal};

/// Bytes that one file may have.
pub const LARGEST_ATTACHMENT: u64 = 50 * 1024 * 1024;
/// Files that one answer may name.
pub const MOST_ATTACHMENTS: usize = 100;

/// A file that goes with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Where it really lies.
    pub path: PathBuf,
    /// Its name, for a person.
    pub name: String,
    /// How it goes.
    pub kind: Kind,
    /// Its size when it was looked at.
    pub bytes: u64,
}

/// Asks everything again about a file that was taken before: time has passed since.
pub fn recheck(path: &Path, allowed: &Allowed) -> Result<(), Reason> {
    let seen = look::look(path, allowed)?;
    // What lies there now may be a link to a file that would be allowed too, but is another one.
    if seen.path == path { Ok(()) } else { Err(Reason::Changed) }
}

/// An answer, its words and its files apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// What stays to be read. Refused files are still named in it.
    pub text: String,
    /// Pictures as one batch, then the others in order. Each file is there once.
    pub files: Split<Attachment>,
    /// Sound is meant as spoken words.
    pub audio_as_voice: bool,
    /// What does not go, in the order in which it was named.
    pub refused: Vec<Refusal>,
}

/// Takes an answer apart. Earlier answers do not matter: who names a file again wants it again.
pub fn apart(text: &str, allowed: &Allowed) -> Parts {
    let found = directives(text);
    let mut taken: Vec<Attachment> = Vec::new();
    let mut refused: Vec<Refusal> = Vec::new();
    for (index, named) in found.files.iter().enumerate() {
        // Counted by name: a text full of tags costs no more looks than this.
        let looked = if index < MOST_ATTACHMENTS {
            resolve(&named.path, found.as_document, allowed)
        } else {
            Err(Reason::TooMany)
        };
        match looked {
            Ok(attachment) if taken.iter().any(|other| other.path == attachment.path) => {}
            Ok(attachment) => taken.push(attachment),
            Err(reason) => refused.push(Refusal { named: named.clone(), reason }),
        }
    }
    let visible: HashSet<usize> = refused.iter().map(|refusal| refusal.named.range.start).collect();
    let text = found.text_keeping(|named| visible.contains(&named.range.start));
    let files = split(taken, |file| file.kind);
    Parts { text, files, audio_as_voice: found.audio_as_voice, refused }
}

/// Looks at one file. `path` is as it was written; `~/` is the person's home.
pub fn resolve(path: &str, as_document: bool, allowed: &Allowed) -> Result<Attachment, Reason> {
    let seen = look::look(&allowed.expanded(path), allowed)?;
    let kind = kind(&seen.path.to_string_lossy(), as_document);
    Ok(Attachment { name: name(&seen.path), kind, bytes: seen.bytes, path: seen.path })
}

/// What a file is called, for a person.
pub(crate) fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    escape_invisible(&name.to_string_lossy())
}

#[cfg(test)]
mod tests;
