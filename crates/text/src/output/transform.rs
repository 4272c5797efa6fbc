//! What others make of an output before it is masked and cut: a place for those who know the format of a program.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Source, Text, Track, screen};

/// Turns the output of a command into another text.
pub trait OutputTransform: Send + Sync {
    /// What it is called in the log.
    fn name(&self) -> &str;

    /// The text that should be read instead; `None` leaves it to the next one. The output is what a terminal shows,
    /// not masked yet; a code is there when the command has exited.
    fn transform(&self, output: &str, command: &str, code: Option<i32>) -> Result<Option<String>, String>;
}

/// The first answer becomes the text. Whoever fails is passed over.
pub(super) fn apply(texts: Vec<Text>, source: &Source<'_>) -> Vec<Text> {
    if source.transforms.is_empty() {
        return texts;
    }
    let output = texts.iter().map(|text| text.text.as_str()).collect::<Vec<_>>().join("\n[...]\n");
    let Some(answer) = source.transforms.iter().find_map(|transform| {
        let asked = AssertUnwindSafe(|| transform.transform(&output, source.command, source.code));
        match catch_unwind(asked) {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => {
                tracing::warn!(transform = transform.name(), error, "An output was not transformed.");
                None
            }
            Err(_) => {
                tracing::warn!(transform = transform.name(), "An output was not transformed: it panicked.");
                None
            }
        }
    }) else {
        return texts;
    };
    let (text, _) = screen::play(&answer, source.screen);
    let (first, last) = (texts.first(), texts.last());
    vec![Text {
        text: super::without_hidden(text),
        track: Track::default(),
        from: first.map_or(0, |text| text.from),
        to: last.map_or(0, |text| text.to),
        edges: last.map_or_else(Default::default, |text| text.edges),
        found: texts.iter().flat_map(|text| text.found.iter().cloned()).collect(),
    }]
}
