//! Streams, cancelling, and what is sent.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use gatehouse_domain::CallId;
use gatehouse_provider::scripted::{End, Script, Scripted, call, calls, deltas, say};
use gatehouse_provider::{Finish, Message, Model, ModelEvent, Request, ToolCall, Usage};
use serde_json::json;

use crate::support::{ask, ask_with, client, question, texts};

#[tokio::test]
async fn words_calls_thoughts_and_costs_arrive_in_order() {
    let answer =
        say("Let me look. ").and_calls([("c1", "terminal", json!({"command": "ls"}))]).thinking("hm").costing(7, 9);
    let lab = Scripted::start(answer).await.unwrap();
    let (events, end) = ask(&lab, "hi").await;
    assert_eq!(events[0], ModelEvent::Reasoning("hm".to_owned()));
    assert_eq!(texts(&events), "Let me look. ");
    let begun = ModelEvent::CallBegun { id: CallId("c1".to_owned()), name: "terminal".to_owned() };
    assert_eq!(events.last(), Some(&begun));
    let finished = end.unwrap();
    let arguments = r#"{"command":"ls"}"#.to_owned();
    assert_eq!(finished.calls, [ToolCall { id: CallId("c1".to_owned()), name: "terminal".to_owned(), arguments }]);
    assert_eq!(finished.usage, Some(Usage { prompt_tokens: 7, completion_tokens: 9 }));
}

#[tokio::test]
async fn events_arrive_while_the_answer_goes_on() {
    let lab = Scripted::start(deltas(["first"]).ending(End::Hang)).await.unwrap();
    let mut stream = client(&lab.url()).stream(question("hi"));
    assert_eq!(stream.next().await, Some(Ok(ModelEvent::Text("first".to_owned()))));
    lab.release();
    assert!(matches!(stream.next().await, Some(Ok(ModelEvent::Finished(_)))));
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let lab = Scripted::start(deltas(["first"]).ending(End::Hang)).await.unwrap();
    let mut stream = client(&lab.url()).stream(question("hi"));
    stream.next().await;
    drop(stream);
    tokio::time::timeout(Duration::from_secs(30), lab.wait_for_abandoned(1)).await.unwrap();
}

#[tokio::test]
async fn a_responder_sees_the_request() {
    let script = Script::responder(|body| match body["messages"][0]["content"].as_str() {
        Some("run") => calls([("a", "t", json!({})), ("b", "t", json!({"x": 1}))]),
        _ => say("no"),
    });
    let lab = Scripted::start(script).await.unwrap();
    let client = client(&lab.url());
    assert_eq!(ask_with(&client, question("run")).await.1.unwrap().calls.len(), 2);
    assert_eq!(texts(&ask_with(&client, question("stay")).await.0), "no");
    let request = lab.wait_for_request(1).await;
    assert_eq!(request.body["model"], "m-1");
    assert_eq!(request.body["stream_options"], json!({"include_usage": true}));
}

#[tokio::test]
async fn an_id_that_the_conversation_has_is_not_used_again() {
    let lab = Scripted::start([call("call_0", "t", json!({}))]).await.unwrap();
    let earlier = ToolCall { id: CallId("call_0".to_owned()), name: "t".to_owned(), arguments: "{}".to_owned() };
    let messages = vec![
        Message::User("hi".to_owned()),
        Message::Assistant { text: String::new(), calls: vec![earlier.clone()] },
        Message::ToolResult { call_id: earlier.id.clone(), text: "ok".to_owned() },
    ];
    let (_, end) = ask_with(&client(&lab.url()), Request { messages, ..question("") }).await;
    assert_eq!(end.unwrap().calls[0].id, CallId("call_2".to_owned()));
}

#[tokio::test]
async fn models_are_listed() {
    let lab = Scripted::start(vec![]).await.unwrap();
    assert_eq!(client(&lab.url()).list_models().await, Ok(vec!["scripted".to_owned()]));
}

#[tokio::test]
async fn two_thousand_deltas_in_one_burst_are_cheap() {
    let pieces = vec!["word "; 2_000];
    let lab = Scripted::start(vec![deltas(pieces.iter().copied()), deltas(pieces.iter().copied())]).await.unwrap();
    let client = client(&lab.url());
    let mut best = Duration::MAX;
    for _ in 0..2 {
        #[expect(clippy::disallowed_methods, reason = "this measures real time")]
        let start = Instant::now();
        let (events, end) = ask_with(&client, question("hi")).await;
        best = best.min(start.elapsed());
        assert_eq!((events.len(), end.unwrap().finish), (2_000, Finish::Stop));
    }
    println!("2,000 deltas: {best:?}");
    // Far above what an idle machine needs, even in a debug build: it catches work that grows with the square.
    assert!(best < Duration::from_secs(10), "{best:?}");
}
