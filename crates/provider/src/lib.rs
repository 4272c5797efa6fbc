//! Model clients: a request goes in, a stream of [`ModelEvent`]s comes out.
//!
//! **Owns** HTTP to models, the talk with the embedded engine, reading event streams, putting tool calls together,
//! repeating a *request* that got no answer, saying in a person's words why an answer failed or a provider cannot be
//! used, and finding the model servers that run on this computer.
//!
//! **Never** knows what a tool means, runs one, writes a row, draws anything, or changes what it is
//! given to say: hiding secrets from a model is the business of whoever builds the [`Request`].
//!
//! Three rules hold for every [`Model`]:
//! - a stream ends with exactly one [`ModelEvent::Finished`] or one [`Failure`], and nothing follows it;
//! - words that arrived before a failure were already handed out as events;
//! - a call in [`Finished::calls`] is complete: its arguments are a whole JSON object, and the provider said that
//!   it was done. Whatever could be two things at once is a [`Failure`], never a call.

mod check; // whether a provider can be used, for people who set one up
mod discover; // model servers that run on this computer already
mod engine; // the engine that computes on this computer
mod failure; // why there is no answer, in words
mod model; // the trait and what goes in and out
mod openai; // everything that speaks the OpenAI chat-completions dialect
mod retry; // when a request is sent again
#[cfg(feature = "scripted")]
pub mod scripted; // a provider on loopback that plays a script
mod sse; // the event-stream wire format

pub use check::{CheckCode, CheckFailure, Checked, check};
pub use discover::{Found, LocalServer, Place, discover, discover_within, usual_places};
pub use engine::{Engine, EngineSetup, EngineState, Facts, Launch};
pub use failure::Failure;
pub use model::{Finish, Finished, Message, Model, ModelEvent, Request, ToolCall, ToolSpec, Usage};
pub use openai::list::ModelInfo;
pub use openai::{Endpoint, OpenAi, Patience};
