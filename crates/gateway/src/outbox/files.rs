//! The files of an answer: as text for a row, and as something to hand over.

use std::path::PathBuf;
use std::sync::Arc;

use gatehouse_channel::{Attachment, Capabilities, Parcel};
use gatehouse_text::media::Kind;
use serde::{Deserialize, Serialize};

use crate::attachment::{self, Allowed, Parts};
use crate::core::Core;

/// One segment: images that go together, or any other file by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Files {
    sort: Sort,
    paths: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Sort {
    Images,
    Voice,
    Video,
    Document,
}

/// The segments of an answer's files, in the order in which they go.
pub(super) fn segments(parts: &Parts) -> Vec<String> {
    let images = parts.files.images.iter().map(|image| image.path.clone()).collect::<Vec<_>>();
    let batch = (!images.is_empty()).then_some(Files { sort: Sort::Images, paths: images });
    let others = parts
        .files
        .others
        .iter()
        .map(|file| Files { sort: sort(file.kind, parts.audio_as_voice), paths: vec![file.path.clone()] });
    // Paths that are no text have no name that a model could have written.
    batch.into_iter().chain(others).filter_map(|files| serde_json::to_string(&files).ok()).collect()
}

const fn sort(kind: Kind, as_voice: bool) -> Sort {
    match kind {
        Kind::Image => Sort::Images,
        Kind::Audio if as_voice => Sort::Voice,
        Kind::Video => Sort::Video,
        Kind::Audio | Kind::Document => Sort::Document,
    }
}

/// Why a segment may not go any more. An answer can wait for hours, and something else may lie there by then.
pub(super) async fn refused(core: &Arc<Core>, payload: &str) -> Option<String> {
    let Files { paths, .. } = serde_json::from_str(payload).ok()?;
    let core = Arc::clone(core);
    let look = move || {
        let allowed = Allowed::of(&core);
        let unfit = |path: &PathBuf| attachment::recheck(path, &allowed).err().map(|reason| (path.clone(), reason));
        paths.iter().find_map(unfit).map(|(path, reason)| format!("{}: {}", path.display(), reason.words()))
    };
    let looked = tokio::task::spawn_blocking(look).await;
    looked.unwrap_or_else(|error| Some(format!("the file could not be looked at: {error}")))
}

/// What the files of a segment are called.
pub(super) fn names(payload: &str) -> Vec<String> {
    let paths = serde_json::from_str::<Files>(payload).map(|files| files.paths).unwrap_or_default();
    paths.iter().map(|path| attachment::name(path)).collect()
}

/// What is handed over: a channel that does not know a sort of files gets them as plain ones. Nothing where it takes no
/// files at all, or where the row says nothing that can be read.
pub(super) fn parcel(payload: &str, able: Capabilities) -> Option<Parcel> {
    let Files { sort, paths } = serde_json::from_str(payload).ok()?;
    let mut files = paths.into_iter().map(Attachment::from);
    let parcel = match sort {
        Sort::Images => Parcel::Images(files.collect()),
        Sort::Voice if able.voice => Parcel::Voice(files.next()?),
        Sort::Video if able.video => Parcel::Video(files.next()?),
        Sort::Voice | Sort::Video | Sort::Document => Parcel::Document(files.next()?),
    };
    able.carry(&parcel).then_some(parcel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_go_as_what_the_channel_knows() {
        let written = |sort| serde_json::to_string(&Files { sort, paths: vec!["a.ogg".into()] }).unwrap();
        let plain = Capabilities { document: true, ..Capabilities::default() };
        let able = Capabilities { voice: true, video: true, batch: true, ..plain };
        for (sort, all, some, none) in [
            (Sort::Voice, Some(Parcel::Voice("a.ogg".into())), Some(Parcel::Document("a.ogg".into())), None),
            (Sort::Video, Some(Parcel::Video("a.ogg".into())), Some(Parcel::Document("a.ogg".into())), None),
            (Sort::Images, Some(Parcel::Images(vec!["a.ogg".into()])), None, None),
            (Sort::Document, Some(Parcel::Document("a.ogg".into())), Some(Parcel::Document("a.ogg".into())), None),
        ] {
            let payload = written(sort);
            for (capabilities, expected) in [(able, all), (plain, some), (Capabilities::default(), none)] {
                assert_eq!(parcel(&payload, capabilities), expected, "{sort:?} {capabilities:?}");
            }
        }
        assert_eq!(parcel("{}", able), None);
    }
}
