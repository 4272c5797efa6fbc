//! What the engine is asked.

use serde::{Deserialize, Serialize};

/// One line to the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Request {
    /// Make this model ready; it takes the place of another one.
    Load(Load),
    /// Answer.
    Generate(Question),
    /// Stop answering. Heard while the answer goes on; unheard when it is over.
    Cancel {
        /// Which question.
        id: u64,
    },
}

/// A model to be made ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Load {
    /// Its GGUF file.
    pub path: String,
    /// How many tokens a conversation may have; less when the model or the memory allows less.
    pub context: u32,
    /// On how many threads it computes; absent = the engine chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
}

/// A question to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// Names this question in the events that answer it.
    pub id: u64,
    /// The conversation, oldest first.
    pub messages: Vec<Words>,
    /// How many tokens the answer may have; the context may allow less.
    pub max_tokens: u32,
    /// How freely it chooses its words; 0 = always the likeliest one. Absent = the engine chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
    /// Makes the choice of words repeatable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u32>,
    /// Whether whole messages may be left out, the oldest first, of a conversation that is longer than the context.
    /// Standing instructions and the last message stay.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shorten: bool,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: String,
}

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Standing instructions.
    System,
    /// A person, or a machine that says so.
    User,
    /// The model.
    Assistant,
}
