//! What the outside does for a turn: keep its facts, and run its programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use gatehouse_domain::{
    AbandonCause, ApprovalMode, CallId, CardAnnotation, CardStatus, ConsumedBy, EpochMs, Exit, FailureCode, ItemId,
    ProcessId, ProcessState, RuleId, StoppedBy,
};
use gatehouse_text::output::{OutputTransform, ScreenSize};
use gatehouse_trigger::WatchPatterns;

use crate::approval::rule::Deny;

/// Keeps the facts of one turn. Every write is one transaction and has happened when its future is ready.
///
/// The driver lets every write finish, even when the turn is stopped in the middle of it; only [`ask`](Self::ask) is
/// dropped, and a dropped question is withdrawn.
pub trait Journal: Send + Sync {
    /// The provider is about to be asked for the first time in this turn.
    fn requested(&self) -> BoxFuture<'_, Result<(), JournalError>>;

    /// Takes the words that a person sent into the running turn, in their order; each is handed over once, and is part
    /// of the transcript from then on. Asked before the model is asked again.
    fn steered(&self) -> BoxFuture<'_, Result<Vec<String>, JournalError>>;

    /// Ready when a person says something while the turn runs that no wait of it was ended for yet; at once if they
    /// have already. No call waits for a process beyond that.
    fn interjection(&self) -> BoxFuture<'_, Interjection>;

    /// Ready when a person has sent words into the running turn that it did not hear yet; at once if they are there
    /// already. No command is waited for much longer then.
    fn joined(&self) -> BoxFuture<'_, ()>;

    /// The model began to say something; the words come as deltas.
    fn text_begun(&self) -> BoxFuture<'_, Result<ItemId, JournalError>>;

    /// More words of a begun text. Live only and cheap: the journal saves what it has by itself.
    fn text_delta(&self, item: ItemId, delta: &str);

    /// An answer is whole and calls tools: its text is final and each call has a pending card. The cards come back in
    /// the order of the calls.
    fn answered(&self, answer: Answer) -> BoxFuture<'_, Result<Vec<ItemId>, JournalError>>;

    /// What a person has settled about commands, as it stands now.
    fn consent(&self) -> Consent;

    /// Finds a rule that allows the command; without one, asks a person and waits for them.
    fn ask<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, Result<Verdict, JournalError>>;

    /// The call is about to run: from here on the turn has had an effect. A rule that allowed it is counted with it.
    fn begin(&self, card: ItemId, rule: Option<RuleId>) -> BoxFuture<'_, Result<(), JournalError>>;

    /// The call has its result, and whatever that tells is told: both or neither. Told once for every card, also for one
    /// that never ran.
    fn ended(&self, card: ItemId, end: CallEnd) -> BoxFuture<'_, Result<(), JournalError>>;

    /// The turn is over. Told once, as the last thing. A card that is still open then, because telling its end
    /// failed, is closed along with it.
    fn finish(&self, outcome: Outcome) -> BoxFuture<'_, ()>;
}

/// A fact could not be kept; the turn cannot go on. The words are for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct JournalError(pub String);

/// Where the words of a person go that came while a turn runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interjection {
    /// Into this turn, before the model is asked again.
    Joins,
    /// Behind it: they are heard when it is over.
    Waits,
}

/// A whole answer that calls tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The item of its words; `None` if it said nothing.
    pub text_item: Option<ItemId>,
    /// All its words.
    pub text: String,
    /// The thoughts shown beside it.
    pub reasoning: String,
    /// What it calls, in its order.
    pub calls: Vec<CallFact>,
}

/// One call as it is shown and stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFact {
    /// The provider's id.
    pub call_id: CallId,
    /// The tool's name, as the model wrote it.
    pub tool: String,
    /// The arguments, as the model wrote them.
    pub arguments: String,
    /// One line for the card, masked.
    pub title: String,
    /// More for the card, masked.
    pub details: String,
    /// Whether it starts something that outlives the call.
    pub background: bool,
}

/// What a person has settled about commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// When they are asked.
    pub mode: ApprovalMode,
    /// What never runs.
    pub deny: Vec<Deny>,
}

/// A question to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question<'a> {
    /// The card of the call that waits.
    pub card: ItemId,
    /// What would run, to the letter: for rules, never for eyes.
    pub command: &'a str,
    /// What would run, masked, with nothing hidden in it.
    pub shown: String,
    /// Where it would run.
    pub cwd: &'a Path,
    /// Why the agent wants it, in its words. Nothing is decided by it.
    pub purpose: Option<String>,
    /// What is dangerous about it, a sentence each.
    pub dangers: Vec<String>,
    /// A pattern that could be allowed with it.
    pub suggested: Option<String>,
    /// Whether a pattern can fit it at all.
    pub takes_pattern: bool,
    /// How long the person may think.
    pub wait: Duration,
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Run it.
    Allowed {
        /// The rule that says so, when it was no person's word about this very call.
        rule: Option<RuleId>,
    },
    /// A person said no.
    Denied {
        /// And why, in their words.
        reason: Option<String>,
    },
    /// Nobody answered in time.
    Expired,
    /// The question was taken back.
    Withdrawn,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallEnd {
    /// What the model reads.
    pub result: String,
    /// How the card stands.
    pub status: CardStatus,
    /// What the status does not say.
    pub annotation: Option<CardAnnotation>,
    /// What the card shows, masked and cut.
    pub output: String,
    /// How much the program really wrote.
    pub output_bytes: u64,
    /// How the program ended, if it ran and ended.
    pub exit: Option<Exit>,
    /// A background program still works under this card; its end closes the card.
    pub keep_open: bool,
    /// The process whose end the model reads in the result, and how it came to. No report of it is owed any more.
    pub told: Option<(ProcessId, ConsumedBy)>,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The model said its last word.
    Done {
        /// The item of that word.
        text_item: Option<ItemId>,
        /// The word.
        text: String,
        /// The thoughts shown beside it.
        reasoning: String,
    },
    /// There is no answer.
    Failed {
        /// What kind of failure.
        code: FailureCode,
        /// For a person.
        message: String,
        /// The item of the words that came before, if any came.
        text_item: Option<ItemId>,
        /// Those words.
        partial: String,
        /// Nothing had been run yet, so the turn can be run again as it is.
        retryable: bool,
    },
    /// It was given up.
    Stopped {
        /// Why.
        cause: AbandonCause,
        /// The item of the words that came before, if any came.
        text_item: Option<ItemId>,
        /// Those words.
        partial: String,
    },
}

/// The programs that the calling session may see, and a way to start more in this turn's scope.
pub trait Processes: Send + Sync {
    /// Starts a command. Refused when the turn was given up: nothing lives then.
    fn start(&self, request: StartRequest) -> BoxFuture<'_, Result<Started, StartRefused>>;

    /// Every known process of the session, those at work first.
    fn list(&self) -> Vec<ProcessBrief>;

    /// Looks up an exact id, or a unique beginning of one of at least four characters; anything else is `None`.
    fn poll(&self, id: &str) -> Option<ProcessBrief>;

    /// The first `head` and the last `tail` bytes of the output, never the same byte twice.
    fn output(&self, id: ProcessId, head: usize, tail: usize) -> Option<OutputWindow>;

    /// Ready when the process is in a final state; at once if it is already.
    fn wait(&self, id: ProcessId) -> BoxFuture<'_, ProcessBrief>;

    /// Its call waits for it no longer: it goes on in the background, and its end is reported. Whether it does; one that
    /// ends or is being ended does not.
    fn leave(&self, id: ProcessId) -> BoxFuture<'_, bool>;

    /// Ends the whole tree, and says what is left of it.
    fn stop(&self, id: ProcessId, by: StoppedBy) -> BoxFuture<'_, Result<StopReport, StopRefused>>;

    /// Types to a process, and says how much of it was taken.
    fn write(&self, id: ProcessId, bytes: Vec<u8>, then: Then) -> BoxFuture<'_, Result<Written, WriteRefused>>;

    /// Who may turn an output into another text before it is masked and cut, in this order.
    fn transforms(&self) -> Vec<Arc<dyn OutputTransform>> {
        Vec::new()
    }
}

/// Who takes tasks that the agent hands on.
pub trait Delegations: Send + Sync {
    /// Hands tasks on, one sub-agent for each; the name of the delegation. They are written down before any of them
    /// begins, and their results reach the conversation as a report.
    fn delegate(&self, tasks: Vec<Task>) -> BoxFuture<'_, Result<ItemId, DelegationRefused>>;
}

/// A task to hand on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// One line for a person, masked.
    pub title: String,
    /// What the sub-agent reads.
    pub text: String,
}

/// Tasks that nobody takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DelegationRefused {
    /// For the model.
    pub reason: String,
}

/// A command to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartRequest {
    /// The card it works for.
    pub card: ItemId,
    /// For the shell, unmasked.
    pub command: String,
    /// Where; `None` for the session's own directory.
    pub cwd: Option<PathBuf>,
    /// Whether its end is reported to the conversation.
    pub notify: bool,
    /// Whether the call waits for it; its end is then never reported.
    pub foreground: bool,
    /// In which way it runs.
    pub manner: Manner,
}

/// In which way a background command runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manner {
    /// It gets a terminal, and its input can be written to.
    pub pty: bool,
    /// Its input can be written to, without a terminal.
    pub stdin: bool,
    /// Lines that are reported while it runs.
    pub watch: WatchPatterns,
    /// How often it gives a sign of life.
    pub heartbeat: Option<Duration>,
    /// It lives on when the turn that started it is given up.
    pub persist: bool,
    /// After so long it is stopped.
    pub max_runtime: Option<Duration>,
}

/// A command that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// Its id.
    pub process: ProcessId,
    /// The direct child.
    pub pid: u32,
    /// Where it runs.
    pub cwd: PathBuf,
    /// Why that is not where it was asked to run.
    pub cwd_note: Option<String>,
    /// Why it got no terminal although it was to have one.
    pub pty_note: Option<String>,
}

/// A command that does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartRefused {
    /// What kind of refusal.
    pub code: StartRefusal,
    /// For the model.
    pub reason: String,
}

/// Why a command does not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartRefusal {
    /// The turn was given up.
    Abandoned,
    /// There is no such directory, or no way into it.
    Directory,
    /// Too many are at work.
    TooMany,
    /// The system could not start it.
    Failed,
}

/// A process as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessBrief {
    /// Its id.
    pub id: ProcessId,
    /// What was started, unmasked.
    pub command: String,
    /// Where.
    pub cwd: PathBuf,
    /// Where it stands.
    pub state: ProcessState,
    /// How it ended, if it did.
    pub exit: Option<Exit>,
    /// Who asked for its end.
    pub stopped_by: Option<StoppedBy>,
    /// The direct child.
    pub pid: Option<u32>,
    /// When it began.
    pub started_at: EpochMs,
    /// When it ended.
    pub ended_at: Option<EpochMs>,
    /// How much it wrote so far.
    pub output_bytes: u64,
    /// How many processes it has under it.
    pub descendants: u32,
    /// What of its tree outlives the direct child.
    pub left_behind: Vec<u32>,
    /// Why it never ran, or how it was lost.
    pub reason: Option<String>,
    /// Whether its end will be reported to the conversation.
    pub notify: bool,
    /// Whether it lives on when the turn that started it is given up.
    pub persist: bool,
    /// The terminal that it writes to.
    pub screen: ScreenSize,
}

/// Two ends of an output.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OutputWindow {
    /// Its beginning.
    pub head: Vec<u8>,
    /// Its end; follows the head directly if nothing is omitted.
    pub tail: Vec<u8>,
    /// How many bytes were written.
    pub total: u64,
    /// How many bytes are between head and tail.
    pub omitted: u64,
}

/// What came of a stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopReport {
    /// Where the process stands now.
    pub state: ProcessState,
    /// What still lives of its tree.
    pub survivors: Vec<u32>,
}

/// A stop that did not happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopRefused {
    /// For the model.
    pub reason: String,
}

/// What follows on typed bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// Nothing.
    Nothing,
    /// The Enter key.
    Enter,
    /// The end of the input.
    End,
}

/// What became of typed bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// So many were taken, with Enter and the end.
    pub bytes: u64,
    /// So many wait until the program reads.
    pub waiting: u64,
}

/// Input that was not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteRefused {
    /// For the model.
    pub reason: String,
}
