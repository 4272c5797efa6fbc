//! One turn: the machine says what to do, this does it and tells the machine what came of it.
//!
//! Stopping is cooperative. The model's stream is dropped; every call notices the stop at its next wait and records
//! its own end, so that each card ends once. Writes to the journal are never cut in the middle.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt, join_all};
use futures_util::stream::{BoxStream, FuturesUnordered, StreamExt};
use gatehouse_domain::{AbandonCause, Clock, FailureCode, ItemId, RuleId, Secret, SessionId, StoppedBy, TurnId};
use gatehouse_provider::{Failure, Finished, Message, Model, ModelEvent, Request, ToolCall};
use gatehouse_turn::{Effect, Input, Machine, Outcome as End, Scope, ScopeState};
use tokio_util::sync::CancellationToken;
use tracing::{error, instrument};

use crate::call::{self, Bench, News};
use crate::ports::{Answer, CallFact, Delegations, Journal, JournalError, Outcome, Processes};
use crate::prompt::{self, Entry, Veil};
use crate::tool::registry::{self, Plan};

/// What a turn is about.
#[derive(Debug)]
pub struct TurnSpec {
    /// Its id.
    pub turn: TurnId,
    /// Its conversation.
    pub session: SessionId,
    /// The conversation so far, with the cause of this turn as its last entry.
    pub history: Vec<Entry>,
    /// The provider's name for the model.
    pub model: String,
    /// Values that no model may read.
    pub secrets: Vec<Secret<String>>,
    /// Where commands run unless they say otherwise.
    pub default_cwd: PathBuf,
    /// What its processes and its end agree on.
    pub scope: Arc<Scope>,
    /// How far it may go.
    pub limits: Limits,
}

/// How far a turn may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Questions to the model.
    pub rounds: u32,
    /// How long a person may think about one command.
    pub approval_wait: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { rounds: gatehouse_turn::Limits::default().rounds, approval_wait: Duration::from_secs(300) }
    }
}

/// What a turn works with.
#[derive(Clone)]
pub struct Ports {
    /// Who answers.
    pub model: Arc<dyn Model>,
    /// Who keeps the facts.
    pub journal: Arc<dyn Journal>,
    /// Who runs programs.
    pub processes: Arc<dyn Processes>,
    /// Who takes tasks that are handed on. Only the turn of a sub-agent has nobody: its work was handed on already.
    pub delegations: Option<Arc<dyn Delegations>>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
}

/// Runs a turn to its end, which is exactly one [`Journal::finish`].
///
/// To stop it, give its scope up first (that reaps its processes and names the cause) and then cancel the token.
/// Dropping the future leaves the turn as it stands in the journal, for the next start of the program to judge.
#[instrument(skip_all, fields(session_id = %spec.session, turn_id = %spec.turn))]
pub async fn run_turn(spec: TurnSpec, ports: Ports, cancel: CancellationToken) {
    let journal = Arc::clone(&ports.journal);
    let scope = Arc::clone(&spec.scope);
    let processes = Arc::clone(&ports.processes);
    let mut turn = Turn::new(spec, ports, cancel.clone());
    let end = AssertUnwindSafe(turn.run()).catch_unwind().await.unwrap_or_else(|_| {
        error!("a turn panicked");
        turn.trouble = Some("Something in Gatehouse itself went wrong. The log says more.".to_owned());
        End::Failed(FailureCode::Internal)
    });
    if AssertUnwindSafe(turn.cancel_calls()).catch_unwind().await.is_err() {
        error!("a call panicked while its turn was being closed");
    }
    let end = settle(&scope, &*processes, end, &cancel).await;
    journal.finish(turn.outcome(end)).await;
}

/// Moves the scope along with the turn; whoever gave the scope up before has the last word on how the turn ended.
async fn settle(scope: &Scope, processes: &dyn Processes, end: End, cancel: &CancellationToken) -> End {
    match end {
        End::Done | End::Failed(_) => {
            scope.finish();
        }
        End::Stopped(cause) => {
            // Cancelled without the scope being given up: nobody else reaps what this turn started.
            let orphans = scope.abandon(cause).unwrap_or_default();
            join_all(orphans.into_iter().map(|id| processes.stop(id, StoppedBy::TurnStop))).await;
        }
    }
    match scope.state() {
        ScopeState::Abandoned(cause) => {
            cancel.cancel();
            End::Stopped(cause)
        }
        ScopeState::Active | ScopeState::Finished => end,
    }
}

/// The answer that is coming in, or the last one that came.
#[derive(Default)]
struct Reply {
    item: Option<ItemId>,
    text: String,
    reasoning: String,
}

/// One call of the current round.
struct Pending {
    call: ToolCall,
    plan: Arc<Plan>,
    card: ItemId,
    /// What allowed it, if no person did.
    rule: Option<RuleId>,
    result: Option<String>,
}

struct Turn {
    machine: Machine,
    model_name: String,
    messages: Vec<Message>,
    ports: Ports,
    cancel: CancellationToken,
    bench: Arc<Bench>,
    stream: Option<BoxStream<'static, Result<ModelEvent, Failure>>>,
    reply: Reply,
    round: Vec<Pending>,
    calls: FuturesUnordered<BoxFuture<'static, News>>,
    requested: bool,
    effected: bool,
    trouble: Option<String>,
}

/// Everything a turn can wait for.
enum Event {
    Cancelled,
    Model(Option<Result<ModelEvent, Failure>>),
    Call(News),
}

impl Turn {
    fn new(spec: TurnSpec, ports: Ports, cancel: CancellationToken) -> Self {
        let veil = Veil::new(spec.secrets);
        let mut messages = prompt::messages(&spec.history, &veil);
        if !ports.model.takes_tools() {
            prompt::only_chat(&mut messages);
        } else if ports.delegations.is_none() {
            prompt::as_sub_agent(&mut messages);
        }
        let bench = Bench {
            journal: Arc::clone(&ports.journal),
            processes: Arc::clone(&ports.processes),
            delegations: ports.delegations.clone(),
            clock: Arc::clone(&ports.clock),
            scope: spec.scope,
            halt: cancel.child_token(),
            veil,
            approval_wait: spec.limits.approval_wait,
            default_cwd: spec.default_cwd,
            polls: call::Polls::default(),
            typed: call::Typed::default(),
        };
        Self {
            machine: Machine::new(gatehouse_turn::Limits { rounds: spec.limits.rounds }),
            model_name: spec.model,
            messages,
            ports,
            cancel,
            bench: Arc::new(bench),
            stream: None,
            reply: Reply::default(),
            round: Vec::new(),
            calls: FuturesUnordered::new(),
            requested: false,
            effected: false,
            trouble: None,
        }
    }

    async fn run(&mut self) -> End {
        let mut effects = VecDeque::from(self.machine.handle(Input::Begin));
        loop {
            while let Some(effect) = effects.pop_front() {
                if let Effect::Close(end) = effect {
                    return end;
                }
                if let Some(input) = self.perform(effect).await {
                    effects.extend(self.machine.handle(input));
                }
            }
            let event = self.event().await;
            if let Some(input) = self.take(event).await {
                effects.extend(self.machine.handle(input));
            }
        }
    }

    async fn perform(&mut self, effect: Effect) -> Option<Input> {
        match effect {
            Effect::AskModel { .. } => return self.ask_model().await.err().map(|error| self.broke(&error)),
            Effect::Authorize { index } => {
                if let Some(pending) = self.round.get(index) {
                    let (bench, plan) = (Arc::clone(&self.bench), Arc::clone(&pending.plan));
                    self.calls.push(call::authorize(bench, index, pending.card, plan).boxed());
                }
            }
            Effect::Run { index } => {
                if let Some(pending) = self.round.get(index) {
                    self.effected = true;
                    let (bench, plan) = (Arc::clone(&self.bench), Arc::clone(&pending.plan));
                    self.calls.push(call::run(bench, index, pending.card, pending.rule, plan).boxed());
                }
            }
            Effect::CancelModel => self.stream = None,
            Effect::CancelCalls => self.cancel_calls().await,
            Effect::Close(_) => {}
        }
        None
    }

    /// Every call records its own end before the turn is told to be over.
    async fn cancel_calls(&mut self) {
        self.bench.halt.cancel();
        while self.calls.next().await.is_some() {}
    }

    async fn ask_model(&mut self) -> Result<(), JournalError> {
        self.close_round();
        if self.requested {
            let said = self.ports.journal.steered().await?;
            prompt::push_human(&mut self.messages, &said, &self.bench.veil);
        } else {
            self.ports.journal.requested().await?;
            self.requested = true;
        }
        let messages = self.messages.clone();
        let tools = match &self.ports.delegations {
            _ if !self.ports.model.takes_tools() => Vec::new(),
            Some(_) => registry::specs(),
            None => registry::specs_of_a_sub_agent(),
        };
        let request = Request { model: self.model_name.clone(), messages, tools };
        self.stream = Some(self.ports.model.stream(request));
        Ok(())
    }

    /// Puts the round that just ended where the model reads it.
    fn close_round(&mut self) {
        let reply = std::mem::take(&mut self.reply);
        let round = std::mem::take(&mut self.round);
        if !round.is_empty() {
            let calls = round.into_iter().map(|pending| (pending.call, pending.result)).collect();
            prompt::push_answer(&mut self.messages, &reply.text, calls, &self.bench.veil);
        }
    }

    async fn event(&mut self) -> Event {
        let Self { stream, calls, cancel, .. } = self;
        tokio::select! {
            biased;
            () = cancel.cancelled() => Event::Cancelled,
            Some(news) = calls.next() => Event::Call(news),
            event = next_of(stream) => Event::Model(event),
        }
    }

    async fn take(&mut self, event: Event) -> Option<Input> {
        match event {
            Event::Cancelled => Some(Input::Stop(self.stop_cause())),
            Event::Call(news) => Some(self.news(news)),
            Event::Model(Some(Ok(event))) => self.heard(event).await.unwrap_or_else(|error| Some(self.broke(&error))),
            Event::Model(Some(Err(failure))) => Some(self.model_failed(failure.code, failure.message)),
            Event::Model(None) => {
                let message = format!("The answer of {} broke off before it was finished.", self.ports.model.name());
                Some(self.model_failed(FailureCode::CutOff, message))
            }
        }
    }

    fn stop_cause(&self) -> AbandonCause {
        match self.bench.scope.state() {
            ScopeState::Abandoned(cause) => cause,
            ScopeState::Active | ScopeState::Finished => AbandonCause::Stop,
        }
    }

    async fn heard(&mut self, event: ModelEvent) -> Result<Option<Input>, JournalError> {
        match event {
            ModelEvent::Text(delta) if delta.is_empty() => {}
            ModelEvent::Text(delta) => {
                let item = match self.reply.item {
                    Some(item) => item,
                    None => *self.reply.item.insert(self.ports.journal.text_begun().await?),
                };
                self.ports.journal.text_delta(item, &delta);
                self.reply.text.push_str(&delta);
            }
            ModelEvent::Reasoning(delta) => self.reply.reasoning.push_str(&delta),
            // Until the answer is whole there is nothing to run and nothing to show.
            ModelEvent::CallBegun { .. } => {}
            ModelEvent::Finished(finished) => return self.finished(finished).await.map(Some),
        }
        Ok(None)
    }

    async fn finished(&mut self, finished: Finished) -> Result<Input, JournalError> {
        self.stream = None;
        let has_text = !self.reply.text.trim().is_empty();
        if finished.calls.is_empty() {
            return Ok(Input::Answered { calls: 0, has_text });
        }
        let planned: Vec<_> = finished.calls.into_iter().map(|call| (registry::plan(&call), call)).collect();
        let calls = planned.iter().map(|(plan, call)| self.fact(plan, call)).collect();
        let answer = Answer {
            text_item: self.reply.item,
            text: self.reply.text.clone(),
            reasoning: std::mem::take(&mut self.reply.reasoning),
            calls,
        };
        let cards = self.ports.journal.answered(answer).await?;
        if cards.len() != planned.len() {
            return Err(JournalError("The calls of the answer could not be recorded.".to_owned()));
        }
        let pending = |((plan, call), card)| Pending { call, plan: Arc::new(plan), card, rule: None, result: None };
        self.round = planned.into_iter().zip(cards).map(pending).collect();
        Ok(Input::Answered { calls: self.round.len(), has_text })
    }

    fn fact(&self, plan: &Plan, call: &ToolCall) -> CallFact {
        let face = plan.face(call);
        CallFact {
            call_id: call.id.clone(),
            tool: call.name.clone(),
            arguments: match plan {
                // What is typed may be a password, and nothing is run from the record.
                Plan::Process(_) => self.bench.veil.arguments(&call.arguments),
                Plan::Terminal(_) | Plan::Delegate(_) | Plan::Wrong { .. } => call.arguments.clone(),
            },
            title: self.bench.veil.shown(&face.title),
            details: self.bench.veil.shown(&face.details),
            background: face.background,
        }
    }

    fn news(&mut self, news: News) -> Input {
        match news {
            News::Allowed { index, rule } => {
                if let Some(pending) = self.round.get_mut(index) {
                    pending.rule = rule;
                }
                Input::CallAllowed { index }
            }
            News::Refused { index, result } => {
                self.keep(index, result);
                Input::CallRefused { index }
            }
            News::Ended { index, result } => {
                self.keep(index, result);
                Input::CallEnded { index }
            }
            News::Broke(error) => self.broke(&error),
        }
    }

    fn keep(&mut self, index: usize, result: String) {
        if let Some(pending) = self.round.get_mut(index) {
            pending.result = Some(result);
        }
    }

    fn broke(&mut self, error: &JournalError) -> Input {
        error!(%error, "a fact of the turn could not be kept");
        self.trouble = Some(error.to_string());
        Input::Broke(FailureCode::Internal)
    }

    fn model_failed(&mut self, code: FailureCode, message: String) -> Input {
        self.stream = None;
        self.trouble = Some(message);
        Input::ModelFailed(code)
    }

    fn outcome(&mut self, end: End) -> Outcome {
        let Reply { item, text, reasoning } = std::mem::take(&mut self.reply);
        // Words of an answer whose calls are recorded are final already.
        let (text_item, partial) = if self.round.is_empty() { (item, text) } else { (None, String::new()) };
        match end {
            End::Done => Outcome::Done { text_item, text: partial, reasoning },
            End::Failed(code) => {
                let message = self.trouble.take().unwrap_or_else(|| default_message(code, self.ports.model.name()));
                Outcome::Failed { code, message, text_item, partial, retryable: !self.effected }
            }
            End::Stopped(cause) => Outcome::Stopped { cause, text_item, partial },
        }
    }
}

/// The next event of an open stream; waits for ever while there is none.
async fn next_of(
    stream: &mut Option<BoxStream<'static, Result<ModelEvent, Failure>>>,
) -> Option<Result<ModelEvent, Failure>> {
    match stream {
        Some(stream) => stream.next().await,
        None => std::future::pending().await,
    }
}

/// Words for the failures that the machine finds by itself.
fn default_message(code: FailureCode, provider: &str) -> String {
    match code {
        FailureCode::TooManySteps => {
            "The agent used too many steps in one turn and was stopped. Say how it should go on.".to_owned()
        }
        FailureCode::Empty => format!("{provider} sent an empty answer. Try again."),
        other => format!("The turn failed ({other})."),
    }
}
