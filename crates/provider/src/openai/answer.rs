//! Reading an answer: bytes in, events out, and exactly one end. Knows no sockets, so every cut can be tried.
//!
//! When is an answer whole? A finish reason says so, and so does `[DONE]` behind words or complete calls: some
//! providers never send a reason. Bytes that merely stop say nothing; such an answer is cut off and its calls never run.

use std::collections::{HashSet, VecDeque};

use gatehouse_domain::FailureCode;
use serde_json::value::RawValue;

use super::calls::{Calls, Unclear, Unfit};
use super::chunk::{Choice, Chunk, Delta};
use super::piece::Seam;
use super::refusal;
use crate::failure::Voice;
use crate::sse::{Decoder, Event, TooLong};
use crate::{Failure, Finish, Finished, ModelEvent};

/// The longest answer accepted as one JSON document.
const MAX_DOCUMENT_BYTES: usize = 16 * 1024 * 1024;
const BOM: char = '\u{feff}';

/// How the bytes ended.
#[derive(Debug)]
pub(super) enum End {
    /// The response was whole.
    Clean,
    /// The connection broke, for this reason.
    Cut(String),
}

/// An answer that is being read.
pub(super) struct Answer {
    voice: Voice,
    status: u16,
    shape: Shape,
    sse: Decoder,
    progress: Progress,
}

/// What kind of body it is; the first byte that is no blank tells, because content types cannot be trusted.
enum Shape {
    Unknown(Vec<u8>),
    Stream,
    /// One JSON document: some providers do not stream.
    Document(Vec<u8>),
}

/// What the events said so far.
struct Progress {
    voice: Voice,
    calls: Calls,
    events: VecDeque<ModelEvent>,
    text: Seam,
    thoughts: Seam,
    finished: Finished,
    reason: Option<Reason>,
    done: bool,
    /// A chunk was seen.
    any: bool,
    /// Words were seen.
    said: bool,
}

/// What a finish reason means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    Whole,
    Length,
    Filtered,
    Failed,
}

impl Answer {
    /// An answer of the provider behind `voice`; `taken` are the call ids of the conversation so far.
    pub fn new(voice: Voice, status: u16, taken: HashSet<String>) -> Self {
        let progress = Progress {
            voice: voice.clone(),
            calls: Calls::new(taken),
            events: VecDeque::new(),
            text: Seam::default(),
            thoughts: Seam::default(),
            finished: Finished { finish: Finish::Stop, calls: Vec::new(), usage: None },
            reason: None,
            done: false,
            any: false,
            said: false,
        };
        Self { voice, status, shape: Shape::Unknown(Vec::new()), sse: Decoder::default(), progress }
    }

    /// Reads one piece.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match &mut self.shape {
            Shape::Stream => self.feed_stream(bytes),
            Shape::Document(document) => {
                document.extend_from_slice(bytes);
                if document.len() > MAX_DOCUMENT_BYTES { Err(self.voice.malformed("it is too long")) } else { Ok(()) }
            }
            Shape::Unknown(head) => {
                head.extend_from_slice(bytes);
                let head = std::mem::take(head);
                self.recognise(head)
            }
        }
    }

    /// The next event that is ready.
    pub fn next(&mut self) -> Option<ModelEvent> {
        self.progress.events.pop_front()
    }

    /// Nothing more can come: what follows `[DONE]` is not read.
    pub const fn is_done(&self) -> bool {
        self.progress.done
    }

    /// The finish reason was seen: only a count of tokens may still come.
    pub const fn is_ending(&self) -> bool {
        self.progress.reason.is_some()
    }

    /// The bytes ended: hands over the events that were still waiting, and the end.
    pub fn end(mut self, end: End) -> (VecDeque<ModelEvent>, Result<Finished, Failure>) {
        let result = self.close(&end);
        let events = std::mem::take(&mut self.progress.events);
        let finished =
            result.and_then(|()| if self.progress.any { self.progress.finish(end) } else { Err(self.nothing(end)) });
        (events, finished)
    }

    fn recognise(&mut self, head: Vec<u8>) -> Result<(), Failure> {
        let first = String::from_utf8_lossy(&head).chars().find(|c| !c.is_whitespace() && *c != BOM);
        match first {
            // Blank so far, or the beginning of a character.
            None | Some(char::REPLACEMENT_CHARACTER) if head.len() < 64 => self.shape = Shape::Unknown(head),
            Some('<') => return Err(self.voice.not_a_stream("a web page", self.status)),
            Some('{' | '[') => self.shape = Shape::Document(head),
            _ => {
                self.shape = Shape::Stream;
                return self.feed_stream(&head);
            }
        }
        Ok(())
    }

    fn feed_stream(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let progress = &mut self.progress;
        self.sse.feed(bytes, |event| progress.event(&event)).map_err(|stop| stop.failure(&self.voice))
    }

    fn close(&mut self, end: &End) -> Result<(), Failure> {
        match (std::mem::replace(&mut self.shape, Shape::Stream), end) {
            (Shape::Unknown(_) | Shape::Stream | Shape::Document(_), End::Cut(_)) => Ok(()),
            (Shape::Document(document), End::Clean) => self.document(&document),
            (Shape::Stream, End::Clean) => self.close_stream(),
            (Shape::Unknown(head), End::Clean) => {
                self.feed_stream(&head)?;
                self.close_stream()
            }
        }
    }

    /// A last event without its blank line counts if it makes sense; if not, it is where the answer broke off.
    fn close_stream(&mut self) -> Result<(), Failure> {
        let progress = &mut self.progress;
        match self.sse.finish(|event| progress.event(&event)) {
            Err(Stop::Failed(failure)) if failure.code != FailureCode::Malformed => Err(failure),
            Ok(()) | Err(Stop::Failed(_) | Stop::TooLong) => Ok(()),
        }
    }

    /// A whole answer in one document.
    fn document(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches(BOM).trim();
        match serde_json::from_str::<Chunk<'_>>(text) {
            Ok(chunk) if chunk.error().is_some() || chunk.has_choices() => {
                self.progress.chunk(&chunk)?;
                self.progress.done = true;
                Ok(())
            }
            Ok(_) | Err(_) => {
                let words = refusal::words(text);
                let said = self.voice.said(words.as_deref());
                Err(self.voice.not_a_stream(&format!("something else{said}"), self.status))
            }
        }
    }

    fn nothing(&self, end: End) -> Failure {
        match end {
            End::Cut(why) => self.voice.cut_off(&why),
            End::Clean if self.sse.is_foreign() => self.voice.not_a_stream("something else", self.status),
            End::Clean => self.voice.empty(),
        }
    }
}

impl Progress {
    fn event(&mut self, event: &Event<'_>) -> Result<(), Stop> {
        let data = event.data.trim();
        if self.done || data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            self.done = true;
            self.any = true;
            return Ok(());
        }
        if event.kind == "error" {
            return Err(Stop::Failed(refusal::told(&self.voice, data)));
        }
        if !data.starts_with('{') {
            // Named events that are no JSON are a vendor's heartbeat.
            let heartbeat = !matches!(event.kind, "" | "message");
            return if heartbeat { Ok(()) } else { Err(self.unclear("an event is no JSON")) };
        }
        let chunk = serde_json::from_str(data).map_err(|_| self.unclear("an event is no proper JSON"))?;
        self.chunk(&chunk).map_err(Stop::Failed)
    }

    fn chunk(&mut self, chunk: &Chunk<'_>) -> Result<(), Failure> {
        self.any = true;
        if let Some(error) = chunk.error() {
            return Err(refusal::told(&self.voice, RawValue::get(error)));
        }
        self.finished.usage = chunk.usage().or(self.finished.usage);
        let Some(choice) = chunk.choice() else { return Ok(()) };
        if let Some(delta) = choice.delta() {
            self.delta(delta)?;
        }
        self.reason = self.reason.or_else(|| reason(choice));
        Ok(())
    }

    fn delta(&mut self, delta: &Delta<'_>) -> Result<(), Failure> {
        if let Some(thought) = delta.reasoning() {
            let thought = self.thoughts.join(thought);
            self.events.extend((!thought.is_empty()).then_some(ModelEvent::Reasoning(thought)));
        }
        if let Some(text) = delta.text() {
            self.said = true;
            let text = self.text.join(text);
            self.events.extend((!text.is_empty()).then_some(ModelEvent::Text(text)));
        }
        for piece in delta.tool_calls.iter().flatten() {
            let begun = self.calls.add(piece).map_err(|what| self.voice.malformed(what))?;
            self.events.extend(begun);
        }
        Ok(())
    }

    fn unclear(&self, what: Unclear) -> Stop {
        Stop::Failed(self.voice.malformed(what))
    }

    fn finish(self, end: End) -> Result<Finished, Failure> {
        let voice = &self.voice;
        let (length, strict) = match (self.reason, end) {
            (Some(Reason::Whole), _) => (false, false),
            (Some(Reason::Length), _) => (true, true),
            (Some(Reason::Filtered), _) => return Err(voice.filtered()),
            (Some(Reason::Failed), _) => return Err(voice.told(None, None)),
            (None, _) if self.done => (false, true),
            (None, End::Cut(why)) => return Err(voice.cut_off(&why)),
            (None, End::Clean) => return Err(voice.cut_off("it never said that it was finished")),
        };
        if self.calls.is_empty() && !self.said {
            return Err(if length { voice.length_limit_before_words() } else { voice.empty() });
        }
        let calls = self.calls.complete(strict).map_err(|unfit| match unfit {
            Unfit::Incomplete | Unfit::Nameless if length => voice.length_limit(),
            Unfit::Incomplete => voice.malformed("the arguments of a tool call are no JSON object"),
            Unfit::Nameless => voice.malformed("a tool call names no tool"),
        })?;
        let finish = match (length, calls.is_empty()) {
            (true, _) => Finish::Length,
            (false, true) => Finish::Stop,
            (false, false) => Finish::ToolCalls,
        };
        Ok(Finished { finish, calls, ..self.finished })
    }
}

/// Vendors have many words for "that was all"; only the others matter.
fn reason(choice: &Choice<'_>) -> Option<Reason> {
    match choice.finish_reason.as_deref()? {
        "" | "null" => None,
        "length" | "max_tokens" | "MAX_TOKENS" => Some(Reason::Length),
        "content_filter" | "safety" | "SAFETY" => Some(Reason::Filtered),
        "error" => Some(Reason::Failed),
        _ => Some(Reason::Whole),
    }
}

/// Why reading stopped.
enum Stop {
    Failed(Failure),
    TooLong,
}

impl Stop {
    fn failure(self, voice: &Voice) -> Failure {
        match self {
            Self::Failed(failure) => failure,
            Self::TooLong => voice.malformed("an event is too long"),
        }
    }
}

impl From<TooLong> for Stop {
    fn from(_: TooLong) -> Self {
        Self::TooLong
    }
}

#[cfg(test)]
mod tests;
