//! Ports that play a script and record every fact.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt};
use gatehouse_agent::approval::rule::Deny;
use gatehouse_agent::{
    Answer, CallEnd, Consent, DelegationRefused, Delegations, Entry, Interjection, Journal, JournalError, Limits,
    Outcome, OutputWindow, Ports, ProcessBrief, Processes, Question, StartRefusal, StartRefused, StartRequest, Started,
    StopRefused, StopReport, Task, Then, TurnSpec, Verdict, WriteRefused, Written, run_turn,
};
use gatehouse_domain::{
    AbandonCause, ApprovalMode, CallId, Clock, EpochMs, Exit, FailureCode, ItemId, Mono, ProcessId, ProcessState,
    RuleId, Secret, SessionId, StoppedBy, TurnId,
};
use gatehouse_provider::{Failure, Finish, Finished, Model, ModelEvent, Request, ToolCall};
use gatehouse_text::output::ScreenSize;
use gatehouse_turn::Scope;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// What a fake command does.
#[derive(Clone)]
pub struct Program {
    pub runs: Duration,
    pub exit: Exit,
    pub output: &'static str,
    pub left_behind: Vec<u32>,
}

pub fn program(millis: u64, code: i32, output: &'static str) -> Program {
    Program { runs: Duration::from_millis(millis), exit: Exit::Code(code), output, left_behind: Vec::new() }
}

/// One answer of the fake model.
pub type Script = Vec<Result<ModelEvent, Failure>>;

#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    Requested,
    TextBegun(ItemId),
    Delta(String),
    Answered(Answer, Vec<ItemId>),
    Asked(Asked),
    Begun(ItemId, Option<RuleId>),
    Ended(ItemId, CallEnd),
    Finished(Outcome),
    Started(StartRequest),
    Stopped(ProcessId, StoppedBy),
    Left(ProcessId),
    Typed(ProcessId, String, Then),
    Delegated(Vec<Task>),
}

/// A question as it was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    pub command: String,
    pub shown: String,
    pub cwd: PathBuf,
    pub purpose: Option<String>,
    pub dangers: Vec<String>,
    pub suggested: Option<String>,
    pub takes_pattern: bool,
}

struct Job {
    request: StartRequest,
    began: Instant,
    program: Program,
    stopped: Option<StoppedBy>,
}

impl Job {
    /// Whether it would still run if nobody had stopped it.
    fn runs(&self) -> bool {
        self.began.elapsed() < self.program.runs
    }
}

/// Everything outside a turn.
pub struct House {
    pub scope: Arc<Scope>,
    pub cancel: CancellationToken,
    pub facts: Mutex<Vec<Fact>>,
    pub requests: Mutex<Vec<Request>>,
    pub verdict: Mutex<Option<Verdict>>,
    pub broken: Mutex<Option<&'static str>>,
    /// Whether the turn is an agent's that can hand tasks on, and why they are refused, if they are.
    pub hands_on: Option<Result<(), &'static str>>,
    pub approvals: ApprovalMode,
    pub deny: Vec<&'static str>,
    pub secrets: Vec<&'static str>,
    /// What a person says while the turn runs.
    pub said: Mutex<Vec<String>>,
    /// When a person speaks up, counted from the moment at which somebody waits, and where their words go.
    pub interjects: Option<(Duration, Interjection)>,
    pub limits: Limits,
    programs: HashMap<&'static str, Program>,
    scripts: Mutex<VecDeque<Script>>,
    jobs: Mutex<HashMap<ProcessId, Job>>,
    ids: AtomicU64,
    steps: AtomicUsize,
    /// The turn is given up just before this step of the outside.
    pub trip: Option<usize>,
}

impl House {
    pub fn new(scripts: Vec<Script>, programs: &[(&'static str, Program)]) -> Self {
        Self {
            scope: Arc::new(Scope::new()),
            cancel: CancellationToken::new(),
            facts: Mutex::default(),
            requests: Mutex::default(),
            verdict: Mutex::new(Some(Verdict::Allowed { rule: None })),
            said: Mutex::default(),
            interjects: None,
            broken: Mutex::default(),
            hands_on: Some(Ok(())),
            approvals: ApprovalMode::Off,
            deny: Vec::new(),
            secrets: Vec::new(),
            limits: Limits::default(),
            programs: programs.iter().cloned().collect(),
            scripts: Mutex::new(scripts.into()),
            jobs: Mutex::default(),
            ids: AtomicU64::new(1),
            steps: AtomicUsize::new(0),
            trip: None,
        }
    }

    pub async fn run(self: &Arc<Self>) -> Outcome {
        let spec = TurnSpec {
            turn: TurnId::from_uuid(Uuid::from_u128(1)),
            session: SessionId::from_uuid(Uuid::from_u128(2)),
            history: vec![Entry::Human("please".to_owned())],
            model: "fake-1".to_owned(),
            secrets: self.secrets.iter().map(|secret| Secret::new((*secret).to_owned())).collect(),
            default_cwd: PathBuf::from("/srv"),
            scope: Arc::clone(&self.scope),
            limits: self.limits,
        };
        let ports = Ports {
            model: Arc::new(FakeModel(Arc::clone(self))),
            journal: Arc::new(FakeJournal(Arc::clone(self))),
            processes: Arc::new(FakeProcesses(Arc::clone(self))),
            delegations: self.hands_on.map(|_| Arc::new(FakeDelegations(Arc::clone(self))) as Arc<dyn Delegations>),
            clock: Arc::new(StillClock),
        };
        run_turn(spec, ports, self.cancel.clone()).await;
        let mut ends = self.facts().into_iter().filter_map(|fact| match fact {
            Fact::Finished(outcome) => Some(outcome),
            _ => None,
        });
        let outcome = ends.next().expect("the turn has an end");
        assert_eq!(ends.next(), None, "the turn has one end");
        outcome
    }

    pub fn facts(&self) -> Vec<Fact> {
        self.facts.lock().expect("no panic").clone()
    }

    pub fn ends(&self) -> Vec<(ItemId, CallEnd)> {
        let ended = |fact| match fact {
            Fact::Ended(card, end) => Some((card, end)),
            _ => None,
        };
        self.facts().into_iter().filter_map(ended).collect()
    }

    /// The result of the only call.
    pub fn result(&self) -> serde_json::Value {
        let ends = self.ends();
        assert_eq!(ends.len(), 1, "{ends:?}");
        serde_json::from_str(&ends[0].1.result).expect("results are JSON")
    }

    pub fn cards(&self) -> Vec<ItemId> {
        let cards = |fact| match fact {
            Fact::Answered(_, cards) => Some(cards),
            _ => None,
        };
        self.facts().into_iter().filter_map(cards).flatten().collect()
    }

    pub fn steps(&self) -> usize {
        self.steps.load(Ordering::SeqCst)
    }

    fn note(&self, fact: Fact) {
        self.facts.lock().expect("no panic").push(fact);
    }

    fn item(&self) -> ItemId {
        ItemId::from_uuid(self.fresh())
    }

    fn fresh(&self) -> Uuid {
        Uuid::from_u128((u128::from(self.ids.fetch_add(1, Ordering::SeqCst)) << 96) + 7)
    }

    /// Something of the outside is about to happen.
    fn step(&self) {
        if Some(self.steps.fetch_add(1, Ordering::SeqCst)) == self.trip {
            self.give_up(AbandonCause::Stop);
        }
    }

    pub fn give_up(&self, cause: AbandonCause) {
        for id in self.scope.abandon(cause).unwrap_or_default() {
            if let Some(job) = self.jobs.lock().expect("no panic").get_mut(&id).filter(|job| job.runs()) {
                job.stopped = Some(StoppedBy::TurnStop);
            }
        }
        self.cancel.cancel();
    }

    fn kept(&self, what: &'static str) -> Result<(), JournalError> {
        let broken = *self.broken.lock().expect("no panic") == Some(what);
        if broken { Err(JournalError("The folder /data is full.".to_owned())) } else { Ok(()) }
    }

    fn brief(&self, id: ProcessId) -> Option<ProcessBrief> {
        let jobs = self.jobs.lock().expect("no panic");
        let job = jobs.get(&id)?;
        let (state, exit) = match (job.stopped, !job.runs()) {
            (Some(_), _) => (ProcessState::Killed, Some(Exit::Signal(15))),
            (None, true) => (ProcessState::Exited, Some(job.program.exit)),
            (None, false) => (ProcessState::Running, None),
        };
        Some(ProcessBrief {
            id,
            command: job.request.command.clone(),
            cwd: PathBuf::from("/srv"),
            state,
            exit,
            stopped_by: job.stopped,
            pid: Some(77),
            started_at: EpochMs(1_000),
            ended_at: None,
            output_bytes: job.program.output.len() as u64,
            descendants: 0,
            left_behind: if state.is_final() { job.program.left_behind.clone() } else { Vec::new() },
            reason: None,
            notify: job.request.notify,
            persist: job.request.manner.persist,
            screen: ScreenSize::default(),
        })
    }
}

struct FakeDelegations(Arc<House>);

impl Delegations for FakeDelegations {
    fn delegate(&self, tasks: Vec<Task>) -> BoxFuture<'_, Result<ItemId, DelegationRefused>> {
        Box::pin(async move {
            if let Some(Err(reason)) = self.0.hands_on {
                return Err(DelegationRefused { reason: reason.to_owned() });
            }
            self.0.note(Fact::Delegated(tasks));
            Ok(self.0.item())
        })
    }
}

struct StillClock;

impl Clock for StillClock {
    fn wall(&self) -> EpochMs {
        EpochMs(4_000)
    }

    fn mono(&self) -> Mono {
        Mono::default()
    }
}

struct FakeModel(Arc<House>);

impl Model for FakeModel {
    fn stream(&self, request: Request) -> BoxStream<'static, Result<ModelEvent, Failure>> {
        self.0.requests.lock().expect("no panic").push(request);
        let script = self.0.scripts.lock().expect("no panic").pop_front();
        let house = Arc::clone(&self.0);
        match script {
            Some(script) => stream::iter(script).inspect(move |_| house.step()).boxed(),
            None => stream::pending().boxed(),
        }
    }

    fn name(&self) -> &str {
        "Fake"
    }
}

struct FakeJournal(Arc<House>);

impl Journal for FakeJournal {
    fn requested(&self) -> BoxFuture<'_, Result<(), JournalError>> {
        Box::pin(async {
            self.0.step();
            self.0.note(Fact::Requested);
            self.0.kept("requested")
        })
    }

    fn steered(&self) -> BoxFuture<'_, Result<Vec<String>, JournalError>> {
        Box::pin(async {
            self.0.step();
            self.0.kept("steered")?;
            Ok(std::mem::take(&mut *self.0.said.lock().expect("no panic")))
        })
    }

    fn interjection(&self) -> BoxFuture<'_, Interjection> {
        Box::pin(async {
            match self.0.interjects {
                Some((after, words)) => {
                    tokio::time::sleep(after).await;
                    words
                }
                None => std::future::pending().await,
            }
        })
    }

    fn joined(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            match self.0.interjects {
                Some((after, Interjection::Joins)) => tokio::time::sleep(after).await,
                Some((_, Interjection::Waits)) | None => std::future::pending().await,
            }
        })
    }

    fn text_begun(&self) -> BoxFuture<'_, Result<ItemId, JournalError>> {
        Box::pin(async {
            self.0.step();
            let item = self.0.item();
            self.0.note(Fact::TextBegun(item));
            self.0.kept("text_begun").map(|()| item)
        })
    }

    fn text_delta(&self, _: ItemId, delta: &str) {
        self.0.note(Fact::Delta(delta.to_owned()));
    }

    fn answered(&self, answer: Answer) -> BoxFuture<'_, Result<Vec<ItemId>, JournalError>> {
        Box::pin(async {
            self.0.step();
            // A write takes a moment, and must not be cut in the middle.
            tokio::task::yield_now().await;
            self.0.kept("answered")?;
            let cards: Vec<ItemId> = answer.calls.iter().map(|_| self.0.item()).collect();
            self.0.note(Fact::Answered(answer, cards.clone()));
            Ok(cards)
        })
    }

    fn consent(&self) -> Consent {
        let deny = self.0.deny.iter().map(|line| Deny::parse(line).expect("a denial")).collect();
        Consent { mode: self.0.approvals, deny }
    }

    fn ask<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, Result<Verdict, JournalError>> {
        Box::pin(async move {
            self.0.step();
            self.0.note(Fact::Asked(Asked {
                command: question.command.to_owned(),
                shown: question.shown,
                cwd: question.cwd.to_path_buf(),
                purpose: question.purpose,
                dangers: question.dangers,
                suggested: question.suggested,
                takes_pattern: question.takes_pattern,
            }));
            self.0.kept("ask")?;
            let verdict = self.0.verdict.lock().expect("no panic").clone();
            match verdict {
                Some(verdict) => Ok(verdict),
                None => std::future::pending().await,
            }
        })
    }

    fn begin(&self, card: ItemId, rule: Option<RuleId>) -> BoxFuture<'_, Result<(), JournalError>> {
        Box::pin(async move {
            self.0.step();
            tokio::task::yield_now().await;
            self.0.note(Fact::Begun(card, rule));
            self.0.kept("begin")
        })
    }

    fn ended(&self, card: ItemId, end: CallEnd) -> BoxFuture<'_, Result<(), JournalError>> {
        Box::pin(async move {
            self.0.step();
            tokio::task::yield_now().await;
            self.0.note(Fact::Ended(card, end));
            self.0.kept("ended")
        })
    }

    fn finish(&self, outcome: Outcome) -> BoxFuture<'_, ()> {
        Box::pin(async { self.0.note(Fact::Finished(outcome)) })
    }
}

struct FakeProcesses(Arc<House>);

impl Processes for FakeProcesses {
    fn start(&self, request: StartRequest) -> BoxFuture<'_, Result<Started, StartRefused>> {
        Box::pin(async {
            self.0.step();
            assert_ne!(request.command, "panic", "a command that breaks the house");
            let process = ProcessId::from_uuid(self.0.fresh());
            tokio::task::yield_now().await;
            if let Err(abandoned) = self.0.scope.register(process) {
                return Err(StartRefused { code: StartRefusal::Abandoned, reason: abandoned.to_string() });
            }
            self.0.note(Fact::Started(request.clone()));
            let program =
                self.0.programs.get(request.command.as_str()).cloned().unwrap_or_else(|| program(0, 0, "ok\n"));
            let job = Job { request, began: Instant::now(), program, stopped: None };
            self.0.jobs.lock().expect("no panic").insert(process, job);
            Ok(Started { process, pid: 77, cwd: PathBuf::from("/srv"), cwd_note: None, pty_note: None })
        })
    }

    fn list(&self) -> Vec<ProcessBrief> {
        let ids: Vec<ProcessId> = self.0.jobs.lock().expect("no panic").keys().copied().collect();
        ids.into_iter().filter_map(|id| self.0.brief(id)).collect()
    }

    fn poll(&self, id: &str) -> Option<ProcessBrief> {
        let ids: Vec<ProcessId> = self.0.jobs.lock().expect("no panic").keys().copied().collect();
        let mut found = ids.into_iter().filter(|other| id.len() >= 4 && other.to_string().starts_with(id));
        let first = found.next()?;
        found.next().is_none().then(|| self.0.brief(first)).flatten()
    }

    fn output(&self, id: ProcessId, head: usize, tail: usize) -> Option<OutputWindow> {
        self.0.kept("output").ok()?;
        let jobs = self.0.jobs.lock().expect("no panic");
        let bytes = jobs.get(&id)?.program.output.as_bytes();
        let head = &bytes[..head.min(bytes.len())];
        let rest = &bytes[head.len()..];
        let end = &rest[rest.len().saturating_sub(tail)..];
        let omitted = (rest.len() - end.len()) as u64;
        Some(OutputWindow { head: head.to_vec(), tail: end.to_vec(), total: bytes.len() as u64, omitted })
    }

    fn wait(&self, id: ProcessId) -> BoxFuture<'_, ProcessBrief> {
        Box::pin(async move {
            self.0.step();
            let until = {
                let jobs = self.0.jobs.lock().expect("no panic");
                let job = jobs.get(&id).expect("a known process");
                job.began + job.program.runs
            };
            tokio::time::sleep_until(until).await;
            self.0.brief(id).expect("a known process")
        })
    }

    fn leave(&self, id: ProcessId) -> BoxFuture<'_, bool> {
        Box::pin(async move {
            self.0.step();
            let runs = self.0.brief(id).is_some_and(|brief| brief.state == ProcessState::Running);
            if runs {
                self.0.note(Fact::Left(id));
            }
            runs
        })
    }

    fn stop(&self, id: ProcessId, by: StoppedBy) -> BoxFuture<'_, Result<StopReport, StopRefused>> {
        Box::pin(async move {
            self.0.note(Fact::Stopped(id, by));
            if let Some(job) = self.0.jobs.lock().expect("no panic").get_mut(&id).filter(|job| job.runs()) {
                job.stopped.get_or_insert(by);
            }
            Ok(StopReport { state: ProcessState::Killed, survivors: Vec::new() })
        })
    }

    fn write(&self, id: ProcessId, bytes: Vec<u8>, then: Then) -> BoxFuture<'_, Result<Written, WriteRefused>> {
        Box::pin(async move {
            let jobs = self.0.jobs.lock().expect("no panic");
            let manner = &jobs.get(&id).expect("a known process").request.manner;
            if !manner.pty && !manner.stdin {
                return Err(WriteRefused { reason: "it was started without an input".to_owned() });
            }
            self.0.note(Fact::Typed(id, String::from_utf8(bytes.clone()).expect("text"), then));
            // Of a long text, the program reads only the first part.
            let waiting = (bytes.len() as u64).saturating_sub(4_096);
            Ok(Written { bytes: bytes.len() as u64 - waiting, waiting })
        })
    }
}

pub fn text(words: &str) -> Result<ModelEvent, Failure> {
    Ok(ModelEvent::Text(words.to_owned()))
}

pub fn says(words: &str) -> Script {
    vec![text(words), done(Vec::new())]
}

pub fn call(id: &str, name: &str, arguments: serde_json::Value) -> ToolCall {
    ToolCall { id: CallId(id.to_owned()), name: name.to_owned(), arguments: arguments.to_string() }
}

pub fn terminal(id: &str, command: &str) -> ToolCall {
    call(id, "terminal", serde_json::json!({ "command": command }))
}

pub fn done(calls: Vec<ToolCall>) -> Result<ModelEvent, Failure> {
    let finish = if calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
    Ok(ModelEvent::Finished(Finished { finish, calls, usage: None }))
}

pub fn fails(code: FailureCode) -> Result<ModelEvent, Failure> {
    Err(Failure { code, message: "Fake broke off.".to_owned(), retry_after: None, retryable: true })
}
