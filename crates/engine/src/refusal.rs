//! What cannot be done, in words for a person: what happened, why, and what to do.

use std::path::Path;

use gatehouse_engine_wire::RefusalCode;
use gatehouse_gguf::Error;

/// Something that cannot be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub code: RefusalCode,
    pub message: String,
}

impl Refusal {
    pub fn new(code: RefusalCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The file at `path` was refused before anything else looked at it.
    pub fn file(path: &Path, error: &Error) -> Self {
        const OTHER: &str = "Choose another model in Settings.";
        let (code, mend) = match error {
            Error::NoFile(_) => (RefusalCode::NoFile, OTHER),
            Error::NotAModel(_) => (RefusalCode::NotAModel, OTHER),
            Error::Damaged(_) => (RefusalCode::Damaged, "Fetch it again, or choose another model in Settings."),
            Error::Unsupported(_) => (RefusalCode::Unsupported, OTHER),
        };
        Self::new(code, format!("{} cannot be used. {error} {mend}", shown(path)))
    }

    pub fn processor(missing: &str) -> Self {
        let message = format!(
            "This computer's processor is too old for the embedded engine: it lacks {missing}. Choose a model on a server \
             in Settings."
        );
        Self::new(RefusalCode::Unsupported, message)
    }

    pub fn no_template(path: &Path) -> Self {
        let message = format!(
            "{} cannot chat: it has no chat template, so it can only continue texts. Choose a model whose name says \
             \"instruct\" or \"chat\".",
            shown(path)
        );
        Self::new(RefusalCode::NoTemplate, message)
    }

    pub fn does_not_fit(path: &Path, need: u64, free: u64) -> Self {
        let message = format!(
            "{} needs about {} of memory, and {} are free. Close other programs, or choose a smaller model.",
            shown(path),
            size(need),
            size(free)
        );
        Self::new(RefusalCode::OutOfMemory, message)
    }

    /// The library gave up on a file that looked whole.
    pub fn not_loaded(path: &Path, why: Option<&str>) -> Self {
        // The library has no other sign for it than its words.
        let (code, mend) = match why.is_some_and(|why| why.contains("insufficient memory") || why.contains("allocate"))
        {
            true => (
                RefusalCode::OutOfMemory,
                "There is not enough memory. Close other programs, or choose a smaller model.",
            ),
            false => (RefusalCode::Unsupported, "Choose another model in Settings."),
        };
        let why = why.map_or_else(String::new, |why| format!(" The engine says: {}.", why.trim_end_matches('.')));
        Self::new(code, format!("{} could not be loaded.{why} {mend}", shown(path)))
    }

    pub fn too_long(tokens: usize, context: u32) -> Self {
        let message = format!(
            "The conversation has {tokens} tokens, and the model reads {context} at most. Begin a new session, or choose \
             a model with a longer context."
        );
        Self::new(RefusalCode::TooLong, message)
    }

    /// Nothing is left that could be left out.
    pub fn message_too_long(tokens: usize, context: u32) -> Self {
        let message = format!(
            "This message has {tokens} tokens with what stands before every conversation, and the model reads {context} \
             at most. Send less of it, or choose a model with a longer context."
        );
        Self::new(RefusalCode::TooLong, message)
    }

    pub fn template(why: &str) -> Self {
        let message = format!(
            "The model's chat template does not take this conversation: {}. Begin a new session, or choose another model.",
            why.trim().trim_end_matches('.')
        );
        Self::new(RefusalCode::Template, message)
    }

    pub fn not_ready() -> Self {
        Self::new(RefusalCode::NotLoaded, "No model is loaded.")
    }

    pub fn busy() -> Self {
        Self::new(RefusalCode::Busy, "Too many questions wait for the engine. Try again in a while.")
    }

    pub fn computing(why: &str) -> Self {
        Self::new(RefusalCode::Failed, format!("The engine could not compute the answer: {why}. Try again."))
    }
}

/// People know their files by name; where it lies is in Settings.
fn shown(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn size(bytes: u64) -> String {
    const MB: u64 = 1_000_000;
    match bytes / MB {
        mb @ 0..1000 => format!("{mb} MB"),
        mb => format!("{}.{} GB", mb / 1000, mb % 1000 / 100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_file_the_reason_and_a_way_on() {
        let path = Path::new("/models/big.gguf");
        let words = Refusal::does_not_fit(path, 5_230_000_000, 999_000_000).message;
        assert!(words.starts_with("big.gguf needs about 5.2 GB of memory, and 999 MB are free."), "{words}");
        let complaint = Some("ggml_aligned_malloc: insufficient memory (attempted to allocate 180.00 MB)");
        let refusal = Refusal::not_loaded(path, complaint);
        assert_eq!(refusal.code, RefusalCode::OutOfMemory);
        assert!(
            refusal
                .message
                .ends_with("180.00 MB). There is not enough memory. Close other programs, or choose a smaller model.")
        );
        assert_eq!(Refusal::not_loaded(path, Some("unknown kind")).code, RefusalCode::Unsupported);
        let error = Error::Damaged("it has 5 bytes and needs 9".into());
        let words = Refusal::file(path, &error).message;
        assert_eq!(
            words,
            "big.gguf cannot be used. The file is damaged: it has 5 bytes and needs 9. Fetch it again, or choose another \
             model in Settings."
        );
    }
}
