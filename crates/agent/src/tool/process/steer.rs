//! Waiting for a background command, typing to it, ending it.

use std::time::Duration;

use gatehouse_domain::{CardAnnotation, CardStatus, ConsumedBy, StoppedBy};
use gatehouse_text::output::Purpose;
use serde_json::{Map, Value, json};

use super::look::{facts, with_last};
use super::{Input, MOST_WAIT, told};
use crate::call::{self, Bench};
use crate::ports::{CallEnd, Interjection, ProcessBrief, Written};
use crate::tool::ending::Ending;

pub(super) async fn wait(bench: &Bench, brief: &ProcessBrief, seconds: u64, asked: Option<u64>) -> CallEnd {
    let over = tokio::select! {
        biased;
        () = bench.halt.cancelled() => return interrupted(bench, brief),
        brief = bench.processes.wait(brief.id) => Over::Ended(brief),
        words = bench.journal.interjection() => Over::Spoken(words),
        () = tokio::time::sleep(Duration::from_secs(seconds)) => Over::TimedOut,
    };
    let ended = matches!(over, Over::Ended(_));
    let mut facts = match over {
        Over::Ended(brief) => with_last(bench, &brief, Purpose::Completion),
        Over::Spoken(words) => {
            still_running(bench, brief, "interrupted", &format!("{} It was not stopped and still runs.", spoken(words)))
        }
        Over::TimedOut => {
            let why = format!("It still runs after {seconds} s of waiting; that is no failure.");
            still_running(bench, brief, "timeout", &why)
        }
    };
    if asked.is_some_and(|asked| asked > MOST_WAIT) {
        facts.insert("timeout_note".to_owned(), json!(format!("One wait lasts at most {MOST_WAIT} s.")));
    }
    CallEnd { told: ended.then_some((brief.id, ConsumedBy::Wait)), ..told(Value::Object(facts)) }
}

/// Why a wait is over.
enum Over {
    Ended(ProcessBrief),
    Spoken(Interjection),
    TimedOut,
}

const fn spoken(words: Interjection) -> &'static str {
    match words {
        Interjection::Joins => "A person said something while you waited; their words follow.",
        Interjection::Waits => {
            "A person sent a message while you waited; it is heard when this turn is over, so end it soon."
        }
    }
}

fn still_running(bench: &Bench, brief: &ProcessBrief, status: &str, why: &str) -> Map<String, Value> {
    let mut facts = with_last(bench, brief, Purpose::Preview);
    let then = if brief.notify {
        "Its end will be reported to this conversation by itself, so you can end your turn."
    } else {
        "Its end will not be reported by itself."
    };
    facts.insert("status".to_owned(), json!(status));
    facts.insert("process_running".to_owned(), json!(true));
    facts.insert("note".to_owned(), json!(format!("{why} {then}")));
    facts
}

fn interrupted(bench: &Bench, brief: &ProcessBrief) -> CallEnd {
    let mut facts = with_last(bench, brief, Purpose::Preview);
    facts.insert("status".to_owned(), json!("interrupted"));
    facts.insert("note".to_owned(), json!("The turn was stopped while you waited."));
    CallEnd { status: CardStatus::Error, annotation: Some(CardAnnotation::Cancelled), ..told(Value::Object(facts)) }
}

pub(super) async fn kill(bench: &Bench, brief: &ProcessBrief) -> CallEnd {
    let was_final = brief.state.is_final();
    if was_final && brief.left_behind.is_empty() {
        return killed(bench, brief, "already_exited");
    }
    let report = match bench.processes.stop(brief.id, StoppedBy::Agent).await {
        Ok(report) => report,
        Err(refused) => return call::failed(&format!("It was not stopped: {}", refused.reason)),
    };
    let after = bench.processes.poll(&brief.id.to_string()).unwrap_or_else(|| brief.clone());
    if !report.survivors.is_empty() || !report.state.is_final() {
        let mut result = ending(bench, &after, "error");
        result["survivors"] = json!(report.survivors);
        result["process_running"] = json!(true);
        result["error"] = json!("Some of it still lives. You can try again.");
        return CallEnd { status: CardStatus::Error, ..told(result) };
    }
    let status =
        if was_final { "already_exited" } else { Ending::of(after.state, after.exit, after.stopped_by).status };
    killed(bench, &after, status)
}

fn killed(bench: &Bench, brief: &ProcessBrief, status: &str) -> CallEnd {
    CallEnd { told: Some((brief.id, ConsumedBy::Kill)), ..told(ending(bench, brief, status)) }
}

fn ending(bench: &Bench, brief: &ProcessBrief, status: &str) -> Value {
    let mut facts = with_last(bench, brief, Purpose::Completion);
    facts.insert("status".to_owned(), json!(status));
    Value::Object(facts)
}

pub(super) async fn write(bench: &Bench, brief: &ProcessBrief, input: &Input) -> CallEnd {
    if brief.state.is_final() {
        let mut facts = facts(bench, brief);
        facts.insert("status".to_owned(), json!("already_exited"));
        facts.insert("error".to_owned(), json!("It has ended, so nothing was written."));
        return CallEnd { status: CardStatus::Error, ..told(Value::Object(facts)) };
    }
    match bench.processes.write(brief.id, input.text.clone().into_bytes(), input.then).await {
        Ok(Written { bytes, waiting }) => {
            let mut result = json!({ "status": "ok", "bytes_written": bytes });
            if waiting > 0 {
                result["bytes_waiting"] = json!(waiting);
                result["note"] =
                    json!("The rest waits until the program reads. It is not lost: do not write it again.");
            }
            told(result)
        }
        Err(refused) => call::failed(&format!("It was not typed. {}", refused.reason)),
    }
}
