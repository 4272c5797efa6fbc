//! What a message does while a turn runs: it waits, joins the turn, or ends it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gatehouse_provider::scripted::{End, Script, Scripted, call, say};
use gatehouse_tests::{Gate, House, Mirror, Result, Setup, os, strict};
use serde_json::{Value, json};

#[tokio::test]
async fn an_interruption_ends_the_turn_but_not_its_jobs() -> Result {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let (asked, command) = (AtomicUsize::new(0), format!("{}; exit 6", gate.wait()));
    let lab = Scripted::start(Script::responder(move |_: &Value| match asked.fetch_add(1, Ordering::Relaxed) {
        0 => call("call_1", "terminal", json!({"command": command, "background": true})),
        1 => say("About the first.").ending(End::Hang),
        2 => say("About the second.").ending(End::Hang),
        _ => say("Noted."),
    }))
    .await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "first").await?;
    lab.wait_for_request(2).await;
    let interrupt = json!({"sessionId": session, "text": "second", "mode": "interrupt", "clientKey": "once"});
    let accepted = server.call("send_message", interrupt.clone()).await?;
    lab.wait_for_request(3).await;
    let second = mirror
        .until("the second turn", |m| match m.turns_of(&session).as_slice() {
            [first, second] if first["state"] == "stopped" => Some((*second).clone()),
            _ => None,
        })
        .await?;
    assert_eq!(second["state"], "running");

    // The same words again are the same message, also while its own turn runs.
    let again = server.call("send_message", interrupt).await?;
    assert_eq!(again["admissionId"], accepted["admissionId"]);
    assert_eq!(again["turnId"], second["turnId"]);
    lab.release();
    mirror.until("the second answer", |m| m.rests(&session).then_some(())).await?;
    mirror.catch_up().await?;
    assert_eq!(mirror.said(&session).last(), Some(&"About the second."));
    let failed = mirror.of_kind(&session, "failed_turn");
    assert_eq!(failed.len(), 1, "{failed:#?}");
    assert_eq!(failed[0]["failure"]["code"], "stopped");
    let states: Vec<_> = mirror.turns_of(&session).iter().map(|turn| turn["state"].clone()).collect();
    assert_eq!(states, ["stopped", "done"]);

    let row = mirror.processes.values().next().cloned().ok_or("no process")?;
    assert_eq!(row["state"], "running", "{row}");
    assert!(os::lives(u32::try_from(row["pid"].as_u64().ok_or("no pid")?)?));
    gate.open(1)?;
    mirror.until("its report", |m| (m.units(&session).len() == 1 && m.rests(&session)).then_some(())).await?;
    assert_eq!(
        (&mirror.units(&session)[0]["state"], &mirror.units(&session)[0]["exitCode"]),
        (&json!("exited"), &json!(6))
    );
    assert_eq!(lab.requests().len(), 4);
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_steer_joins_the_running_turn() -> Result {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let work = json!({"command": format!("{}; echo worked", gate.wait())});
    let lab = Scripted::start([call("call_1", "terminal", work), say("The other way, then.")]).await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "work").await?;
    mirror.until("the job", |m| m.processes.values().find(|p| p["state"] == "running").map(|_| ())).await?;
    let steer = json!({"sessionId": session, "text": "the other way", "mode": "steer", "clientKey": "once"});
    let accepted = server.call("send_message", steer.clone()).await?;
    assert_eq!(server.call("send_message", steer).await?, accepted, "the same key is the same message");
    gate.open(1)?;
    mirror.until("the answer", |m| (!m.said(&session).is_empty() && m.rests(&session)).then_some(())).await?;
    mirror.catch_up().await?;

    let turns = mirror.turns_of(&session);
    assert_eq!(turns.len(), 1, "{turns:#?}");
    let steers = mirror.of_kind(&session, "steer");
    assert_eq!(steers.len(), 1, "{steers:#?}");
    assert_eq!((&steers[0]["author"], &steers[0]["text"]), (&json!("human"), &json!("the other way")));
    assert_eq!(steers[0]["turnId"], turns[0]["turnId"]);
    let requests = lab.requests();
    assert_eq!(requests.len(), 2);
    let messages = strict::messages(&requests[1].body);
    let [.., result, joined] = messages else { return Err("too few messages".into()) };
    assert_eq!((&result["role"], &result["tool_call_id"]), (&json!("tool"), &json!("call_1")));
    assert!(result["content"].as_str().is_some_and(|text| text.contains("worked")), "{result}");
    assert_eq!(joined["role"], "user");
    assert!(joined["content"].as_str().is_some_and(|text| text.contains("the other way")), "{joined}");
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_steer_that_comes_too_late_is_a_turn_of_its_own() -> Result {
    let lab = Scripted::start([say("The last words.").ending(End::Hang), say("Now this way.")]).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "work").await?;
    lab.wait_for_request(1).await;
    server.call("send_message", json!({"sessionId": session, "text": "this way", "mode": "steer"})).await?;
    lab.release();
    mirror.until("both answers", |m| (m.said(&session).len() == 2 && m.rests(&session)).then_some(())).await?;
    mirror.catch_up().await?;
    assert_eq!(mirror.said(&session), ["The last words.", "Now this way."]);
    let states: Vec<_> = mirror.turns_of(&session).iter().map(|turn| turn["state"].clone()).collect();
    assert_eq!(states, ["done", "done"]);
    assert!(mirror.of_kind(&session, "steer").is_empty());
    let requests = lab.requests();
    assert_eq!(requests.len(), 2);
    assert!(strict::last_text(&requests[1].body).contains("this way"));
    strict::check_all(&lab)
}
