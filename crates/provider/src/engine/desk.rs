//! Who is answered, and when the program runs. One task owns the program; questions come to it through a channel.

use std::time::Duration;

use gatehouse_domain::FailureCode;
use gatehouse_engine_wire::{Event, Facts, Load, Question, Reason, Request, Timings, Words};
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};

use super::child::Running;
use super::{EngineSetup, EngineState, told};
use crate::failure::Voice;
use crate::{Failure, Finish, Finished, ModelEvent, Usage};

/// The longest silence. A long question to a large model takes minutes on a slow computer.
const PATIENCE: Duration = Duration::from_secs(15 * 60);
/// How long the engine may take to stop an answer that was taken back.
const STOPPING: Duration = Duration::from_secs(10);
/// Longer answers are none of a person's questions: small models sometimes do not find an end.
const MAX_ANSWER: u32 = 2048;

/// One question, and who waits for its answer.
pub(super) struct Job {
    pub messages: Vec<Words>,
    pub events: mpsc::Sender<Result<ModelEvent, Failure>>,
}

/// The owner of the program.
pub(super) struct Desk {
    setup: EngineSetup,
    voice: Voice,
    state: watch::Sender<EngineState>,
    running: Option<Running>,
    /// Questions asked so far; the number of the last one is its id.
    asked: u64,
}

/// How an answer ended.
enum End {
    /// The program is ready for the next question.
    Told(Result<Finished, Failure>),
    /// It was taken back, and the program is ready for the next question.
    TakenBack,
    /// The program is gone, or speaks in tongues.
    Gone,
    /// The program says nothing.
    Silent,
}

impl Desk {
    pub fn new(setup: EngineSetup, voice: Voice, state: watch::Sender<EngineState>) -> Self {
        Self { setup, voice, state, running: None, asked: 0 }
    }

    /// Answers until nobody can ask any more.
    pub async fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        loop {
            let job = match &mut self.running {
                None => jobs.recv().await,
                Some(running) => tokio::select! {
                    biased;
                    () = running.ended() => { self.put_away(); continue }
                    job = jobs.recv() => job,
                    () = sleep(self.setup.idle) => { self.put_away(); continue }
                },
            };
            let Some(job) = job else { return };
            self.serve(job).await;
        }
    }

    /// Ends the program; its memory is free at once.
    fn put_away(&mut self) {
        self.running = None;
        self.state.send_replace(EngineState::Asleep);
    }

    async fn serve(&mut self, job: Job) {
        let end = match self.ready(&job).await {
            Ok(Some(mut running)) => {
                let end = self.answer(&mut running, &job).await;
                self.after(running, end).await
            }
            Ok(None) => return,
            Err(failure) => {
                self.put_away();
                Err(failure)
            }
        };
        // Nobody waits for the end of an answer that was taken back.
        let _ = job.events.send(end.map(ModelEvent::Finished)).await;
    }

    /// What is told of an answer; keeps the program if it can be used again.
    async fn after(&mut self, running: Running, end: End) -> Result<Finished, Failure> {
        match end {
            End::Told(result) => {
                self.running = Some(running);
                result
            }
            End::TakenBack => {
                self.running = Some(running);
                Err(self.voice.failure(FailureCode::Stopped, "The question was taken back.".into()))
            }
            End::Gone => {
                self.put_away();
                let why = running.last_words().await;
                Err(self.voice.cut_off(&format!("the engine is gone, {why}")))
            }
            End::Silent => {
                self.put_away();
                Err(self.voice.silent(PATIENCE))
            }
        }
    }

    /// The program with its model; nothing when the question was taken back before.
    async fn ready(&mut self, job: &Job) -> Result<Option<Running>, Failure> {
        if job.events.is_closed() {
            return Ok(None);
        }
        let running = match self.running.take() {
            Some(running) => running,
            None => self.load().await?,
        };
        if job.events.is_closed() {
            self.running = Some(running);
            return Ok(None);
        }
        Ok(Some(running))
    }

    async fn load(&mut self) -> Result<Running, Failure> {
        self.state.send_replace(EngineState::Loading { percent: 0 });
        let mut running = Running::start(&self.setup.launch).map_err(|error| {
            let message = format!(
                "The engine of {} could not be started: {error}. Install Gatehouse again, or choose another model in Settings.",
                self.voice.name
            );
            Failure { retryable: false, ..self.voice.failure(FailureCode::Unreachable, message) }
        })?;
        let path = self.setup.model.to_string_lossy().into_owned();
        let load = Request::Load(Load { path, context: self.setup.context, threads: self.setup.threads });
        // A program that does not take it in any more is heard to be gone below.
        let _ = running.say(&load).await;
        match timeout(PATIENCE, self.loaded(&mut running)).await {
            Ok(Some(Ok(facts))) => {
                self.state.send_replace(EngineState::Ready(facts));
                Ok(running)
            }
            Ok(Some(Err(failure))) => Err(failure),
            Ok(None) => Err(self.broke_down(running.last_words().await)),
            Err(_) => Err(self.voice.silent(PATIENCE)),
        }
    }

    /// Hears the program out while it loads; nothing when it is gone.
    async fn loaded(&self, running: &mut Running) -> Option<Result<Facts, Failure>> {
        loop {
            match running.hear().await? {
                Event::Ready { .. } => {}
                Event::Loading { percent } => drop(self.state.send_replace(EngineState::Loading { percent })),
                Event::Loaded(facts) => return Some(Ok(facts)),
                Event::Failed { code, message, .. } => return Some(Err(told::failure(&self.voice, code, message))),
                Event::Delta { .. } | Event::Finished { .. } => return None,
            }
        }
    }

    fn broke_down(&self, why: String) -> Failure {
        let message = format!(
            "{} could not get its model ready: {why}. Close other programs or choose a smaller model, then try again.",
            self.voice.name
        );
        self.voice.failure(FailureCode::ProviderError, message)
    }

    async fn answer(&mut self, running: &mut Running, job: &Job) -> End {
        self.asked += 1;
        let question = Question {
            id: self.asked,
            messages: job.messages.clone(),
            max_tokens: MAX_ANSWER,
            temperature: None,
            seed: None,
            // A conversation goes on for as long as a person wants; the oldest of it is what they miss least.
            shorten: true,
        };
        let mut spoke = false;
        // A program that does not take it in any more is heard to be gone below.
        let _ = running.say(&Request::Generate(question)).await;
        loop {
            let event = tokio::select! {
                biased;
                () = job.events.closed() => return self.take_back(running).await,
                event = timeout(PATIENCE, running.hear()) => event,
            };
            let event = match event {
                Ok(Some(event)) => event,
                Ok(None) => return End::Gone,
                Err(_) => return End::Silent,
            };
            match event {
                Event::Delta { id, text } if id == self.asked => {
                    spoke = true;
                    // Whoever does not listen any more is noticed in the next round.
                    let _ = job.events.send(Ok(ModelEvent::Text(text))).await;
                }
                Event::Finished { id, reason, timings, left_out } if id == self.asked => {
                    if left_out > 0 {
                        tracing::info!(left_out, "The conversation is longer than the model's context.");
                    }
                    return End::Told(self.finished(reason, timings, spoke));
                }
                Event::Failed { id: Some(id), code, message } if id == self.asked => {
                    return End::Told(Err(told::failure(&self.voice, code, message)));
                }
                // The rest of an answer that was taken back.
                Event::Delta { .. } | Event::Finished { .. } | Event::Failed { id: Some(_), .. } => {}
                Event::Ready { .. } | Event::Loading { .. } | Event::Loaded(_) | Event::Failed { id: None, .. } => {
                    return End::Gone;
                }
            }
        }
    }

    fn finished(&self, reason: Reason, timings: Timings, spoke: bool) -> Result<Finished, Failure> {
        tracing::debug!(?timings, "The engine answered.");
        let finish = match reason {
            Reason::Stop if !spoke => return Err(self.voice.empty()),
            Reason::Length if !spoke => return Err(self.voice.length_limit_before_words()),
            Reason::Stop => Finish::Stop,
            Reason::Length => Finish::Length,
            Reason::Cancelled => return Err(self.voice.cut_off("the engine stopped by itself")),
        };
        let usage = Usage {
            prompt_tokens: u64::from(timings.prompt_tokens),
            completion_tokens: u64::from(timings.answer_tokens),
        };
        Ok(Finished { finish, calls: Vec::new(), usage: Some(usage) })
    }

    /// Lets the engine stop, so that it keeps what it has read.
    async fn take_back(&self, running: &mut Running) -> End {
        let id = self.asked;
        let _ = running.say(&Request::Cancel { id }).await;
        let stopped = timeout(STOPPING, async {
            loop {
                match running.hear().await {
                    Some(event) if ends(&event, id) => return true,
                    Some(_words) => {}
                    None => return false,
                }
            }
        });
        match stopped.await {
            Ok(true) => End::TakenBack,
            Ok(false) | Err(_) => End::Gone,
        }
    }
}

/// Whether `event` is the last one of question `id`.
fn ends(event: &Event, id: u64) -> bool {
    match event {
        Event::Finished { id: of, .. } | Event::Failed { id: Some(of), .. } => *of == id,
        Event::Ready { .. } | Event::Loading { .. } | Event::Loaded(_) | Event::Delta { .. } => false,
        Event::Failed { id: None, .. } => false,
    }
}
