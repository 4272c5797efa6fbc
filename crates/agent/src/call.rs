//! The life of one tool call: may it run, and what came of it.
//!
//! Each function records the end of its call itself before it says so, also when the turn is stopped meanwhile; so a
//! card never ends twice and never stays open behind a closed turn.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gatehouse_domain::{CardAnnotation, CardStatus, Clock, ItemId, ProcessId, RuleId};
use gatehouse_turn::Scope;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::approval::rule::{Pattern, suggest_pattern};
use crate::approval::{self, Block, Danger, Judgement, Policy};
use crate::ports::{CallEnd, Delegations, Journal, JournalError, Processes, Question, Verdict};
use crate::prompt::Veil;
use crate::tool::process::Process;
use crate::tool::registry::Plan;
use crate::tool::terminal::Terminal;
use crate::tool::{delegate, process, terminal};

/// What the calls of one turn share.
pub(crate) struct Bench {
    pub journal: Arc<dyn Journal>,
    pub processes: Arc<dyn Processes>,
    pub delegations: Option<Arc<dyn Delegations>>,
    pub clock: Arc<dyn Clock>,
    pub scope: Arc<Scope>,
    /// No call may begin anything new, and every wait ends.
    pub halt: CancellationToken,
    pub veil: Veil,
    pub approval_wait: Duration,
    pub default_cwd: PathBuf,
    pub polls: Polls,
    pub typed: Typed,
}

/// What a call tells the driver.
pub(crate) enum News {
    Allowed { index: usize, rule: Option<RuleId> },
    Refused { index: usize, result: String },
    Ended { index: usize, result: String },
    Broke(JournalError),
}

/// How often a process was looked at in this turn without anything new to see.
#[derive(Debug, Default)]
pub(crate) struct Polls(Mutex<HashMap<ProcessId, (u64, u32)>>);

impl Polls {
    /// Counts a look at `id` when it had written `bytes`; says how many in a row saw the same.
    pub(crate) fn look(&self, id: ProcessId, bytes: u64) -> u32 {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = seen.entry(id).or_insert((bytes, 0));
        *entry = if entry.0 == bytes { (bytes, entry.1 + 1) } else { (bytes, 1) };
        entry.1
    }
}

/// The last line of what was typed to each process in this turn: a command can be typed in pieces.
#[derive(Debug, Default)]
pub(crate) struct Typed(Mutex<HashMap<ProcessId, String>>);

impl Typed {
    /// The lines that `text` ends or goes on with.
    fn lines(&self, id: ProcessId, text: &str) -> String {
        let mut begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = begun.entry(id).or_default();
        let lines = format!("{last}{text}");
        lines.rsplit(['\n', '\r']).next().unwrap_or_default().clone_into(last);
        lines
    }
}

/// May it run?
enum Ruling {
    /// It may; a rule says so, or a person, or nobody has to.
    Runs(Option<RuleId>),
    /// It may not, and this is its end.
    Ends(CallEnd),
}

/// Finds out whether the call may run.
pub(crate) async fn authorize(bench: Arc<Bench>, index: usize, card: ItemId, plan: Arc<Plan>) -> News {
    let ruling = match &*plan {
        _ if bench.halt.is_cancelled() => Ruling::Ends(cancelled()),
        Plan::Wrong { message } => Ruling::Ends(failed(message)),
        // It runs nothing itself: what a sub-agent calls is judged there.
        Plan::Delegate(_) => Ruling::Runs(None),
        Plan::Process(call) => match judge_input(&bench, card, call).await {
            Ok(ruling) => ruling,
            Err(error) => return News::Broke(error),
        },
        Plan::Terminal(call) => match judge(&bench, card, call).await {
            Ok(ruling) => ruling,
            Err(error) => return News::Broke(error),
        },
    };
    match ruling {
        Ruling::Runs(rule) => News::Allowed { index, rule },
        Ruling::Ends(end) => record(&bench, card, end, |result| News::Refused { index, result }).await,
    }
}

/// Runs the call.
pub(crate) async fn run(bench: Arc<Bench>, index: usize, card: ItemId, rule: Option<RuleId>, plan: Arc<Plan>) -> News {
    let ended = |result| News::Ended { index, result };
    if bench.halt.is_cancelled() {
        return record(&bench, card, cancelled(), ended).await;
    }
    if let Err(error) = bench.journal.begin(card, rule).await {
        return News::Broke(error);
    }
    let end = match &*plan {
        Plan::Wrong { message } => failed(message),
        Plan::Terminal(call) => terminal::run(&bench, card, call).await,
        Plan::Process(call) => process::run(&bench, call).await,
        Plan::Delegate(call) => delegate::run(&bench, call).await,
    };
    record(&bench, card, end, ended).await
}

async fn record(bench: &Bench, card: ItemId, end: CallEnd, news: impl FnOnce(String) -> News) -> News {
    let result = end.result.clone();
    match bench.journal.ended(card, end).await {
        Ok(()) => news(result),
        Err(error) => News::Broke(error),
    }
}

/// What must not run first, then what cannot work, and only then a person's time.
async fn judge(bench: &Bench, card: ItemId, call: &Terminal) -> Result<Ruling, JournalError> {
    let judgement = judgement(bench, &call.command);
    if let Judgement::Block(block) = &judgement {
        return Ok(Ruling::Ends(blocked(block)));
    }
    if let Some(advice) = call.advice() {
        return Ok(Ruling::Ends(failed(&advice)));
    }
    let cwd = call.cwd(&bench.default_cwd).unwrap_or_else(|| bench.default_cwd.clone());
    let wish = Wish { command: &call.command, cwd, purpose: call.purpose.as_deref() };
    rule(bench, card, judgement, wish).await
}

/// What is typed into a shell is a command like any other, and nobody can tell which programs are shells.
async fn judge_input(bench: &Bench, card: ItemId, call: &Process) -> Result<Ruling, JournalError> {
    let Some((input, brief)) = call.input().zip(bench.processes.poll(&call.id)) else { return Ok(Ruling::Runs(None)) };
    let lines = bench.typed.lines(brief.id, &input.lines());
    if lines.trim().is_empty() {
        return Ok(Ruling::Runs(None));
    }
    let purpose = format!("To be typed into: {}", brief.command);
    let wish = Wish { command: lines.trim(), cwd: brief.cwd, purpose: Some(&purpose) };
    rule(bench, card, judgement(bench, lines.trim()), wish).await
}

fn judgement(bench: &Bench, command: &str) -> Judgement {
    let consent = bench.journal.consent();
    // A remembered answer is looked for where a question would be asked, so that none is missed in between.
    approval::judge(command, &Policy { mode: consent.mode, deny: &consent.deny, remembered: false })
}

async fn rule(bench: &Bench, card: ItemId, judgement: Judgement, wish: Wish<'_>) -> Result<Ruling, JournalError> {
    match judgement {
        Judgement::Block(block) => Ok(Ruling::Ends(blocked(&block))),
        Judgement::Run(_) => Ok(Ruling::Runs(None)),
        Judgement::Ask { dangers } => ask(bench, card, wish, dangers).await,
    }
}

/// What a person is asked about.
struct Wish<'a> {
    command: &'a str,
    cwd: PathBuf,
    purpose: Option<&'a str>,
}

fn blocked(block: &Block) -> CallEnd {
    let words = format!(
        "Gatehouse never runs this command: {}. It has not run. Do not try to reach the same by another way.",
        block.words()
    );
    refused("blocked", &words, Some(CardAnnotation::Denied))
}

async fn ask(bench: &Bench, card: ItemId, wish: Wish<'_>, dangers: Vec<Danger>) -> Result<Ruling, JournalError> {
    let suggested = suggestion(bench, wish.command);
    let question = Question {
        card,
        command: wish.command,
        shown: bench.veil.shown(wish.command),
        cwd: &wish.cwd,
        purpose: wish.purpose.and_then(|purpose| bench.veil.purpose(purpose)),
        dangers: dangers.into_iter().map(|danger| danger.words).collect(),
        takes_pattern: suggested.is_some() || fits_itself(wish.command),
        suggested,
        wait: bench.approval_wait,
    };
    let verdict = tokio::select! {
        biased;
        () = bench.halt.cancelled() => return Ok(Ruling::Ends(cancelled())),
        verdict = bench.journal.ask(question) => verdict?,
    };
    Ok(match verdict {
        Verdict::Allowed { rule } => Ruling::Runs(rule),
        Verdict::Denied { reason } => {
            Ruling::Ends(refused("denied", &declined(reason.as_deref()), Some(CardAnnotation::Denied)))
        }
        Verdict::Expired => Ruling::Ends(refused(
            "expired",
            "Nobody answered in time, so the command has not run. Silence is not consent: do not retry it, reword it \
             or reach the same by another way. Say what you wanted to do and end your turn.",
            Some(CardAnnotation::Denied),
        )),
        Verdict::Withdrawn => Ruling::Ends(cancelled()),
    })
}

/// A pattern is offered only if it can be shown as it is.
fn suggestion(bench: &Bench, command: &str) -> Option<String> {
    let pattern = suggest_pattern(command)?;
    (bench.veil.shown(&pattern) == pattern).then_some(pattern)
}

/// Whether some pattern can fit: the narrowest one is the command itself.
fn fits_itself(command: &str) -> bool {
    Pattern::parse(command).is_ok_and(|pattern| pattern.matches(command))
}

fn declined(reason: Option<&str>) -> String {
    let why = reason.map(|reason| format!(" They said: \"{reason}\"")).unwrap_or_default();
    format!(
        "The person declined this command. It has not run.{why} Do not retry it, reword it or reach the same by \
         another way; ask what they would like instead."
    )
}

/// A call that the stop of its turn caught before it did anything.
pub(crate) fn cancelled() -> CallEnd {
    refused("cancelled", "The turn was stopped before this ran. It has not run.", Some(CardAnnotation::Cancelled))
}

/// A call that did not work out for a reason of its own.
pub(crate) fn failed(message: &str) -> CallEnd {
    refused("error", message, None)
}

fn refused(status: &str, message: &str, annotation: Option<CardAnnotation>) -> CallEnd {
    CallEnd {
        result: json!({ "status": status, "error": message }).to_string(),
        status: CardStatus::Error,
        annotation,
        output: message.to_owned(),
        output_bytes: 0,
        exit: None,
        keep_open: false,
        told: None,
    }
}
