//! The engine that computes on this computer: a program of its own, asked and answering by lines.
//!
//! It is started by the first question, ended when nobody asked for a while, and started again after it broke down. It
//! answers one question at a time; others wait their turn. Tools are not offered to it: it chats.

mod child; // the running program and its lines
mod desk; // who is answered, and when the program runs
mod told; // a request in the engine's words, and its refusals in ours

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use gatehouse_domain::FailureCode;
pub use gatehouse_engine_wire::Facts;
use tokio::process::Child;
use tokio::sync::{mpsc, watch};

use self::desk::{Desk, Job};
use crate::failure::Voice;
use crate::{Failure, Model, ModelEvent, Request};

/// Questions that may wait for the one that is answered.
const WAITING: usize = 16;
/// Events that may wait for whoever reads an answer.
const EVENTS: usize = 64;

/// Starts the program, with its standard input and output as pipes. Whoever sets an engine up brings it along: this
/// crate starts no programs.
pub type Launch = Arc<dyn Fn() -> io::Result<Child> + Send + Sync>;

/// How an engine is set up.
#[derive(Clone)]
pub struct EngineSetup {
    /// The provider's name, as people gave it.
    pub name: String,
    /// The model's file.
    pub model: PathBuf,
    /// How many tokens a conversation may have; the model and the memory may allow fewer.
    pub context: u32,
    /// On how many threads it computes; absent = the engine chooses.
    pub threads: Option<u32>,
    /// How long it may do nothing before it is ended and its memory is free again.
    pub idle: Duration,
    /// Starts it.
    pub launch: Launch,
}

impl EngineSetup {
    /// As long as a conversation may usually be.
    pub const CONTEXT: u32 = 8192;
    /// As long as an idle engine is usually kept.
    pub const IDLE: Duration = Duration::from_secs(5 * 60);
}

/// What the engine does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EngineState {
    /// It does not run, and takes no memory.
    Asleep,
    /// It gets its model ready.
    Loading {
        /// How much of it, from 0 to 100.
        percent: u8,
    },
    /// It is ready to answer.
    Ready(Facts),
}

/// A model in the embedded engine. The program ends when this and every unfinished answer are dropped.
pub struct Engine {
    voice: Voice,
    jobs: mpsc::Sender<Job>,
    state: watch::Receiver<EngineState>,
}

impl Engine {
    /// Gets ready to start the engine when it is asked. Wants a runtime around it.
    pub fn new(setup: EngineSetup) -> Self {
        let (jobs, waiting) = mpsc::channel(WAITING);
        let (says, state) = watch::channel(EngineState::Asleep);
        let voice = Voice::new(&setup.name, None);
        tokio::spawn(Desk::new(setup, voice.clone(), says).run(waiting));
        Self { voice, jobs, state }
    }

    /// What it does, now and from here on.
    pub fn state(&self) -> watch::Receiver<EngineState> {
        self.state.clone()
    }
}

impl Model for Engine {
    fn stream(&self, request: Request) -> BoxStream<'static, Result<ModelEvent, Failure>> {
        let (events, answer) = mpsc::channel(EVENTS);
        let job = Job { messages: told::words(&request.messages), events };
        let start = State::Asking(self.jobs.clone(), job, answer, self.voice.clone());
        stream::unfold(start, State::step).boxed()
    }

    fn name(&self) -> &str {
        &self.voice.name
    }

    fn takes_tools(&self) -> bool {
        false
    }
}

/// Where an answer stands.
enum State {
    Asking(mpsc::Sender<Job>, Job, mpsc::Receiver<Result<ModelEvent, Failure>>, Voice),
    Reading(mpsc::Receiver<Result<ModelEvent, Failure>>, Voice),
    Over,
}

impl State {
    async fn step(self) -> Option<(Result<ModelEvent, Failure>, Self)> {
        let (mut answer, voice) = match self {
            Self::Asking(jobs, job, answer, voice) => {
                // A desk that is gone gives the job back, and with it the answer's only sender goes.
                let _ = jobs.send(job).await;
                (answer, voice)
            }
            Self::Reading(answer, voice) => (answer, voice),
            Self::Over => return None,
        };
        let gone = || voice.failure(FailureCode::Internal, format!("{} is being put away. Try again.", voice.name));
        let event = answer.recv().await.unwrap_or_else(|| Err(gone()));
        let goes_on = matches!(event, Ok(ModelEvent::Text(_)));
        Some((event, if goes_on { Self::Reading(answer, voice) } else { Self::Over }))
    }
}
