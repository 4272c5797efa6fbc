//! Why a file does not go with an answer.

use gatehouse_text::ansi::escape_invisible;
use gatehouse_text::media::Named;

use super::{LARGEST_ATTACHMENT, MOST_ATTACHMENTS};

/// Every reason there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Nothing lies there.
    Missing,
    /// It is a folder.
    Folder,
    /// It is a pipe, a socket or a device.
    NoFile,
    /// It lies where answers take nothing from.
    Outside,
    /// It is Gatehouse's own.
    Own,
    /// It may hold keys or passwords.
    Private,
    /// It is part of the system.
    System,
    /// It is too large.
    TooLarge,
    /// The answer names too many files.
    TooMany,
    /// It cannot be read.
    Unreadable,
    /// Another file took its place while it was looked at.
    Changed,
}

impl Reason {
    /// The reason, as the end of a sentence.
    pub fn words(self) -> String {
        match self {
            Self::Missing => "there is no such file".to_owned(),
            Self::Folder => "it is a folder".to_owned(),
            Self::NoFile => "it is no plain file".to_owned(),
            Self::Outside => "it lies outside of the work folder, the home folder and the temporary folder".to_owned(),
            Self::Own => "it belongs to Gatehouse itself".to_owned(),
            Self::Private => "it may hold keys or passwords".to_owned(),
            Self::System => "it is part of the system".to_owned(),
            Self::TooLarge => format!("it is larger than {} MB", LARGEST_ATTACHMENT / (1024 * 1024)),
            Self::TooMany => format!("an answer names at most {MOST_ATTACHMENTS} files"),
            Self::Unreadable => "it cannot be read".to_owned(),
            Self::Changed => "it was replaced while it was looked at".to_owned(),
        }
    }
}

/// A file that does not go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What the answer named.
    pub named: Named,
    /// Why it does not go.
    pub reason: Reason,
}

impl Refusal {
    /// One sentence for a person.
    pub fn for_person(&self) -> String {
        format!("{} was not attached: {}.", self.path(), self.reason.words())
    }

    fn path(&self) -> String {
        escape_invisible(&self.named.path)
    }
}
