//! Recorded streams from the field, byte for byte through a real socket.
//!
//! Each folder of `fixtures/` holds the bytes, how the network cut them (`meta.json`) and what they mean.

use std::path::{Path, PathBuf};

use crate::support::{ask, texts};
use gatehouse_domain::FailureCode;
use gatehouse_provider::scripted::{Answer, End, Scripted, raw};
use gatehouse_provider::{Failure, Finish, Finished};
use serde_json::{Value, json};

fn folder(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(case)
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn expected(case: &str) -> Value {
    read_json(&folder(case).join("expected.json"))
}

fn answer(case: &str) -> Answer {
    let folder = folder(case);
    let meta = if folder.join("meta.json").exists() { read_json(&folder.join("meta.json")) } else { json!({}) };
    let mut answer = raw(std::fs::read(folder.join("body.sse")).unwrap());
    if let Some(size) = meta["every"].as_u64() {
        answer = answer.every(usize::try_from(size).unwrap());
    }
    if meta["end"] == "abort" { answer.ending(End::Abort) } else { answer }
}

/// Replays a case; returns its words and its end.
async fn replay(case: &str) -> (String, Result<Finished, Failure>) {
    let lab = Scripted::start(answer(case)).await.unwrap();
    let (events, end) = ask(&lab, "hi").await;
    assert_eq!(lab.requests().len(), 1, "{case} was asked again");
    (texts(&events), end)
}

fn calls(finished: &Finished) -> Value {
    let calls = finished.calls.iter().map(|call| {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
        json!({"id": call.id.0, "name": call.name, "arguments": arguments})
    });
    calls.collect()
}

#[tokio::test]
async fn calls_without_index_and_calls_that_share_one() {
    for case in ["PROV-01", "PROV-02"] {
        let finished = replay(case).await.1.unwrap();
        assert_eq!(calls(&finished), expected(case), "{case}");
        assert_eq!(finished.finish, Finish::ToolCalls);
    }
}

#[tokio::test]
async fn chunks_without_choices_and_usage_at_the_end() {
    let (text, end) = replay("PROV-03").await;
    let (finished, expected) = (end.unwrap(), expected("PROV-03"));
    let usage = finished.usage.unwrap();
    assert_eq!(expected["text"], text);
    assert_eq!(expected["usage"]["prompt_tokens"], usage.prompt_tokens);
    assert_eq!(expected["usage"]["completion_tokens"], usage.completion_tokens);
    assert_eq!(finished.finish, Finish::Stop);
}

#[tokio::test]
async fn framing_in_all_its_freedom() {
    let (text, end) = replay("PROV-04").await;
    assert_eq!(expected("PROV-04")["text"], text);
    assert_eq!(end.unwrap().finish, Finish::Stop);
}

#[tokio::test]
async fn characters_cut_by_the_network() {
    let (text, end) = replay("PROV-05").await;
    assert_eq!(expected("PROV-05")["text"], text);
    assert!(end.is_ok() && !text.contains('\u{fffd}'));
}

#[tokio::test]
async fn answers_that_stop_too_early_run_nothing_and_keep_their_words() {
    for (case, code) in [
        ("PROV-06/cut", FailureCode::CutOff),
        ("PROV-06/clean-eof", FailureCode::CutOff),
        ("PROV-06/half-args", FailureCode::LengthLimit),
    ] {
        let (text, end) = replay(case).await;
        let failure = end.unwrap_err();
        assert_eq!((text.as_str(), failure.code), ("I will clean up.", code), "{case}");
    }
    let said = replay("PROV-06/half-args").await.1.unwrap_err().message;
    assert!(said.contains("length limit"), "{said}");
}

#[tokio::test]
async fn done_behind_a_complete_call_counts_as_an_end() {
    let finished = replay("PROV-06/done-no-finish").await.1.unwrap();
    assert_eq!((finished.finish, finished.calls.len()), (Finish::ToolCalls, 1));
}

#[tokio::test]
async fn calls_of_one_tool_keep_their_own_ids() {
    let finished = replay("CARD-01").await.1.unwrap();
    let expected = expected("CARD-01");
    let ids: Vec<&str> = finished.calls.iter().map(|call| call.id.0.as_str()).collect();
    assert_eq!(json!(ids), expected["order_on_screen"]);
    for call in &finished.calls {
        let part = expected["by_call_id"][&call.id.0]["title_has"].as_str().unwrap();
        assert!(call.arguments.contains(part), "{call:?}");
    }
}
