//! Putting tool calls together from pieces.
//!
//! Providers disagree about how a piece says which call it belongs to: by index, by id, by both, by neither, or by an
//! index that several calls share. The rules, in this order:
//! 1. A known id continues its call; a new id begins one. An id that comes late joins the call that waits for it.
//! 2. Without an id, the index leads to the last call that used it. A piece with a name begins a call unless it only
//!    repeats the name of an unfinished one.
//! 3. Without an id, a known index or a name, it is the rest of the one call that is unfinished.
//!
//! A piece that could belong to two calls is an error. Arguments are never guessed or glued.

use std::collections::HashSet;

use gatehouse_domain::CallId;
use serde::de::IgnoredAny;

use super::chunk::CallDelta;
use super::piece::{Piece, Seam};
use crate::{ModelEvent, ToolCall};

/// More calls than any model means in one answer.
const MAX_CALLS: usize = 512;
/// More arguments, over all calls, than any model means in one answer.
const MAX_ARGUMENT_BYTES: usize = 16 * 1024 * 1024;

/// The calls of one answer.
#[derive(Debug)]
pub(super) struct Calls {
    drafts: Vec<Draft>,
    /// For each index the call that used it last.
    slots: Vec<(i64, usize)>,
    /// The call that got the last piece.
    last: Option<usize>,
    /// Ids that are in use, in this answer or earlier in the conversation.
    taken: HashSet<String>,
    bytes: usize,
}

#[derive(Debug)]
struct Draft {
    id: CallId,
    /// The id the provider uses; differs from `id` when that one was missing or in use already.
    wire_id: Option<String>,
    index: Option<i64>,
    name: String,
    arguments: String,
    seam: Seam,
}

/// What is wrong with the calls, in words that go on after "could not be understood: ".
pub(super) type Unclear = &'static str;

/// Why the calls cannot be run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unfit {
    /// Arguments that stop before their end.
    Incomplete,
    /// A call without a tool's name.
    Nameless,
}

/// Where a piece belongs.
enum Place {
    Known(usize),
    New,
}

impl Calls {
    /// `taken` are the ids of the conversation so far.
    pub fn new(taken: HashSet<String>) -> Self {
        Self { drafts: Vec::new(), slots: Vec::new(), last: None, taken, bytes: 0 }
    }

    /// Whether the answer has no calls.
    pub fn is_empty(&self) -> bool {
        self.drafts.is_empty()
    }

    /// Takes one piece; tells of a call that got its name by it.
    pub fn add(&mut self, piece: &CallDelta<'_>) -> Result<Option<ModelEvent>, Unclear> {
        let arguments = piece.arguments();
        self.bytes += arguments.0.len();
        if self.bytes > MAX_ARGUMENT_BYTES {
            return Err("its tool calls are too long");
        }
        let at = match self.place(piece, &arguments)? {
            Some(Place::Known(at)) => at,
            Some(Place::New) => self.begin(piece)?,
            None => return Ok(None),
        };
        self.last = Some(at);
        if let Some(index) = piece.index {
            self.set_slot(index, at);
        }
        let draft = &mut self.drafts[at];
        draft.extend(arguments);
        if draft.wire_id.is_none() {
            draft.wire_id = piece.id().map(str::to_owned);
        }
        match piece.name() {
            Some(name) if draft.name.is_empty() => {
                name.clone_into(&mut draft.name);
                Ok(Some(ModelEvent::CallBegun { id: draft.id.clone(), name: name.to_owned() }))
            }
            Some(name) if draft.name != name => Err("a tool call changed its name"),
            _ => Ok(None),
        }
    }

    /// The calls, all whole. Empty arguments mean an empty object, unless `strict`: an answer that was cut short or
    /// never said that it was finished may have lost them.
    pub fn complete(self, strict: bool) -> Result<Vec<ToolCall>, Unfit> {
        self.drafts.into_iter().map(|draft| draft.complete(strict)).collect()
    }

    fn place(&self, piece: &CallDelta<'_>, arguments: &Piece) -> Result<Option<Place>, Unclear> {
        match (piece.id(), piece.index.and_then(|index| self.slot(index))) {
            (Some(id), slot) => self.place_by_id(id, slot, piece).map(Some),
            (None, Some(at)) => self.continue_or_begin(at, piece).map(Some),
            (None, None) if piece.index.is_some() => self.place_by_elimination(piece, arguments),
            (None, None) => match self.last {
                Some(last) => self.continue_or_begin(last, piece).map(Some),
                None => self.place_by_elimination(piece, arguments),
            },
        }
    }

    fn place_by_id(&self, id: &str, slot: Option<usize>, piece: &CallDelta<'_>) -> Result<Place, Unclear> {
        if let Some(at) = self.drafts.iter().rposition(|draft| draft.wire_id.as_deref() == Some(id)) {
            let draft = &self.drafts[at];
            let other_index = matches!((piece.index, draft.index), (Some(new), Some(old)) if new != old);
            return match (other_index && piece.name().is_some(), draft.is_whole()) {
                (false, _) => Ok(Place::Known(at)),
                (true, true) => Ok(Place::New),
                (true, false) => Err("two tool calls share an id"),
            };
        }
        let waiting = if piece.index.is_some() { slot } else { self.last };
        match waiting.filter(|at| self.drafts[*at].wire_id.is_none()) {
            Some(at) => self.continue_or_begin(at, piece),
            None => Ok(Place::New),
        }
    }

    /// `at` is the likely call; a name in the piece may mean another one.
    fn continue_or_begin(&self, at: usize, piece: &CallDelta<'_>) -> Result<Place, Unclear> {
        let draft = &self.drafts[at];
        let Some(name) = piece.name() else { return Ok(Place::Known(at)) };
        if draft.name.is_empty() {
            return Ok(Place::Known(at));
        }
        let without_marks = piece.index.is_none() && piece.id().is_none();
        match (draft.is_whole(), draft.name == name) {
            (true, _) => Ok(Place::New),
            (false, true) => Ok(Place::Known(at)),
            (false, false) if without_marks && draft.arguments.is_empty() => Ok(Place::New),
            (false, false) => Err("a tool call begins inside another one"),
        }
    }

    /// No id and no known index.
    fn place_by_elimination(&self, piece: &CallDelta<'_>, arguments: &Piece) -> Result<Option<Place>, Unclear> {
        if piece.name().is_some() {
            return Ok(Some(Place::New));
        }
        if arguments.0.trim_ascii().is_empty() {
            return Ok(None);
        }
        let mut unfinished = self.drafts.iter().enumerate().filter(|(_, draft)| !draft.is_whole());
        match (unfinished.next(), unfinished.next()) {
            (Some((at, _)), None) => Ok(Some(Place::Known(at))),
            _ => Err("a piece of a tool call belongs to no call"),
        }
    }

    fn begin(&mut self, piece: &CallDelta<'_>) -> Result<usize, Unclear> {
        if self.drafts.len() == MAX_CALLS {
            return Err("it has too many tool calls");
        }
        let id = self.free_id(piece.id());
        self.taken.insert(id.clone());
        self.drafts.push(Draft {
            id: CallId(id),
            wire_id: piece.id().map(str::to_owned),
            index: piece.index,
            name: String::new(),
            arguments: String::new(),
            seam: Seam::default(),
        });
        Ok(self.drafts.len() - 1)
    }

    /// The provider's id, unless it is missing or an earlier call has it: then the first free `call_<n>`.
    fn free_id(&self, wanted: Option<&str>) -> String {
        if let Some(id) = wanted.filter(|id| !self.taken.contains(*id)) {
            return id.to_owned();
        }
        let mut number = self.taken.len() + 1;
        loop {
            let id = format!("call_{number}");
            if !self.taken.contains(&id) {
                return id;
            }
            number += 1;
        }
    }

    fn slot(&self, index: i64) -> Option<usize> {
        self.slots.iter().find(|(known, _)| *known == index).map(|(_, at)| *at)
    }

    fn set_slot(&mut self, index: i64, at: usize) {
        match self.slots.iter_mut().find(|(known, _)| *known == index) {
            Some(slot) => slot.1 = at,
            None => self.slots.push((index, at)),
        }
    }
}

impl Draft {
    fn is_whole(&self) -> bool {
        is_object(&self.arguments)
    }

    /// Adds a piece. Whole arguments that come once more, as some gateways close a stream, change nothing.
    fn extend(&mut self, piece: Piece) {
        let text = self.seam.join(piece);
        if text != self.arguments || !self.is_whole() {
            self.arguments.push_str(&text);
        }
    }

    fn complete(self, strict: bool) -> Result<ToolCall, Unfit> {
        let arguments = match self.arguments.trim() {
            "" if !strict => "{}".to_owned(),
            text if is_object(text) => text.to_owned(),
            _ => return Err(Unfit::Incomplete),
        };
        if self.name.is_empty() {
            Err(Unfit::Nameless)
        } else {
            Ok(ToolCall { id: self.id, name: self.name, arguments })
        }
    }
}

/// Cheap for the usual "no": only text that ends like an object is parsed.
fn is_object(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('{') && text.ends_with('}') && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests;
