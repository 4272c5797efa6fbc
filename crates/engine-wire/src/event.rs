//! What the engine says.

use serde::{Deserialize, Serialize};

/// One line from the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Event {
    /// The engine runs. Always the first line.
    Ready {
        /// The version of the engine.
        version: String,
    },
    /// A model is being loaded.
    Loading {
        /// How much of it, from 0 to 100.
        percent: u8,
    },
    /// A model is loaded.
    Loaded(Facts),
    /// Words of an answer; never a piece of a character.
    Delta {
        /// The question.
        id: u64,
        /// The words.
        text: String,
    },
    /// An answer is over. Nothing follows for its question.
    Finished {
        /// The question.
        id: u64,
        /// Why it is over.
        reason: Reason,
        /// What it took.
        timings: Timings,
        /// How many messages of the conversation were left out, because all of them are longer than the context.
        #[serde(default, skip_serializing_if = "is_none")]
        left_out: u32,
    },
    /// Something could not be done. For a question: its end.
    Failed {
        /// The question; absent for a model that could not be loaded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<u64>,
        /// The kind of trouble; what programs branch on.
        code: RefusalCode,
        /// For a person: what happened, why, and what to do.
        message: String,
    },
}

/// What is known of a loaded model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Facts {
    /// Its own name; the file's where it has none.
    pub name: String,
    /// What kind of network it is.
    pub architecture: String,
    /// How many tokens a conversation may have.
    pub context: u32,
    /// On how many threads it computes.
    pub threads: u32,
    /// How much memory it takes, about, in bytes.
    pub memory: u64,
    /// How long loading took.
    pub load_ms: u64,
}

/// Why an answer is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Reason {
    /// All is said.
    Stop,
    /// As much was said as was allowed, or as the context holds.
    Length,
    /// It was taken back.
    Cancelled,
}

/// What an answer took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Timings {
    /// Tokens of the question.
    pub prompt_tokens: u32,
    /// Those of them that were known from the question before and did not have to be read again.
    pub reused: u32,
    /// How long reading the others took.
    pub prompt_ms: u64,
    /// Tokens of the answer.
    pub answer_tokens: u32,
    /// How long the answer took.
    pub answer_ms: u64,
}

/// The kinds of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalCode {
    /// The file is not there, or cannot be opened.
    NoFile,
    /// The file is no model in the GGUF format.
    NotAModel,
    /// The file is cut short, or says things that cannot be.
    Damaged,
    /// The model has no chat template: it continues texts and cannot chat.
    NoTemplate,
    /// The model needs something that this engine does not have.
    Unsupported,
    /// There is not enough memory.
    OutOfMemory,
    /// The conversation is longer than the context.
    TooLong,
    /// The chat template refuses the conversation.
    Template,
    /// A question came before a model was loaded.
    NotLoaded,
    /// Too many questions wait.
    Busy,
    /// A line that is no request.
    NotUnderstood,
    /// Computing failed.
    Failed,
}

/// Nothing is said of what is usual.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_none(left_out: &u32) -> bool {
    *left_out == 0
}
