//! What a file is by its name, and which files go together.

/// How a file is handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A picture that is shown, in one batch with the others.
    Image,
    /// Sound.
    Audio,
    /// Film.
    Video,
    /// Everything else.
    Document,
}

const IMAGE: &[&str] = &["jpg", "jpeg", "png", "webp", "gif"];
const AUDIO: &[&str] = &["mp3", "m4a", "ogg", "oga", "opus", "wav", "flac", "aac"];
const VIDEO: &[&str] = &["mp4", "mov", "avi", "mkv", "webm", "3gp"];
/// Documents whose ending is as good a mark of a path's end as a quotation mark.
const DOCUMENT: &[&str] = &[
    "7z", "apk", "avif", "bmp", "bz2", "css", "csv", "db", "deb", "diff", "doc", "docx", "dxf", "eml", "epub", "glb",
    "gpx", "gz", "heic", "htm", "html", "ico", "ics", "ini", "ipynb", "iso", "java", "js", "json", "jsonl", "jsx",
    "kml", "log", "md", "obj", "odp", "ods", "odt", "otf", "parquet", "patch", "pdf", "ppt", "pptx", "psd", "py",
    "rar", "rpm", "rs", "rtf", "sh", "sql", "sqlite", "srt", "stl", "svg", "tar", "tex", "tgz", "tif", "tiff", "toml",
    "ts", "tsv", "tsx", "ttf", "txt", "vcf", "vtt", "wasm", "woff", "woff2", "xls", "xlsx", "xml", "xz", "yaml", "yml",
    "zip", "zst",
];

/// Longer than any ending on the lists.
pub(super) const LONGEST_ENDING: usize = 8;

/// Tells a file by its ending, in either case. With `as_document` no picture is shown.
pub fn kind(path: &str, as_document: bool) -> Kind {
    let ending = ending(path).unwrap_or_default();
    if is_one(ending, IMAGE) {
        if as_document { Kind::Document } else { Kind::Image }
    } else if is_one(ending, AUDIO) {
        Kind::Audio
    } else if is_one(ending, VIDEO) {
        Kind::Video
    } else {
        Kind::Document
    }
}

/// What leaves at once, and what leaves after it one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split<T> {
    /// Pictures, as one batch.
    pub images: Vec<T>,
    /// All others, in the order in which they were named.
    pub others: Vec<T>,
}

/// Puts the pictures apart.
pub fn split<T>(files: impl IntoIterator<Item = T>, kind: impl Fn(&T) -> Kind) -> Split<T> {
    let (images, others) = files.into_iter().partition(|file| kind(file) == Kind::Image);
    Split { images, others }
}

/// Whether an ending is on any of the lists.
pub(super) fn is_known(ending: &str) -> bool {
    [IMAGE, AUDIO, VIDEO, DOCUMENT].iter().any(|list| is_one(ending, list))
}

fn is_one(ending: &str, list: &[&str]) -> bool {
    list.iter().any(|known| known.eq_ignore_ascii_case(ending))
}

/// What follows the last dot of a name that does not begin with it.
fn ending(path: &str) -> Option<&str> {
    let name = path.rsplit(['/', '\\']).next()?;
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_ending_has_its_kind() {
        for (kind_of, names) in [
            (Kind::Image, &["a.jpg", "a.jpeg", "/b/a.png", "a.webp", "a.GIF", "a.b.Png", "C:\\x\\a.JPG"][..]),
            (Kind::Audio, &["a.mp3", "a.M4A", "a.ogg", "a.opus", "a.wav", "a.flac"]),
            (Kind::Video, &["a.mp4", "a.MOV", "a.avi", "a.mkv", "a.webm", "a.3gp"]),
            (
                Kind::Document,
                &["a.svg", "a.bmp", "a.pdf", "a", ".png", "/b.png/a", "a.", "", "png", "a.xpng", "a.heic"],
            ),
        ] {
            for name in names {
                assert_eq!(kind(name, false), kind_of, "{name}");
            }
        }
    }

    #[test]
    fn only_pictures_can_be_made_documents() {
        assert_eq!(kind("a.png", true), Kind::Document);
        assert_eq!(kind("a.mp3", true), Kind::Audio);
        assert_eq!(kind("a.mp4", true), Kind::Video);
    }

    #[test]
    fn pictures_go_first_and_the_others_keep_their_order() {
        let files = ["1.pdf", "2.png", "3.ogg", "4.JPG", "5.mp4", "6"];
        let shown = split(files, |file| kind(file, false));
        assert_eq!(shown, Split { images: vec!["2.png", "4.JPG"], others: vec!["1.pdf", "3.ogg", "5.mp4", "6"] });
        let plain = split(files, |file| kind(file, true));
        assert_eq!(plain, Split { images: vec![], others: files.to_vec() });
    }

    #[test]
    fn no_ending_is_longer_than_what_is_read() {
        let all = [IMAGE, AUDIO, VIDEO, DOCUMENT].concat();
        assert!(all.iter().all(|ending| ending.len() <= LONGEST_ENDING));
    }
}
