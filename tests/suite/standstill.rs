//! Turns in which nothing happens: they are given up, with what they started and nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gatehouse_provider::scripted::{End, Script, Scripted, call, say};
use gatehouse_tests::{House, Mirror, Result, Setup, os, strict};
use serde_json::{Value, json};

/// A house whose turns are given up after ten seconds in which nothing happens.
fn house() -> Result<Arc<House>> {
    let house = House::new()?;
    std::fs::create_dir_all(house.profile())?;
    std::fs::write(house.profile().join("config.toml"), "[gateway]\ninactivity_timeout_s = 10\n")?;
    Ok(Arc::new(house))
}

fn pid_of(process: &Value) -> Result<u32> {
    Ok(u32::try_from(process["pid"].as_u64().ok_or("no pid")?)?)
}

fn running<'m>(mirror: &'m Mirror, command: &str) -> Option<&'m Value> {
    mirror.processes.values().find(|p| p["command"] == json!(command) && p["state"] == "running")
}

#[tokio::test]
async fn what_a_standing_turn_started_ends_with_it_and_nothing_else() -> Result {
    let background = |id: &str, command: &str| call(id, "terminal", json!({"command": command, "background": true}));
    let lab = Scripted::start([
        background("a", "exec sleep 301"),
        say("The server runs."),
        background("b", "exec sleep 302"),
        call("c", "terminal", json!({"command": "exec sleep 303"})),
        say("Not heard."),
    ])
    .await?;
    let server = Setup::with(&lab).start_in(house()?).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "serve").await?;
    mirror.until("the first turn", |m| (m.said(&session).len() == 1 && m.rests(&session)).then_some(())).await?;
    server.send(&session, "work").await?;
    let pids = mirror
        .until("all three", |m| {
            let all = ["exec sleep 301", "exec sleep 302", "exec sleep 303"].map(|command| running(m, command));
            let [Some(a), Some(b), Some(c)] = all else { return None };
            Some([a, b, c].map(Value::clone))
        })
        .await?;
    mirror
        .until("the end of the turn", |m| (m.turns_of(&session).len() == 2 && m.rests(&session)).then_some(()))
        .await?;
    let turn = mirror.turns_of(&session)[1].clone();
    assert_eq!(turn["state"], "stopped", "{turn}");
    let failed = mirror.of_kind(&session, "failed_turn");
    let words = failed[0]["text"].as_str().unwrap_or_default();
    assert_eq!(failed[0]["failure"]["code"], "timed_out", "{}", failed[0]);
    assert!(words.contains("for 10 seconds while a tool ran") && words.contains("inactivity_timeout_s"), "{words}");
    let warned = mirror.of_kind(&session, "notice");
    assert!(warned.iter().any(|item| item["text"].as_str().is_some_and(|t| t.starts_with("Nothing has happened"))));
    for gone in &pids[1..] {
        let id = gone["processId"].as_str().ok_or("no id")?.to_owned();
        let row = mirror.until("its end", |m| m.processes.get(&id).filter(|p| p["state"] == "killed").cloned()).await?;
        assert_eq!((&row["stoppedBy"], &row["turnId"]), (&json!("turn_timeout"), &turn["turnId"]), "{row}");
        assert!(!os::lives(pid_of(gone)?), "{row}");
    }
    assert!(os::lives(pid_of(&pids[0])?), "the server of the first turn lives");
    let server_id = pids[0]["processId"].as_str().ok_or("no id")?;
    assert_eq!(server.stop(server_id).await?["state"], "killed");
    mirror.catch_up().await?;
    assert!(mirror.units(&session).is_empty(), "who was reaped says nothing: {:#?}", mirror.units(&session));
    Ok(())
}

#[tokio::test]
async fn a_model_that_is_silent_is_given_up_and_one_that_speaks_is_not() -> Result {
    let asked = AtomicUsize::new(0);
    let lab = Scripted::start(Script::responder(move |_: &Value| match asked.fetch_add(1, Ordering::Relaxed) {
        0 => say("I begin, and then").ending(End::Hang),
        _ => say("Here I am."),
    }))
    .await?;
    let server = Setup::with(&lab).start_in(house()?).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "first").await?;
    mirror
        .until("the end of the turn", |m| m.turns_of(&session).first().filter(|t| t["state"] == "stopped").map(|_| ()))
        .await?;
    let failed = mirror.of_kind(&session, "failed_turn");
    assert!(failed[0]["text"].as_str().is_some_and(|t| t.contains("while the model was asked")), "{}", failed[0]);
    assert_eq!(failed[0]["retryable"].as_bool().or(failed[0]["failure"]["retryable"].as_bool()), Some(true));
    assert!(mirror.said(&session).iter().any(|text| text.contains("I begin")), "what it said is kept");
    server.send(&session, "second").await?;
    mirror
        .until("an answer", |m| (m.said(&session).last() == Some(&"Here I am.") && m.rests(&session)).then_some(()))
        .await?;
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_person_who_thinks_is_no_standstill() -> Result {
    let lab = Scripted::start([call("call_1", "terminal", json!({"command": "touch made"})), say("Made.")]).await?;
    let server = Setup::with(&lab).asking().start_in(house()?).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "make it").await?;
    let approval = |m: &Mirror| m.of_kind(&session, "approval").first().map(|item| item["approvalId"].clone());
    let approval = mirror.until("the question", approval).await?;
    // Longer than a standstill may be: nothing else tells that nothing happens.
    tokio::time::sleep(std::time::Duration::from_secs(12)).await;
    server.call("answer_approval", json!({"approvalId": approval, "choice": "once"})).await?;
    mirror.until("the answer", |m| (m.said(&session) == ["Made."] && m.rests(&session)).then_some(())).await?;
    assert!(server.house.person().join("made").exists());
    Ok(())
}

#[tokio::test]
async fn a_wait_for_a_process_is_no_standstill() -> Result {
    let lab = Scripted::start(Script::responder(|body: &Value| {
        match (strict::result_of(body, "call_1"), strict::result_of(body, "call_2")) {
            (None, _) => call("call_1", "terminal", json!({"command": "sleep 12; exit 4", "background": true})),
            (Some(told), None) => {
                let told: Value = serde_json::from_str(&told).unwrap_or_default();
                call("call_2", "process", json!({"action": "wait", "process_id": told["process_id"]}))
            }
            (Some(_), Some(_)) => say("It ended."),
        }
    }))
    .await?;
    let server = Setup::with(&lab).start_in(house()?).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "wait for it").await?;
    mirror.until("the answer", |m| (m.said(&session) == ["It ended."] && m.rests(&session)).then_some(())).await?;
    let told = lab.requests().iter().rev().find_map(|request| strict::result_of(&request.body, "call_2"));
    assert!(told.ok_or("no result")?.contains("\"exit_code\":4"));
    Ok(())
}

#[tokio::test]
async fn two_stops_at_once_reap_once_and_a_stop_after_the_end_reaps_nothing() -> Result {
    let asked = AtomicUsize::new(0);
    let lab = Scripted::start(Script::responder(move |_: &Value| match asked.fetch_add(1, Ordering::Relaxed) {
        0 => call("call_1", "terminal", json!({"command": "exec sleep 300", "background": true})),
        1 => say("It runs."),
        2 => call("call_2", "terminal", json!({"command": "exec sleep 400", "background": true})),
        _ => say("I take my time.").ending(End::Hang),
    }))
    .await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "first").await?;
    mirror.until("the first answer", |m| (m.said(&session).len() == 1 && m.rests(&session)).then_some(())).await?;
    let late = server.call("stop_turn", json!({"sessionId": session})).await?;
    assert_eq!((&late["stopped"], &late["reaping"]), (&json!(false), &json!(0)), "{late}");
    server.send(&session, "second").await?;
    mirror.until("its job", |m| running(m, "exec sleep 400").map(|_| ())).await?;
    lab.wait_for_request(4).await;
    let stop = || server.call("stop_turn", json!({"sessionId": session}));
    let (one, two) = tokio::join!(stop(), stop());
    let reaped = [one?, two?].iter().map(|reply| reply["reaping"].as_u64().unwrap_or(99)).sum::<u64>();
    assert_eq!(reaped, 1, "one sweep for two stops");
    let over = |m: &Mirror| m.processes.values().find(|p| p["state"] == "killed").cloned();
    let row = mirror.until("the end of its job", over).await?;
    assert_eq!((&row["command"], &row["stoppedBy"]), (&json!("exec sleep 400"), &json!("turn_stop")), "{row}");
    let first = running(&mirror, "exec sleep 300").ok_or("the first turn's server is gone")?;
    assert!(os::lives(pid_of(first)?));
    Ok(())
}
