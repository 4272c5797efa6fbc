//! What the scripted provider says, and how the connection behaves while it does.

use std::str::FromStr;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

/// One answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    /// The pieces, each an HTTP chunk of its own.
    pub(super) pieces: Vec<Vec<u8>>,
    /// Whether each piece is also a write of its own.
    pub(super) apart: bool,
    pub(super) delay: Duration,
    pub(super) pause: Duration,
    pub(super) end: End,
    finish: Option<&'static str>,
    usage: Option<(u64, u64)>,
    framed: bool,
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum End {
    /// With a finish reason and `[DONE]`.
    #[default]
    Normal,
    /// The connection is closed in the middle.
    Abort,
    /// The response ends properly, but neither a finish reason nor `[DONE]` comes.
    CleanEof,
    /// Nothing comes until it is [released](super::Scripted::release); then it ends normally.
    Hang,
}

/// A text that is no [`End`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an end: {0:?} (normal, abort, eof or hang)")]
pub struct ParseEndError(String);

impl FromStr for End {
    type Err = ParseEndError;

    fn from_str(word: &str) -> Result<Self, ParseEndError> {
        match word {
            "normal" => Ok(Self::Normal),
            "abort" => Ok(Self::Abort),
            "eof" => Ok(Self::CleanEof),
            "hang" => Ok(Self::Hang),
            _ => Err(ParseEndError(word.to_owned())),
        }
    }
}

/// Says `text`, a word at a time.
pub fn say(text: &str) -> Answer {
    deltas(text.split_inclusive(' '))
}

/// Says exactly these pieces.
pub fn deltas<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Answer {
    pieces.into_iter().fold(Answer::stream(), |answer, piece| answer.delta(&json!({ "content": piece }), None))
}

/// Calls one tool.
pub fn call(id: &str, name: &str, arguments: Value) -> Answer {
    calls([(id, name, arguments)])
}

/// Calls several tools at once.
pub fn calls<'a>(list: impl IntoIterator<Item = (&'a str, &'a str, Value)>) -> Answer {
    Answer::stream().and_calls(list)
}

/// A stream of exactly these bytes.
pub fn raw(body: impl Into<Vec<u8>>) -> Answer {
    Answer { framed: false, pieces: vec![body.into()], ..Answer::stream() }
}

/// A whole response of another kind, such as an error.
pub fn response(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Answer {
    let headers = vec![("content-type".to_owned(), content_type.to_owned())];
    Answer { status, headers, ..raw(body) }
}

impl Answer {
    fn stream() -> Self {
        Self {
            status: 200,
            headers: vec![("content-type".to_owned(), "text/event-stream".to_owned())],
            pieces: Vec::new(),
            apart: false,
            delay: Duration::ZERO,
            pause: Duration::ZERO,
            end: End::Normal,
            finish: None,
            usage: None,
            framed: true,
        }
    }

    /// Calls tools after what was said so far. Arguments come in two pieces.
    pub fn and_calls<'a>(mut self, list: impl IntoIterator<Item = (&'a str, &'a str, Value)>) -> Self {
        for (index, (id, name, arguments)) in list.into_iter().enumerate() {
            let arguments = arguments.to_string();
            let middle = (0..=arguments.len() / 2).rev().find(|at| arguments.is_char_boundary(*at)).unwrap_or(0);
            let (head, tail) = arguments.split_at(middle);
            let begin =
                json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": head}});
            self = self.delta(&json!({ "tool_calls": [begin] }), None);
            let rest = json!({"index": index, "function": {"arguments": tail}});
            self = self.delta(&json!({ "tool_calls": [rest] }), None);
        }
        self.finish = Some("tool_calls");
        self
    }

    /// Shows a thought before the rest.
    pub fn thinking(mut self, thought: &str) -> Self {
        self.pieces.insert(0, chunk(&json!({ "reasoning_content": thought }), None));
        self
    }

    /// Waits before the first byte of the response.
    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// Waits between the pieces, and writes each by itself. Without this or a cut, all pieces come in one burst.
    pub fn paced(self, pause: Duration) -> Self {
        Self { pause, apart: true, ..self }
    }

    /// Ends in this way.
    pub fn ending(self, end: End) -> Self {
        Self { end, ..self }
    }

    /// Ends with this finish reason.
    pub fn finishing(self, reason: &'static str) -> Self {
        Self { finish: Some(reason), ..self }
    }

    /// Reports tokens after the finish reason.
    pub fn costing(self, prompt_tokens: u64, completion_tokens: u64) -> Self {
        Self { usage: Some((prompt_tokens, completion_tokens)), ..self }
    }

    /// Adds a response header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Cuts everything into pieces of `size` bytes, each a write of its own.
    pub fn every(mut self, size: usize) -> Self {
        let whole = self.pieces.concat();
        self.pieces = whole.chunks(size.max(1)).map(<[u8]>::to_vec).collect();
        self.apart = true;
        self
    }

    /// Cuts everything at these offsets, each piece a write of its own.
    pub fn cut_at(mut self, offsets: &[usize]) -> Self {
        let whole = self.pieces.concat();
        let mut from = 0;
        self.apart = true;
        self.pieces.clear();
        for at in offsets.iter().copied().filter(|at| *at < whole.len()).chain([whole.len()]) {
            if at > from {
                self.pieces.push(whole[from..at].to_vec());
                from = at;
            }
        }
        self
    }

    /// What a normal end says after the pieces.
    pub(super) fn closing(&self) -> Vec<u8> {
        let mut out = Vec::new();
        if !self.framed || matches!(self.end, End::Abort | End::CleanEof) {
            return out;
        }
        out.extend(chunk(&json!({}), Some(self.finish.unwrap_or("stop"))));
        if let Some((prompt, completion)) = self.usage {
            let usage =
                json!({"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion});
            out.extend(event(
                &json!({"id": "scripted", "object": "chat.completion.chunk", "choices": [], "usage": usage}),
            ));
        }
        out.extend_from_slice(b"data: [DONE]\n\n");
        out
    }

    fn delta(mut self, delta: &Value, finish: Option<&str>) -> Self {
        self.pieces.push(chunk(delta, finish));
        self
    }
}

fn chunk(delta: &Value, finish: Option<&str>) -> Vec<u8> {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    event(
        &json!({"id": "scripted", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": [choice]}),
    )
}

fn event(value: &Value) -> Vec<u8> {
    format!("data: {value}\n\n").into_bytes()
}

/// An answer as a script file spells it, such as `{"say": "hello", "pace_ms": 20}`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerFile {
    /// Answers only when the last message's text contains this; such answers are used again and again.
    #[serde(default)]
    pub when: Option<String>,
    /// Words.
    #[serde(default)]
    say: String,
    /// Calls, after the words.
    #[serde(default)]
    calls: Vec<CallFile>,
    #[serde(default)]
    status: Option<u16>,
    #[serde(default)]
    pace_ms: u64,
    #[serde(default)]
    delay_ms: u64,
    #[serde(default)]
    end: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct CallFile {
    id: String,
    name: String,
    arguments: Value,
}

impl TryFrom<AnswerFile> for Answer {
    type Error = ParseEndError;

    fn try_from(file: AnswerFile) -> Result<Self, ParseEndError> {
        let mut answer = match file.status {
            Some(status) if status != 200 => {
                response(status, "application/json", json!({ "error": file.say }).to_string())
            }
            Some(_) | None => say(&file.say),
        };
        if !file.calls.is_empty() {
            let calls = file.calls.iter().map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.clone()));
            answer = answer.and_calls(calls);
        }
        let end = file.end.as_deref().map_or(Ok(End::Normal), str::parse)?;
        Ok(answer.ending(end).paced(Duration::from_millis(file.pace_ms)).after(Duration::from_millis(file.delay_ms)))
    }
}
