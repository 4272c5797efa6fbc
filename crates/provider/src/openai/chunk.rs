//! One event of an answer as it stands on the wire, read with as much patience as the field demands.
//!
//! Every field may be missing or null. Fields that vendors fill with different shapes stay raw until somebody asks.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::piece::Piece;
use crate::Usage;

#[derive(Deserialize)]
pub(super) struct Chunk<'a> {
    #[serde(borrow, default)]
    choices: Option<Vec<Choice<'a>>>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(default)]
    index: Option<i64>,
    #[serde(borrow, default)]
    delta: Option<Delta<'a>>,
    /// Where a whole answer stands.
    #[serde(borrow, default)]
    message: Option<Delta<'a>>,
    #[serde(default)]
    pub finish_reason: Option<String>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    refusal: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reasoning_content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reasoning: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub tool_calls: Option<Vec<CallDelta<'a>>>,
}

#[derive(Deserialize)]
pub(super) struct CallDelta<'a> {
    #[serde(default)]
    pub index: Option<i64>,
    #[serde(default)]
    pub id: Option<String>,
    #[serde(borrow, default)]
    function: Option<FunctionDelta<'a>>,
}

#[derive(Deserialize)]
struct FunctionDelta<'a> {
    #[serde(default)]
    name: Option<String>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

impl<'a> Chunk<'a> {
    /// The first choice; others were never asked for.
    pub fn choice(&self) -> Option<&Choice<'a>> {
        self.choices.as_ref()?.iter().find(|choice| choice.index.unwrap_or(0) == 0)
    }

    /// The error that came instead of, or inside, an answer.
    pub fn error(&self) -> Option<&'a RawValue> {
        self.error.or_else(|| self.choice()?.error).filter(|error| !matches!(error.get(), "null" | "{}" | "\"\""))
    }

    /// The tokens counted so far.
    pub fn usage(&self) -> Option<Usage> {
        #[derive(Deserialize)]
        struct Counts {
            prompt_tokens: Option<u64>,
            completion_tokens: Option<u64>,
        }
        // A count in a strange shape is not worth an answer.
        let counts: Counts = serde_json::from_str(self.usage?.get()).ok()?;
        Some(Usage {
            prompt_tokens: counts.prompt_tokens?,
            completion_tokens: counts.completion_tokens.unwrap_or_default(),
        })
    }

    /// Whether it has the shape of a chat completion at all.
    pub const fn has_choices(&self) -> bool {
        self.choices.is_some()
    }
}

impl<'a> Choice<'a> {
    /// The news, or the whole message where there is no stream.
    pub fn delta(&self) -> Option<&Delta<'a>> {
        self.delta.as_ref().or(self.message.as_ref())
    }
}

impl Delta<'_> {
    /// New words of the answer.
    pub fn text(&self) -> Option<Piece> {
        words(self.content).or_else(|| words(self.refusal))
    }

    /// New thoughts. Vendors that send both fields say the same in both.
    pub fn reasoning(&self) -> Option<Piece> {
        words(self.reasoning_content).or_else(|| words(self.reasoning))
    }
}

impl CallDelta<'_> {
    /// The id, if there really is one.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref().filter(|id| !id.is_empty())
    }

    /// The tool's name, if there really is one.
    pub fn name(&self) -> Option<&str> {
        self.function.as_ref()?.name.as_deref().filter(|name| !name.is_empty())
    }

    /// More of the arguments. Some vendors send the object itself instead of its text.
    pub fn arguments(&self) -> Piece {
        let Some(raw) = self.function.as_ref().and_then(|function| function.arguments) else { return Piece::default() };
        match raw.get() {
            "null" => Piece::default(),
            text => serde_json::from_str(text).unwrap_or_else(|_| Piece(text.as_bytes().to_vec())),
        }
    }
}

/// Non-empty words of a field that holds a string or a list of text parts.
fn words(raw: Option<&RawValue>) -> Option<Piece> {
    #[derive(Deserialize)]
    struct Part {
        text: Option<String>,
    }
    let raw = raw?.get();
    let piece = match raw.as_bytes().first() {
        Some(b'"') => serde_json::from_str::<Piece>(raw).ok()?,
        Some(b'[') => {
            let parts = serde_json::from_str::<Vec<Part>>(raw).ok()?;
            Piece(parts.into_iter().filter_map(|part| part.text).collect::<String>().into_bytes())
        }
        _ => return None,
    };
    Some(piece).filter(|piece| !piece.0.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openai::piece::Seam;

    fn text(json: &str) -> Option<String> {
        words(Some(serde_json::from_str(json).unwrap())).map(|piece| Seam::default().join(piece))
    }

    #[test]
    fn words_come_in_several_shapes() {
        assert_eq!(text(r#""a\n\u4f60 é""#).as_deref(), Some("a\n你 é"));
        assert_eq!(text(r#"[{"type":"text","text":"a"},{"type":"image"},{"text":"b"}]"#).as_deref(), Some("ab"));
        assert_eq!(text(r#""\ud83d\ude00""#).as_deref(), Some("😀"));
        for nothing in ["\"\"", "null", "7", "{}"] {
            assert_eq!(text(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn strange_counts_are_no_counts() {
        let usage = |json: &str| serde_json::from_str::<Chunk<'_>>(json).unwrap().usage();
        assert_eq!(usage(r#"{"usage":{"prompt_tokens":3}}"#).unwrap().prompt_tokens, 3);
        for strange in [r#"{"usage":null}"#, r#"{"usage":{"prompt_tokens":-1}}"#, r#"{"usage":"many"}"#, "{}"] {
            assert_eq!(usage(strange), None, "{strange}");
        }
    }
}
