//! Questions: only a person's word lets a command run, and only the first word counts.

use std::time::Duration;

use gatehouse_provider::scripted::{Script, Scripted, call, say};
use gatehouse_tests::{Mirror, Result, Rpc, Setup, Window, strict};
use serde_json::{Value, json};
use tokio::time::Instant;

/// Asks to touch `ran` for every message of a person, and says `Well.` to every result.
async fn lab() -> Result<Scripted> {
    let respond = |body: &Value| {
        let messages = strict::messages(body);
        match messages.last().and_then(|message| message["role"].as_str()) {
            Some("user") => call(&format!("call_{}", messages.len()), "terminal", json!({"command": "touch ran"})),
            _ => say("Well."),
        }
    };
    Ok(Scripted::start(Script::responder(respond)).await?)
}

async fn question(mirror: &mut Mirror, session: &str) -> Result<Value> {
    let pending = |m: &Mirror| {
        let asked = m.of_kind(session, "approval").into_iter().find(|item| item["state"] == "pending");
        asked.map(|item| item["approvalId"].clone())
    };
    mirror.until("a question", pending).await
}

async fn closed_with(rpc: &Rpc, approval: &Value) -> Result<String> {
    let again = rpc.call("answer_approval", json!({"approvalId": approval, "choice": "once"})).await;
    let refusal = again.err().ok_or("a closed question took an answer")?;
    assert_eq!((refusal.status, refusal.code.as_str()), (409, "approval_closed"));
    Ok(refusal.message)
}

fn state_of<'m>(mirror: &'m Mirror, session: &str, approval: &Value) -> &'m Value {
    let found = mirror.of_kind(session, "approval").into_iter().find(|item| item["approvalId"] == *approval);
    found.map_or(&Value::Null, |item| &item["state"])
}

#[tokio::test]
async fn a_refusal_is_told_to_the_model_and_nothing_runs() -> Result {
    let lab = lab().await?;
    let server = Setup::with(&lab).asking().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "do it").await?;
    let approval = question(&mut mirror, &session).await?;
    for odd in ["pattern", "yes", "whatever"] {
        let wide = server.call("answer_approval", json!({"approvalId": approval, "choice": odd})).await;
        assert_eq!(wide.unwrap_err().code, "invalid_request", "{odd}");
    }
    let no = json!({"approvalId": approval, "choice": "deny", "reason": "Not on a Friday.\u{7}"});
    server.call("answer_approval", no).await?;
    mirror.until("the answer", |m| (m.said(&session) == ["Well."] && m.rests(&session)).then_some(())).await?;
    assert_eq!(state_of(&mirror, &session, &approval), "denied");
    let told = &mirror.of_kind(&session, "approval")[0]["answer"];
    assert_eq!(
        (&told["choice"], &told["by"], &told["reason"]),
        (&json!("deny"), &json!("person"), &json!("Not on a Friday."))
    );
    let requests = lab.requests();
    let result = strict::messages(&requests[1].body).last().cloned().unwrap_or_default();
    assert_eq!(result["role"], "tool");
    let result: Value = serde_json::from_str(result["content"].as_str().unwrap_or_default())?;
    assert_eq!(result["status"], "denied");
    let words = result["error"].as_str().unwrap_or_default();
    assert!(words.contains("\"Not on a Friday.\"") && words.contains("another way"), "{words}");
    let cards = mirror.of_kind(&session, "tool_call");
    assert_eq!((&cards[0]["card"]["status"], &cards[0]["card"]["annotation"]), (&json!("error"), &json!("denied")));
    assert!(mirror.processes.is_empty() && !server.house.person().join("ran").exists());
    let words = closed_with(&server, &approval).await?;
    assert!(words.contains("denied"), "{words}");
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_stopped_turn_takes_its_question_back() -> Result {
    let lab = lab().await?;
    let server = Setup::with(&lab).asking().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "do it").await?;
    let approval = question(&mut mirror, &session).await?;
    let stopped = server.call("stop_turn", json!({"sessionId": session})).await?;
    assert_eq!(stopped, json!({"stopped": true, "reaping": 0}));
    mirror.until("the turn's end", |m| m.rests(&session).then_some(())).await?;
    mirror.catch_up().await?;
    assert_eq!(state_of(&mirror, &session, &approval), "withdrawn");
    closed_with(&server, &approval).await?;
    assert_eq!(mirror.turns_of(&session)[0]["state"], "stopped");
    let card = &mirror.of_kind(&session, "tool_call")[0]["card"];
    assert_eq!((&card["status"], &card["annotation"]), (&json!("error"), &json!("cancelled")));
    assert!(mirror.processes.is_empty() && !server.house.person().join("ran").exists());
    // The conversation goes on.
    server.send(&session, "once more").await?;
    let approval = question(&mut mirror, &session).await?;
    server.call("answer_approval", json!({"approvalId": approval, "choice": "once"})).await?;
    mirror.until("the answer", |m| (m.said(&session) == ["Well."] && m.rests(&session)).then_some(())).await?;
    assert!(server.house.person().join("ran").exists());
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_crash_is_no_consent() -> Result {
    let lab = lab().await?;
    let mut server = Setup::with(&lab).asking().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "do it").await?;
    let approval = question(&mut mirror, &session).await?;
    server.kill9()?;
    server.restart().await?;
    mirror.move_to(&*server);
    closed_with(&server, &approval).await?;
    mirror
        .until("the question to be taken back", |m| (state_of(m, &session, &approval) == "withdrawn").then_some(()))
        .await?;
    // Nothing had run, so the turn asks the model once more; the model hears that the call was cut off.
    mirror.until("the answer", |m| (m.said(&session) == ["Well."] && m.rests(&session)).then_some(())).await?;
    let card = &mirror.of_kind(&session, "tool_call")[0]["card"];
    assert_eq!(card["status"], "error", "{card:#}");
    assert!(mirror.processes.is_empty() && !server.house.person().join("ran").exists());
    strict::check_all(&lab)
}

#[tokio::test]
async fn of_two_windows_exactly_one_answers() -> Result {
    let lab = lab().await?;
    let server = Setup::with(&lab).asking().start().await?;
    let (left, right) = (Window::open(&server).await?, Window::open(&server).await?);
    let mut mirror = Mirror::attach(&*server, "script");
    for round in 0..10 {
        let session = server.session().await?;
        server.send(&session, "do it").await?;
        let approval = question(&mut mirror, &session).await?;
        let answer = |choice: &str| json!({"approvalId": approval, "choice": choice});
        let (once, deny) = match round % 2 {
            0 => tokio::join!(
                left.call("answer_approval", answer("once")),
                right.call("answer_approval", answer("deny"))
            ),
            _ => {
                let (deny, once) = tokio::join!(
                    right.call("answer_approval", answer("deny")),
                    left.call("answer_approval", answer("once"))
                );
                (once, deny)
            }
        };
        assert!(once.is_ok() != deny.is_ok(), "{once:?} {deny:?}");
        let lost = if once.is_ok() { deny.clone() } else { once.clone() };
        assert_eq!(lost.unwrap_err().code, "approval_closed");
        mirror.until("the answer", |m| (m.said(&session) == ["Well."] && m.rests(&session)).then_some(())).await?;
        let ran = mirror.processes.values().any(|p| p["sessionId"] == json!(session));
        assert_eq!(ran, once.is_ok(), "the first word counts");
        let state = if once.is_ok() { "allowed" } else { "denied" };
        assert_eq!(state_of(&mirror, &session, &approval), state);
    }
    Ok(())
}

#[tokio::test]
async fn a_way_down_does_not_wait_for_a_person() -> Result {
    let lab = lab().await?;
    let mut server = Setup::with(&lab).asking().start().await?;
    let mut mirror = Mirror::attach(&*server, "script");
    let session = server.session().await?;
    server.send(&session, "do it").await?;
    let approval = question(&mut mirror, &session).await?;
    let began = Instant::now();
    assert!(server.term().await?.success());
    // A turn that is waited for and does not end takes all of this time.
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    server.restart().await?;
    assert!(!closed_with(&server, &approval).await?.is_empty(), "it is no longer asked");
    // The turn is taken up; what nobody allowed did not run.
    let mut mirror = Mirror::attach(&*server, "script");
    mirror.until("the answer", |m| (m.said(&session) == ["Well."] && m.rests(&session)).then_some(())).await?;
    assert_eq!(state_of(&mirror, &session, &approval), "withdrawn");
    assert!(!server.house.person().join("ran").exists());
    strict::check_all(&lab)
}
