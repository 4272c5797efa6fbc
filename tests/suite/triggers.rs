//! Processes that speak up while they run: lines that somebody waits for, and what their rows say.

use std::sync::Arc;

use gatehouse_provider::scripted::{Script, Scripted, say};
use gatehouse_tests::{House, Mirror, Result, Scene, Server, Setup, strict};
use serde_json::{Value, json};

/// Starts a process with these options.
async fn start(server: &Server, session: &str, command: &str, options: Value) -> Result<Value> {
    let mut params = json!({"sessionId": session, "command": command});
    if let (Some(params), Value::Object(options)) = (params.as_object_mut(), options) {
        params.extend(options);
    }
    Ok(server.call("start_process", params).await?)
}

fn id_of(started: &Value) -> Result<String> {
    Ok(started["processId"].as_str().ok_or("no id")?.to_owned())
}

async fn ended(mirror: &mut Mirror, id: &str) -> Result<Value> {
    let over = |m: &Mirror| m.processes.get(id).filter(|p| p["state"] == "exited").cloned();
    mirror.until("its end", over).await
}

/// A report that must come, so that one that must not would have come before it. Gives back all that was told.
async fn told(server: &Server, mirror: &mut Mirror, session: &str) -> Result<Vec<Value>> {
    let last = server.bang(session, "echo the last one").await?;
    let is_told = |m: &Mirror| {
        let told = m.units(session).iter().any(|unit| unit["processId"] == json!(last));
        (told && m.rests(session)).then_some(())
    };
    mirror.until("the last report", is_told).await?;
    mirror.catch_up().await?;
    let told = mirror.units(session).into_iter().filter(|unit| unit["processId"] != json!(last));
    Ok(told.cloned().collect())
}

/// A conversation whose model notes everything.
async fn set_up() -> Result<Scene> {
    Scene::set_up(|_| Script::responder(|_: &Value| say("Noted."))).await
}

#[tokio::test]
async fn a_line_that_is_waited_for_is_told_once_and_the_row_is_ready() -> Result {
    let Scene { gate, lab, server, session, mut mirror } = set_up().await?;
    let command = format!("echo boot; printf '\\033[32mREADY ON PO'; {}; echo 'RT 3000'; {}", gate.wait(), gate.wait());
    let started = start(&server, &session, &command, json!({"watch": [r"READY ON PORT \d+"]})).await?;
    let id = id_of(&started)?;
    gate.open(1)?;
    mirror.reported(&session, 1).await?;
    let unit = mirror.units(&session)[0].clone();
    for (name, value) in [
        ("producer", json!("watch")),
        ("processId", json!(id)),
        ("news", json!("hit")),
        ("pattern", json!(r"READY ON PORT \d+")),
        ("number", json!(1)),
        ("state", json!("running")),
        ("outputTail", json!("READY ON PORT 3000\n")),
    ] {
        assert_eq!(unit[name], value, "{name}: {unit}");
    }
    assert_eq!(mirror.processes[&id]["attention"], "ready");
    let words = strict::last_text(&lab.requests()[0].body).to_owned();
    assert!(words.contains("READY ON PORT 3000") && words.contains("no person wrote it"), "{words}");
    gate.open(1)?;
    let row = ended(&mut mirror, &id).await?;
    assert_eq!((row.get("attention"), &row["notify"]), (None, &json!(false)), "{row}");
    assert_eq!(told(&server, &mut mirror, &session).await?.len(), 1, "its end was not asked for");
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_watch_together_with_the_end_is_dropped_and_that_is_said() -> Result {
    let Scene { server, session, mut mirror, .. } = set_up().await?;
    let command = "echo boot; for i in 1 2 3; do sleep 0.3; echo \"ERROR number $i\"; done; exit 1";
    let started = start(&server, &session, command, json!({"watch": ["ERROR"], "notify": true})).await?;
    assert!(started["note"].as_str().is_some_and(|note| note.contains("ignored")), "{started}");
    mirror.until("its report", |m| (!m.units(&session).is_empty() && m.rests(&session)).then_some(())).await?;
    let units = told(&server, &mut mirror, &session).await?;
    assert_eq!(units.len(), 1, "{units:#?}");
    assert_eq!((&units[0]["producer"], &units[0]["exitCode"]), (&json!("process"), &json!(1)));
    for number in 1..=3 {
        assert!(units[0]["outputTail"].as_str().is_some_and(|tail| tail.contains(&format!("ERROR number {number}"))));
    }
    Ok(())
}

#[tokio::test]
async fn what_is_written_together_is_one_hit_and_a_last_line_counts() -> Result {
    let Scene { server, session, mut mirror, .. } = set_up().await?;
    // A line that is not ended is one at the end of its process, which may be long after what came before it.
    for (command, matched, tail) in [
        (r"printf 'ERROR 1\nfine\nERROR 2\nERROR 3\n'", 3, "ERROR 1\nERROR 2\nERROR 3\n"),
        ("printf 'and then ERROR 4'", 1, "and then ERROR 4\n"),
    ] {
        let id = id_of(&start(&server, &session, command, json!({"watch": ["ERROR"]})).await?)?;
        ended(&mut mirror, &id).await?;
        let units = told(&server, &mut mirror, &session).await?;
        let units: Vec<_> = units.iter().filter(|unit| unit["processId"] == json!(id)).collect();
        assert_eq!(units.len(), 1, "{units:#?}");
        assert_eq!((&units[0]["matched"], &units[0]["news"]), (&json!(matched), &json!("hit")), "{}", units[0]);
        assert_eq!(units[0]["outputTail"], tail);
    }
    Ok(())
}

#[tokio::test]
async fn a_watch_that_matches_all_the_time_ends_and_its_end_is_told() -> Result {
    let Scene { gate, mut server, session, mut mirror, .. } = set_up().await?;
    // The spacing is a matter of seconds, so the rules themselves are tested where time is a number; here the row of a
    // watch that has its last strike before it is written as an earlier run of the program would have.
    let command = format!("{}; echo hit; {}; echo hit; {}", gate.wait(), gate.wait(), gate.wait());
    let id = id_of(&start(&server, &session, &command, json!({"watch": ["hit"]})).await?)?;
    server.kill9()?;
    let rows = rusqlite::Connection::open(server.house.database())?;
    assert_eq!(rows.execute("UPDATE watch SET hits = 2, strikes = 2, struck = 1", [])?, 1);
    drop(rows);
    server.restart().await?;
    mirror.move_to(&*server);
    gate.open(1)?;
    mirror.reported(&session, 1).await?;
    gate.open(1)?;
    mirror.reported(&session, 2).await?;
    let over = mirror.units(&session)[1].clone();
    assert_eq!((&over["news"], &over["suppressed"]), (&json!("too_often"), &json!(1)), "{over}");
    assert_eq!(mirror.processes[&id]["notify"], true, "{}", mirror.processes[&id]);

    // Neither the end of the program nor its start make it listen again, or tell anything twice.
    server.kill9()?;
    server.restart().await?;
    mirror.move_to(&*server);
    gate.open(1)?;
    ended(&mut mirror, &id).await?;
    let units = told(&server, &mut mirror, &session).await?;
    let producers: Vec<_> = units.iter().map(|unit| unit["producer"].clone()).collect();
    assert_eq!(producers, ["watch", "watch", "process"], "{units:#?}");
    Ok(())
}

#[tokio::test]
async fn patterns_that_cannot_be_are_refused_with_words() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let long = "x".repeat(257);
    let many: Vec<_> = (0..17).map(|n| n.to_string()).collect();
    for watch in [json!([""]), json!(["a\nb"]), json!([long]), json!(many)] {
        let refusal = start(&server, &session, "true", json!({"watch": watch})).await.unwrap_err().to_string();
        assert!(refusal.contains("invalid_request") && refusal.contains("watch pattern"), "{refusal}");
    }
    assert!(start(&server, &session, "true", json!({"heartbeatS": 0})).await.is_err());
    assert!(server.processes(&session).await?.is_empty(), "nothing was started");
    Ok(())
}

#[tokio::test]
async fn where_nobody_wants_to_be_told_a_chatty_job_begins_no_turn() -> Result {
    let house = Arc::new(House::new()?);
    std::fs::create_dir_all(house.profile())?;
    let config = "[display]\nbackground_process_notifications = \"off\"\n";
    std::fs::write(house.profile().join("config.toml"), config)?;
    let lab = Scripted::start(Script::responder(|_: &Value| say("Noted."))).await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let command = "for i in $(seq 1 40); do echo \"listening on 127.0.0.1:3923 #$i\"; sleep 0.02; done";
    let id = id_of(&start(&server, &session, command, json!({"watch": ["listening on"]})).await?)?;
    let row = ended(&mut mirror, &id).await?;
    assert_eq!(row["matches"], 40, "its row counts them");
    assert!(told(&server, &mut mirror, &session).await?.is_empty(), "its hits are told to nobody");
    assert_eq!(lab.requests().len(), 1, "the last one alone, which was asked for");
    Ok(())
}

#[tokio::test]
async fn a_chatty_job_is_one_hit_and_the_rest_is_counted() -> Result {
    let Scene { gate, lab, server, session, mut mirror } = set_up().await?;
    let line = "listening on 127.0.0.1:3923";
    let command = format!("for i in $(seq 1 40); do echo \"{line} #$i\"; sleep 0.05; done; {}", gate.wait());
    let id = id_of(&start(&server, &session, &command, json!({"watch": [line]})).await?)?;
    let wrote = |m: &Mirror| m.processes.get(&id).filter(|p| p["outputBytes"].as_u64() > Some(1_200)).map(|_| ());
    mirror.until("its words", wrote).await?;
    let counted =
        |m: &Mirror| m.processes.get(&id).filter(|p| p["matches"] == 40 && p["state"] == "running").map(|_| ());
    mirror.until("its matches, while it runs", counted).await?;
    gate.open(1)?;
    assert_eq!(ended(&mut mirror, &id).await?["matches"], 40);
    let units = told(&server, &mut mirror, &session).await?;
    assert_eq!(units.len(), 1, "{units:#?}");
    assert!(units[0]["matched"].as_u64() < Some(40), "{}", units[0]);
    assert_eq!(lab.requests().len(), 2, "one for the hit, one for the last one");
    Ok(())
}
