//! Two things at once: a stop and an end, a stop and a start, the same wish eight times.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use gatehouse_provider::scripted::{End, Script, Scripted, call, say};
use gatehouse_tests::os::{self, Signal};
use gatehouse_tests::{Gate, House, LIMIT, Mirror, Result, Rpc, Server, Setup, strict};
use serde_json::{Value, json};
use tokio::task::JoinSet;

const LIVE: [&str; 3] = ["starting", "running", "stopping"];

fn lives(process: &Value) -> bool {
    LIVE.iter().any(|state| process["state"] == json!(state))
}

fn pid_of(process: &Value) -> Option<u32> {
    process["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok())
}

async fn once_in(mirror: &mut Mirror, id: &str, state: &str) -> Result<Value> {
    let found = |m: &Mirror| m.processes.get(id).filter(|p| p["state"] == json!(state)).cloned();
    mirror.until(&format!("the process to be {state}"), found).await
}

/// A report that must come, so that one that must not would have come before it: the only one of its session.
async fn only_report(server: &Server, mirror: &mut Mirror, session: &str) -> Result {
    let last = server.bang(session, "echo the only one").await?;
    mirror
        .until("the last report", |m| {
            let told = m.units(session).iter().any(|unit| unit["processId"] == json!(last));
            (told && m.rests(session)).then_some(())
        })
        .await?;
    mirror.catch_up().await?;
    let told: Vec<_> = mirror.units(session).iter().map(|unit| unit["processId"].clone()).collect();
    assert_eq!(told, [json!(last)], "something was told that was known already");
    Ok(())
}

#[tokio::test]
async fn an_end_that_was_waited_for_is_not_told_again() -> Result {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let held = gate.wait();
    let lab = Scripted::start(Script::responder(move |body: &Value| {
        let messages = strict::messages(body);
        let at = messages.iter().rposition(|message| message["role"] == "user").unwrap_or(0);
        let asked = messages[at]["content"].as_str().unwrap_or_default();
        let Some(round) = asked.strip_prefix("round ").and_then(|round| round.parse::<usize>().ok()) else {
            return say("Noted.");
        };
        let (start, wait) = (format!("start_{round}"), format!("wait_{round}"));
        match (strict::result_of(body, &start), strict::result_of(body, &wait)) {
            (None, _) => {
                // Every other job may end before it is waited for, and its report is due in the middle of the turn.
                let command = if round % 2 == 0 { format!("{held}; exit 3") } else { "exit 3".to_owned() };
                let arguments = json!({"command": command, "background": true, "notify_on_complete": true});
                call(&start, "terminal", arguments)
            }
            (Some(told), None) => {
                let told: Value = serde_json::from_str(&told).unwrap_or_default();
                call(&wait, "process", json!({"action": "wait", "process_id": told["process_id"]}))
            }
            (Some(_), Some(_)) => say(&format!("It ended in round {round}.")),
        }
    }))
    .await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    for round in 0..10 {
        server.send(&session, &format!("round {round}")).await?;
        let wait = format!("wait_{round}");
        if round % 2 == 0 {
            mirror
                .until("the call that waits", |m| {
                    m.card(&session, &wait).filter(|card| card["status"] == "in_progress").map(|_| ())
                })
                .await?;
            gate.open(1)?;
        }
        let words = format!("It ended in round {round}.");
        mirror
            .until("the answer", |m| (m.said(&session).contains(&words.as_str()) && m.rests(&session)).then_some(()))
            .await?;
        let requests = lab.requests();
        let told = requests.iter().rev().find_map(|request| strict::result_of(&request.body, &wait));
        let told: Value = serde_json::from_str(&told.ok_or("no result")?)?;
        assert_eq!((&told["status"], &told["exit_code"]), (&json!("exited"), &json!(3)), "{told}");
    }
    only_report(&server, &mut mirror, &session).await?;
    assert_eq!(lab.requests().len(), 10 * 3 + 1, "three for each round, one for the only report");
    assert_eq!(mirror.turns_of(&session).len(), 11);
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_stopped_turn_s_jobs_are_silent_even_if_they_ended_before() -> Result {
    let lab = Scripted::start(Script::responder(|body: &Value| {
        let answered = strict::messages(body).last().is_some_and(|message| message["role"] == "tool");
        match (strict::last_text(body), answered) {
            ("begin", _) => call("call_1", "terminal", json!({"command": "exit 4", "background": true})),
            (_, true) => say("I take my time.").ending(End::Hang),
            _ => say("Noted."),
        }
    }))
    .await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "begin").await?;
    lab.wait_for_request(2).await;
    let ended =
        mirror.until("the job's end", |m| m.processes.values().find(|p| p["state"] == "exited").cloned()).await?;
    assert_eq!((&ended["exitCode"], &ended["notify"]), (&json!(4), &json!(true)));
    assert_eq!(server.call("stop_turn", json!({"sessionId": session})).await?["stopped"], true);
    mirror.until("the turn's end", |m| m.rests(&session).then_some(())).await?;
    only_report(&server, &mut mirror, &session).await?;
    assert_eq!(lab.requests().len(), 3, "two of the stopped turn, one for the only report");
    let turns: Vec<_> = mirror.turns_of(&session).iter().map(|turn| turn["state"].clone()).collect();
    assert_eq!(turns, ["stopped", "done"]);
    assert_eq!(server.process(&session, ended["processId"].as_str().unwrap_or_default()).await?["exitCode"], 4);
    Ok(())
}

#[tokio::test]
async fn a_stop_during_a_start_leaves_nothing() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    mirror.catch_up().await?;
    let mut reached = BTreeSet::new();
    for round in 0..25 {
        let known: BTreeSet<String> = mirror.processes.keys().cloned().collect();
        let (rpc, to) = ((*server).clone(), session.clone());
        let start = tokio::spawn(async move { rpc.start(&to, "exec sleep 300", round % 2 == 0).await });
        let fresh =
            |m: &Mirror| m.processes.iter().find(|(id, _)| !known.contains(*id)).map(|(id, p)| (id.clone(), p.clone()));
        let (id, seen) = mirror.until("its row", fresh).await?;
        reached.insert(seen["state"].to_string());
        let stopped = server.call("stop_process", json!({"processId": id, "force": round % 3 == 0})).await?;
        let started = start.await?;
        assert_eq!(stopped["survivors"], json!([]), "round {round}");
        let row = server.process(&session, &id).await?;
        assert_eq!(stopped["state"], row["state"], "round {round}: {row}");
        assert_eq!((&row["state"], &row["stoppedBy"]), (&json!("killed"), &json!("user")), "round {round}: {row}");
        match started {
            Ok(started) => assert_eq!(started, id),
            Err(error) => assert!(error.to_string().contains("start_failed"), "round {round}: {error}"),
        }
        if let Some(pid) = pid_of(&row) {
            assert!(!os::lives(pid), "round {round}: the job of {row}");
        }
    }
    assert!(reached.contains("\"starting\""), "no stop came during a start: {reached:?}");
    assert!(!server.processes(&session).await?.iter().any(lives));
    assert_eq!(server.call("get_health", json!({})).await?["processes"]["running"], 0);
    mirror.catch_up().await?;
    assert!(mirror.units(&session).is_empty(), "who stopped them knows");
    server.house.no_shims().await
}

#[tokio::test]
async fn a_stop_that_failed_leaves_the_report() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let id = server.start(&session, "exec sleep 300", true).await?;
    let row = once_in(&mut mirror, &id, "running").await?;
    let shim = server.house.shim_of(pid_of(&row).ok_or("no pid")?)?;
    // Its helper hears nothing for a while.
    os::signal(shim, Signal::STOP)?;
    let refusal = server.stop(&id).await;
    os::signal(shim, Signal::CONT)?;
    assert!(refusal.is_err(), "{refusal:?}");
    assert_eq!(server.call("get_health", json!({})).await?["incidents"], 1);
    mirror.until("its report", |m| (m.units(&session).len() == 1).then_some(())).await?;
    assert_eq!(mirror.units(&session)[0]["processId"], json!(id));
    assert!(!lives(&server.process(&session, &id).await?));
    Ok(())
}

/// Waits until a shim has written how its job ended.
pub(super) async fn written_down(server: &Server, id: &str) -> Result {
    let file = server.house.profile().join("runs").join(id).join("exit.json");
    let deadline = tokio::time::Instant::now() + LIMIT;
    while !file.exists() {
        if tokio::time::Instant::now() > deadline {
            return Err(format!("{} does not come", file.display()).into());
        }
        // Only the file tells, and it gives no event.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    Ok(())
}

#[tokio::test]
async fn an_end_and_a_stop_at_once_are_never_mixed() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    for round in 0..40 {
        let gate = Gate::new(server.house.root(), &format!("gate-{round}"))?;
        let id = server.start(&session, &format!("{}; exit 5", gate.wait()), round % 3 == 0).await?;
        let (rpc, params) = ((*server).clone(), json!({"processId": id, "force": round % 2 == 0}));
        // The server hears of an end and of a wish for it in one moment; the end was certainly first.
        let too_late = round % 4 == 1;
        if too_late {
            os::hold(server.pid())?;
        }
        let stop = tokio::spawn(async move { rpc.call("stop_process", params).await });
        if round % 4 == 2 {
            tokio::task::yield_now().await;
        }
        gate.open(1)?;
        if too_late {
            let written = written_down(&server, &id).await;
            os::signal(server.pid(), Signal::CONT)?;
            written?;
        }
        let stopped = stop.await??;
        let row = server.process(&session, &id).await?;
        let word = |name: &str| row.get(name).unwrap_or(&Value::Null);
        match row["state"].as_str() {
            Some("exited") => {
                assert_eq!((word("exitCode"), word("signal")), (&json!(5), &Value::Null), "round {round}: {row}");
                assert_eq!(word("stoppedBy"), &Value::Null, "round {round}: {row}");
            }
            // It may still have ended by its own code: nobody can tell that from an answer to the signal.
            Some("killed") if !too_late => {
                assert_eq!(word("stoppedBy"), &json!("user"), "round {round}: {row}");
                assert_ne!(word("exitCode").is_null(), word("signal").is_null(), "round {round}: {row}");
            }
            _ => return Err(format!("round {round}: {row}").into()),
        }
        assert_eq!(stopped, json!({"state": row["state"], "survivors": []}), "round {round}: {row}");
        mirror.until("the feed to say so", |m| m.processes.get(&id).filter(|p| !lives(p)).map(|_| ())).await?;
        for name in ["state", "exitCode", "signal", "stoppedBy"] {
            assert_eq!(mirror.processes[&id][name], row[name], "round {round}: {name}");
        }
    }
    server.house.no_shims().await
}

/// Calls a command eight times at once.
async fn eight(rpc: &Rpc, command: &'static str, params: &Value) -> Result<BTreeSet<String>> {
    let mut calls = JoinSet::new();
    for _ in 0..8 {
        let (rpc, params) = (rpc.clone(), params.clone());
        calls.spawn(async move { rpc.call(command, params).await });
    }
    let replies = calls.join_all().await.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(replies.iter().map(|reply| reply["processId"].to_string()).collect())
}

#[tokio::test]
async fn the_same_key_eight_times_at_once_is_one_process() -> Result {
    let server = Setup::bare().start().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    for round in 0..5 {
        let session = server.session().await?;
        let (mark, key) = (server.house.person().join(format!("ran-{round}")), format!("key-{round}"));
        let command = format!("echo run >> ran-{round}; exec sleep 300");
        let start = json!({"sessionId": session, "command": command, "notify": true, "clientKey": key});
        let say = json!({"sessionId": session, "text": format!("!{command}"), "clientKey": format!("said-{key}")});
        let started = eight(&server, "start_process", &start).await?;
        assert_eq!(started.len(), 1, "{started:?}");
        let said = eight(&server, "send_message", &say).await?;
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(started.is_disjoint(&said) && !said.contains("null"), "{started:?} {said:?}");
        mirror.catch_up().await?;
        let rows = server.processes(&session).await?;
        assert_eq!(rows.len(), 2, "{rows:#?}");
        assert_eq!(mirror.of_kind(&session, "tool_call").len(), 1, "one card for what was typed");
        for row in &rows {
            server.stop(row["processId"].as_str().ok_or("no id")?).await?;
        }
        let ran = std::fs::read_to_string(&mark).unwrap_or_default();
        assert!(ran.lines().count() <= 2, "{ran}");
    }
    server.house.no_shims().await
}
