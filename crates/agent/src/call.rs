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

use crate::approval::rule::{self, Pattern};
use crate::approval::{self, Block, Danger, Judgement, Policy};
use crate::ports::{CallEnd, Journal, JournalError, Processes, Question, Verdict};
use crate::prompt::Veil;
use crate::tool::registry::Plan;
use crate::tool::terminal::Terminal;
use crate::tool::{process, terminal};

/// What the calls of one turn share.
pub(crate) struct Bench {
    pub journal: Arc<dyn Journal>,
    pub processes: Arc<dyn Processes>,
    pub clock: Arc<dyn Clock>,
    pub scope: Arc<Scope>,
    /// No call may begin anything new, and every wait ends.
    pub halt: CancellationToken,
    pub veil: Veil,
    pub approval_wait: Duration,
    pub default_cwd: PathBuf,
    pub polls: Polls,
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
        Plan::Process(_) => Ruling::Runs(None),
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
    let consent = bench.journal.consent();
    // A remembered answer is looked for where a question would be asked, so that none is missed in between.
    let policy = Policy { mode: consent.mode, deny: &consent.deny, remembered: false };
    let judgement = approval::judge(&call.command, &policy);
    if let Judgement::Block(block) = &judgement {
        return Ok(Ruling::Ends(blocked(block)));
    }
    if let Some(advice) = call.advice() {
        return Ok(Ruling::Ends(failed(&advice)));
    }
    match judgement {
        Judgement::Block(block) => Ok(Ruling::Ends(blocked(&block))),
        Judgement::Run(_) => Ok(Ruling::Runs(None)),
        Judgement::Ask { dangers } => ask(bench, card, call, dangers).await,
    }
}

fn blocked(block: &Block) -> CallEnd {
    let words = format!(
        "Gatehouse never runs this command: {}. It has not run. Do not try to reach the same by another way.",
        block.words()
    );
    refused("blocked", &words, Some(CardAnnotation::Denied))
}

async fn ask(bench: &Bench, card: ItemId, call: &Terminal, dangers: Vec<Danger>) -> Result<Ruling, JournalError> {
    let cwd = call.cwd(&bench.default_cwd).unwrap_or_else(|| bench.default_cwd.clone());
    let suggested = suggestion(bench, &call.command);
    let question = Question {
        card,
        command: &call.command,
        shown: bench.veil.shown(&call.command),
        cwd: &cwd,
        purpose: call.purpose.as_deref().and_then(|purpose| bench.veil.purpose(purpose)),
        dangers: dangers.into_iter().map(|danger| danger.words).collect(),
        takes_pattern: suggested.is_some() || fits_itself(&call.command),
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
    let pattern = rule::suggest_pattern(command)?;
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
    }
}
