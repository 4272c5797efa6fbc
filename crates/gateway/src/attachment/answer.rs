//! The files of one answer, as its entry keeps them: what may be opened, and what was refused, with the reason.

use std::collections::HashSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use gatehouse_domain::ItemId;
use gatehouse_store::ItemRow;
use gatehouse_text::media::{Kind, directives};
use serde::{Deserialize, Serialize};

use super::{Allowed, Attachment, Parts, Reason, apart, recheck};
use crate::core::Core;
use crate::error::{Error, Result};
use crate::gateway::Gateway;

/// What an answer names, beside its words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerFiles {
    /// What goes with it, each file once.
    pub files: Vec<AnswerFile>,
    /// What does not.
    pub refused: Vec<RefusedFile>,
}

/// A file that goes with an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerFile {
    /// Where it lies.
    pub path: String,
    /// Its name, for a person.
    pub name: String,
    /// `image`, `audio`, `video` or `document`.
    pub kind: String,
    /// Its size when it was looked at.
    pub bytes: u64,
}

/// A file that does not go with an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedFile {
    /// As the answer wrote it.
    pub path: String,
    /// The reason, as the end of a sentence.
    pub why: String,
}

/// Takes an answer apart where it names anything.
pub(crate) async fn of_answer(core: &Arc<Core>, text: &str) -> Option<Parts> {
    let found = directives(text);
    if found.files.is_empty() && !found.as_document && !found.audio_as_voice {
        return None;
    }
    let (core, text) = (Arc::clone(core), text.to_owned());
    let looked = tokio::task::spawn_blocking(move || apart(&text, &Allowed::of(&core))).await;
    looked.inspect_err(|error| tracing::error!("The files of an answer could not be looked at: {error}")).ok()
}

impl AnswerFiles {
    /// Nothing where the answer names no file.
    pub(crate) fn of(parts: &Parts) -> Option<Self> {
        let all = parts.files.images.iter().chain(&parts.files.others);
        // Paths that are no text have no name that a model could have written.
        let files = all.filter_map(AnswerFile::of).collect::<Vec<_>>();
        let refused = parts
            .refused
            .iter()
            .map(|refusal| RefusedFile { path: refusal.named.path.clone(), why: refusal.reason.words() });
        let kept = Self { files, refused: refused.collect() };
        (kept != Self::default()).then_some(kept)
    }

    /// As an entry keeps them; nothing for one that names none.
    pub fn read(row: &ItemRow) -> Option<Self> {
        (!row.files.is_empty()).then(|| serde_json::from_str(&row.files).ok()).flatten()
    }

    /// For the entry.
    pub(crate) fn written(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    /// The words without the tags of files that are shown beside them. A refused file stays named.
    pub fn words(&self, text: &str) -> String {
        let refused: HashSet<&str> = self.refused.iter().map(|file| file.path.as_str()).collect();
        directives(text).text_keeping(|named| refused.contains(named.path.as_str()))
    }

    /// What the model is told of what did not go, so that it does not tell the person of files that nobody got.
    pub(crate) fn for_model(&self) -> Option<String> {
        if self.refused.is_empty() {
            return None;
        }
        let one = |file: &RefusedFile| format!("{} ({})", one_line(&file.path), file.why);
        let all = self.refused.iter().map(one).collect::<Vec<_>>().join("; ");
        Some(format!("[The gateway did not hand over these files of the answer above: {all}.]"))
    }
}

fn one_line(text: &str) -> String {
    gatehouse_text::ansi::escape_invisible(text).replace(['\n', '\t'], " ")
}

impl AnswerFile {
    fn of(file: &Attachment) -> Option<Self> {
        let kind = match file.kind {
            Kind::Image => "image",
            Kind::Audio => "audio",
            Kind::Video => "video",
            Kind::Document => "document",
        };
        let path = file.path.to_str()?.to_owned();
        Some(Self { path, name: file.name.clone(), kind: kind.to_owned(), bytes: file.bytes })
    }
}

/// What a person wants with a file of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileUse {
    /// To see it in the program that the system has for it.
    Open,
    /// To see it in its folder.
    Folder,
}

impl Gateway {
    /// Where a file of an answer lies, looked at again: nobody is led anywhere else, and no program is started.
    pub async fn file_of_answer(&self, item: ItemId, path: &str, wanted: FileUse) -> Result<PathBuf> {
        let row = self.core().store.read(|s| s.items().get(item))?.ok_or(Error::NotFound("entry"))?;
        let files = AnswerFiles::read(&row).unwrap_or_default().files;
        let named = files.into_iter().find(|file| file.path == path).ok_or(Error::NotFound("file of that answer"))?;
        let (core, path) = (Arc::clone(self.core()), PathBuf::from(named.path));
        let look = move || {
            recheck(&path, &Allowed::of(&core)).map_err(Refused::Reason)?;
            if wanted == FileUse::Open && is_program(&path) { Err(Refused::Program) } else { Ok(path) }
        };
        let looked = tokio::task::spawn_blocking(look).await;
        looked.unwrap_or(Err(Refused::Reason(Reason::Unreadable))).map_err(|refused| Error::Invalid(refused.words()))
    }
}

enum Refused {
    Reason(Reason),
    Program,
}

impl Refused {
    fn words(self) -> String {
        match self {
            Self::Reason(reason) => format!("The file was not opened: {}.", reason.words()),
            Self::Program => "It is a program, and opening would run it. Look at it in its folder.".to_owned(),
        }
    }
}

/// What a system would run instead of showing it.
fn is_program(path: &std::path::Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let named = ending.is_some_and(|ending| ["desktop", "appimage", "jar", "exe"].contains(&ending.as_str()));
    named || std::fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0)
}
