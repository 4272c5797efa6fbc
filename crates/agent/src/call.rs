//! The life of one tool call: may it run, and what came of it.
//!
//! Each function records the end of its call itself before it says so, also when the turn is stopped meanwhile; so a
//! card never ends twice and never stays open behind a closed turn.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gatehouse_domain::{ApprovalMode, CardAnnotation, CardStatus, Clock, ItemId, ProcessId};
use gatehouse_turn::Scope;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::approval;
use crate::ports::{CallEnd, Journal, JournalError, Processes, Verdict};
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
    pub approvals: ApprovalMode,
    pub approval_wait: Duration,
    pub default_cwd: PathBuf,
    pub polls: Polls,
}

/// What a call tells the driver.
pub(crate) enum News {
    Allowed { index: usize },
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

/// Finds out whether the call may run.
pub(crate) async fn authorize(bench: Arc<Bench>, index: usize, card: ItemId, plan: Arc<Plan>) -> News {
    let refusal = match &*plan {
        _ if bench.halt.is_cancelled() => Some(cancelled()),
        Plan::Wrong { message } => Some(failed(message)),
        Plan::Process(_) => None,
        Plan::Terminal(call) => match judge(&bench, card, call).await {
            Ok(refusal) => refusal,
            Err(error) => return News::Broke(error),
        },
    };
    match refusal {
        None => News::Allowed { index },
        Some(end) => record(&bench, card, end, |result| News::Refused { index, result }).await,
    }
}

/// Runs the call.
pub(crate) async fn run(bench: Arc<Bench>, index: usize, card: ItemId, plan: Arc<Plan>) -> News {
    let ended = |result| News::Ended { index, result };
    if bench.halt.is_cancelled() {
        return record(&bench, card, cancelled(), ended).await;
    }
    if let Err(error) = bench.journal.begin(card).await {
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

/// The floor first, then what cannot work, and only then a person's time.
async fn judge(bench: &Bench, card: ItemId, call: &Terminal) -> Result<Option<CallEnd>, JournalError> {
    if let Some(reason) = approval::hardline(&call.command) {
        let words = format!(
            "Gatehouse never runs this command: {}. It has not run. Do not try to reach the same by another way.",
            reason.words
        );
        return Ok(Some(refused("blocked", &words, Some(CardAnnotation::Denied))));
    }
    if let Some(advice) = call.advice() {
        return Ok(Some(failed(&advice)));
    }
    match bench.approvals {
        ApprovalMode::Off => Ok(None),
        ApprovalMode::Ask | ApprovalMode::Risky => ask(bench, card, call).await,
    }
}

async fn ask(bench: &Bench, card: ItemId, call: &Terminal) -> Result<Option<CallEnd>, JournalError> {
    let shown = bench.veil.shown(&call.command);
    let cwd = call.cwd(&bench.default_cwd).unwrap_or_else(|| bench.default_cwd.clone());
    let verdict = tokio::select! {
        biased;
        () = bench.halt.cancelled() => return Ok(Some(cancelled())),
        verdict = bench.journal.ask(card, &shown, &cwd, bench.approval_wait) => verdict?,
    };
    Ok(match verdict {
        Verdict::Allowed => None,
        Verdict::Denied => Some(refused(
            "denied",
            "The person declined this command. It has not run. Do not retry it, reword it or reach the same by another \
             way; ask what they would like instead.",
            Some(CardAnnotation::Denied),
        )),
        Verdict::Expired => Some(refused(
            "expired",
            "Nobody answered in time, so the command has not run. Silence is not consent: do not retry it, reword it \
             or reach the same by another way. Say what you wanted to do and end your turn.",
            Some(CardAnnotation::Denied),
        )),
        Verdict::Withdrawn => Some(cancelled()),
    })
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
