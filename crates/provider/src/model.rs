//! The trait every model stands behind, and the values that cross it.
//!
//! A request is built from named fields only: whatever else a transcript row knows has no way into it.

use futures_util::stream::BoxStream;
use gatehouse_domain::CallId;

use crate::Failure;

/// Something that answers.
pub trait Model: Send + Sync {
    /// Asks, and hands out the answer as it comes. Dropping the stream takes the question back.
    fn stream(&self, request: Request) -> BoxStream<'static, Result<ModelEvent, Failure>>;

    /// The provider's name, as people gave it.
    fn name(&self) -> &str;

    /// Whether tools may be offered to it. One that only chats would make them up.
    fn takes_tools(&self) -> bool {
        true
    }
}

/// One question to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The provider's name for the model.
    pub model: String,
    /// The conversation so far, oldest first.
    pub messages: Vec<Message>,
    /// What the model may call.
    pub tools: Vec<ToolSpec>,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// Standing instructions.
    System(String),
    /// From a person, or from a machine and saying so.
    User(String),
    /// What the model said and asked for.
    Assistant {
        /// Its words; may be empty when it only called tools.
        text: String,
        /// The tools it called, in its order.
        calls: Vec<ToolCall>,
    },
    /// What a call gave back.
    ToolResult {
        /// The call that is answered.
        call_id: CallId,
        /// The result.
        text: String,
    },
}

/// One complete tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Its id; no other call of the same conversation, as far as the request told it, has it.
    pub id: CallId,
    /// The tool's name.
    pub name: String,
    /// A JSON object as the model wrote it.
    pub arguments: String,
}

/// A tool as the model gets to know it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name to call it by.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: serde_json::Value,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelEvent {
    /// Words of the answer.
    Text(String),
    /// Thoughts that the provider shows beside the answer.
    Reasoning(String),
    /// A call has begun; nothing may run yet.
    CallBegun {
        /// The id it will have in [`Finished::calls`].
        id: CallId,
        /// The tool's name.
        name: String,
    },
    /// The answer is whole. Always the last event.
    Finished(Finished),
}

/// How an answer ended, and what it asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Why it ended.
    pub finish: Finish,
    /// The calls to run, all complete, in the model's order.
    pub calls: Vec<ToolCall>,
    /// What it cost, if the provider said so.
    pub usage: Option<Usage>,
}

/// Why a whole answer ended. A withheld answer is a [`Failure`], not an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Finish {
    /// All is said.
    Stop,
    /// The model waits for its calls.
    ToolCalls,
    /// The provider stopped at its length limit; the words, or the complete calls, up to there are kept.
    Length,
}

/// Tokens read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens of the question.
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    pub completion_tokens: u64,
}
