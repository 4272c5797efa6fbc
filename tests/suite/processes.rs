//! Background and foreground commands through the whole house: endings, stops, the floor.

use std::sync::Arc;
use std::time::Duration;

use gatehouse_provider::scripted::{End, Script, Scripted, call, say};
use gatehouse_tests::os::{self, Signal};
use gatehouse_tests::{House, Mirror, Result, Server, Setup, program, strict};
use serde_json::{Value, json};

/// A script of the supervisor's own tests.
fn script(name: &str) -> String {
    format!("bash '{}/../crates/process/tests/fixtures/{name}'", env!("CARGO_MANIFEST_DIR"))
}

/// Waits until a process has printed some words.
async fn printed(server: &Server, mirror: &mut Mirror, id: &str, words: &str) -> Result<String> {
    let mut seen = 0;
    loop {
        let output = server.output(id).await?;
        if output.contains(words) {
            return Ok(output);
        }
        // A row is on the feed again when its output grew.
        let bytes = |m: &Mirror| m.processes.get(id).and_then(|p| p["outputBytes"].as_u64()).filter(|now| *now > seen);
        seen = mirror.until(&format!("{words:?} in {output:?}"), bytes).await?;
    }
}

async fn state(mirror: &mut Mirror, id: &str, state: &str) -> Result<Value> {
    let found = |m: &Mirror| m.processes.get(id).filter(|p| p["state"] == json!(state)).cloned();
    mirror.until(&format!("the process to be {state}"), found).await
}

fn pid_of(process: &Value) -> Result<u32> {
    Ok(u32::try_from(process["pid"].as_u64().ok_or("no pid")?)?)
}

fn number_after(text: &str, word: &str) -> Result<u32> {
    let rest = text.split(word).nth(1).ok_or("the word is missing")?.trim_start();
    Ok(rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse()?)
}

#[tokio::test]
async fn what_a_command_leaves_behind_does_not_hold_its_call() -> Result {
    let variants = ["all", "stderr", "noisy", "subst"];
    let answers: Vec<_> = variants
        .iter()
        .flat_map(|variant| {
            let command = format!("bash '{}/fixtures/holder.sh' {variant}", env!("CARGO_MANIFEST_DIR"));
            [call(&format!("call_{variant}"), "terminal", json!({"command": command})), say(variant)]
        })
        .collect();
    let lab = Scripted::start(answers).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    for (round, variant) in variants.iter().enumerate() {
        server.send(&session, variant).await?;
        mirror
            .until("the answer", |m| (m.said(&session).len() == round + 1 && m.rests(&session)).then_some(()))
            .await?;
        let requests = lab.requests();
        let [asked, told] = &requests[round * 2..] else { return Err("not two requests".into()) };
        let took = told.at.duration_since(asked.at);
        assert!(took < Duration::from_secs(15), "{variant}: the call took {took:?}");
        let result = strict::result_of(&told.body, &format!("call_{variant}")).ok_or("no result")?;
        let result: Value = serde_json::from_str(&result)?;
        assert_eq!((&result["status"], &result["exit_code"]), (&json!("exited"), &json!(3)), "{variant}: {result}");
        let output = result["output"].as_str().unwrap_or_default();
        assert!(output.contains("opened") && output.contains("shell is done"), "{variant}: {output}");
        let left: Vec<u32> = serde_json::from_value(result["left_behind"].clone())?;
        // Some of them may have gone since.
        assert!(left.iter().any(|pid| os::lives(*pid)), "{variant}: {left:?}");
        assert!(result["note"].is_string(), "{variant}");

        let card = mirror.card(&session, &format!("call_{variant}")).cloned().ok_or("no card")?;
        assert_eq!((&card["status"], &card["exitCode"]), (&json!("error"), &json!(3)));
        let id = card["processId"].as_str().ok_or("no process")?.to_owned();
        let row = server.process(&session, &id).await?;
        assert_eq!(row["state"], "exited");
        assert!(row["descendants"].as_u64() >= Some(1), "{variant}: {row}");
        let stopped = server.stop(&id).await?;
        assert_eq!(stopped, json!({"state": "exited", "survivors": []}), "{variant}");
        assert!(!left.iter().any(|pid| os::lives(*pid)), "{variant}");
    }
    server.house.no_shims().await?;
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_stop_ends_the_whole_group_and_nobody_else() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let bystander = server.start(&session, "exec sleep 300", false).await?;
    let id = server.start(&session, &script("leader.sh"), true).await?;
    let output = printed(&server, &mut mirror, &id, "stubborn").await?;
    let stubborn = number_after(&output, "stubborn")?;
    let leader = pid_of(&server.process(&session, &id).await?)?;
    let begun = tokio::time::Instant::now();
    let stopped = server.stop(&id).await?;
    let took = begun.elapsed();
    assert_eq!(stopped, json!({"state": "killed", "survivors": []}));
    assert!(took < Duration::from_secs(15), "the stop took {took:?}");
    assert!(!os::lives(leader) && !os::lives(stubborn));
    let row = server.process(&session, &id).await?;
    assert_eq!((&row["state"], &row["stoppedBy"]), (&json!("killed"), &json!("user")));
    assert_eq!(server.process(&session, &bystander).await?["state"], "running");
    // Who stopped it knows; nothing is reported.
    mirror.catch_up().await?;
    assert!(mirror.units(&session).is_empty());
    server.call("stop_process", json!({"processId": bystander, "force": true})).await?;
    let row = server.process(&session, &bystander).await?;
    assert_eq!((&row["state"], &row["signal"]), (&json!("killed"), &json!("SIGKILL")));
    Ok(())
}

/// Row, card and, where there is one, unit tell the same end.
fn told_alike(mirror: &Mirror, session: &str, id: &str, signal: &str, annotation: &Value) {
    let row = &mirror.processes[id];
    assert_eq!(row["signal"], json!(signal), "{row}");
    assert_eq!(row["exitCode"], Value::Null, "a signal is no code: {row}");
    let cards = mirror.of_kind(session, "tool_call");
    let card = cards.iter().map(|item| &item["card"]).find(|card| card["processId"] == json!(id)).unwrap();
    assert_eq!((&card["status"], &card["signal"]), (&json!("error"), &json!(signal)), "{card}");
    assert_eq!(card.get("annotation").unwrap_or(&Value::Null), annotation, "{card}");
    assert_eq!(card["exitCode"], Value::Null);
    for unit in mirror.units(session).into_iter().filter(|unit| unit["processId"] == json!(id)) {
        assert_eq!((&unit["state"], &unit["signal"]), (&row["state"], &row["signal"]), "{unit}");
        assert_eq!(unit["exitCode"], Value::Null);
        assert_eq!(unit["stoppedBy"], row["stoppedBy"]);
    }
}

#[tokio::test]
async fn a_person_s_stop_is_told_as_one() -> Result {
    let lab = Scripted::start(say("Noted.")).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let id = server.bang(&session, &script("long.sh")).await?;
    state(&mut mirror, &id, "running").await?;
    server.stop(&id).await?;
    let row = state(&mut mirror, &id, "killed").await?;
    assert_eq!(row["stoppedBy"], "user");
    mirror.catch_up().await?;
    told_alike(&mirror, &session, &id, "SIGTERM", &json!("cancelled"));
    assert!(lab.requests().is_empty(), "the person knows it already");
    Ok(())
}

#[tokio::test]
async fn the_agent_s_stop_is_told_as_one() -> Result {
    let command = script("long.sh");
    let lab = Scripted::start(Script::responder(move |body: &Value| {
        let told =
            |call: &str| strict::result_of(body, call).and_then(|text| serde_json::from_str::<Value>(&text).ok());
        match (told("call_1"), told("call_2")) {
            (None, _) => call("call_1", "terminal", json!({"command": command, "background": true})),
            (Some(started), None) => {
                call("call_2", "process", json!({"action": "kill", "process_id": started["process_id"]}))
            }
            (Some(_), Some(_)) => say("Stopped."),
        }
    }))
    .await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "start and stop").await?;
    mirror.until("the answer", |m| (m.said(&session) == ["Stopped."] && m.rests(&session)).then_some(())).await?;
    mirror.catch_up().await?;
    let (id, row) = mirror.processes.iter().next().map(|(id, row)| (id.clone(), row.clone())).ok_or("no process")?;
    assert_eq!((&row["state"], &row["stoppedBy"]), (&json!("killed"), &json!("agent")));
    told_alike(&mirror, &session, &id, "SIGTERM", &json!("cancelled"));
    let result = strict::result_of(&lab.requests()[2].body, "call_2").ok_or("no result")?;
    assert!(result.contains("killed"), "{result}");
    assert!(mirror.units(&session).is_empty(), "the agent knows it already");
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_stranger_s_kill_and_a_crash_are_failures() -> Result {
    let lab = Scripted::start(say("Noted.")).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    for (script_name, signal, round) in [("long.sh", "SIGKILL", 1), ("selfkill.sh", "SIGSEGV", 2)] {
        let id = server.bang(&session, &script(script_name)).await?;
        if signal == "SIGKILL" {
            let row = state(&mut mirror, &id, "running").await?;
            os::signal(pid_of(&row)?, Signal::KILL)?;
        }
        let row = state(&mut mirror, &id, "exited").await?;
        assert_eq!(row["stoppedBy"], Value::Null);
        mirror.reported(&session, round).await?;
        told_alike(&mirror, &session, &id, signal, &Value::Null);
        let text = lab.wait_for_request(round).await.body;
        assert!(strict::last_text(&text).contains(signal), "{text}");
    }
    Ok(())
}

#[tokio::test]
async fn nothing_waits_to_be_collected() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(server.start(&session, &format!("{} 40", script("many.sh")), false).await?);
    }
    for id in &ids {
        let row = mirror
            .until("its tree to be empty", |m| {
                m.processes.get(id).filter(|p| p["state"] == "exited" && p["descendants"] == 0).cloned()
            })
            .await?;
        assert_eq!(row["exitCode"], 6);
    }
    server.house.no_shims().await?;
    os::collected(server.pid()).await
}

#[tokio::test]
async fn a_daemon_dies_with_its_job() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let daemon = r#"env -i PATH="$PATH" setsid -f bash -c 'echo daemon $$; exec sleep 300' ; exec sleep 300"#;
    let id = server.start(&session, daemon, false).await?;
    let output = printed(&server, &mut mirror, &id, "daemon ").await?;
    let pid = number_after(&output, "daemon")?;
    assert!(os::lives(pid));
    let stopped = server.stop(&id).await?;
    assert_eq!(stopped, json!({"state": "killed", "survivors": []}));
    assert!(!os::lives(pid));
    Ok(())
}

#[tokio::test]
async fn a_killed_shim_is_a_lost_process() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let id = server.bang(&session, "echo begun; exec sleep 300").await?;
    printed(&server, &mut mirror, &id, "begun").await?;
    let row = state(&mut mirror, &id, "running").await?;
    os::signal(server.house.shim_of(pid_of(&row)?)?, Signal::KILL)?;
    let row = state(&mut mirror, &id, "lost").await?;
    assert_eq!(row["escapePossible"], json!(true), "{row}");
    assert!(row["reason"].is_string(), "{row}");
    mirror.until("its note", |m| (m.units(&session).len() == 1).then_some(())).await?;
    let unit = mirror.units(&session)[0].clone();
    assert_eq!((&unit["state"], &unit["exitCode"]), (&json!("lost"), &Value::Null));
    assert_eq!(unit["outputTail"].as_str().map(str::trim_end), Some("begun"));
    Ok(())
}

#[tokio::test]
async fn what_a_killed_shim_left_can_be_stopped() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let id = server.start(&session, "sleep 300 & echo left $!; exec sleep 300", false).await?;
    let left = number_after(&printed(&server, &mut mirror, &id, "left ").await?, "left")?;
    let row = state(&mut mirror, &id, "running").await?;
    os::signal(server.house.shim_of(pid_of(&row)?)?, Signal::KILL)?;
    let row = state(&mut mirror, &id, "lost").await?;
    assert!(os::lives(left) && row["descendants"].as_u64() >= Some(1), "{row}");
    let stopped = server.stop(&id).await?;
    assert_eq!(stopped, json!({"state": "lost", "survivors": []}));
    assert!(!os::lives(left));
    let row = server.process(&session, &id).await?;
    assert_eq!((&row["state"], &row["descendants"]), (&json!("lost"), &json!(0)), "{row}");
    assert_eq!(server.call("get_health", json!({})).await?["processes"]["running"], 0);
    mirror.until("the feed to say so", |m| m.processes.get(&id).filter(|p| p["descendants"] == 0).map(|_| ())).await?;
    let sessions = server.call("list_sessions", json!({})).await?;
    let group = &sessions["sessions"][0]["group"];
    assert!(group.is_string() && group != "running", "{sessions}");
    assert_eq!(&mirror.sessions[&session]["group"], group, "the feed says the same");
    Ok(())
}

#[tokio::test]
async fn what_a_shim_left_that_was_killed_after_the_end_is_looked_after() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let id = server.start(&session, "sleep 300 & echo left $!; exit 3", false).await?;
    let row = state(&mut mirror, &id, "exited").await?;
    assert!(row["descendants"] == 1 && row["escapePossible"] != true, "{row}");
    let left = number_after(&server.output(&id).await?, "left")?;
    os::signal(server.house.shim_of(left)?, Signal::KILL)?;
    let warned = |m: &Mirror| m.processes.get(&id).filter(|p| p["escapePossible"] == true).cloned();
    let row = mirror.until("the row to say that its shim was killed", warned).await?;
    assert_eq!((&row["state"], &row["exitCode"], &row["descendants"]), (&json!("exited"), &json!(3), &json!(1)));
    os::signal(left, Signal::KILL)?;
    mirror.until("nobody to be left", |m| m.processes.get(&id).filter(|p| p["descendants"] == 0).map(|_| ())).await?;
    let group = &server.call("list_sessions", json!({})).await?["sessions"][0]["group"];
    assert!(group.is_string() && group != "running", "{group}");
    Ok(())
}

#[tokio::test]
async fn an_end_that_was_not_told_yet_is_told_although_somebody_stops_what_it_left() -> Result {
    let gate_words = |body: &Value| match strict::last_text(body).starts_with("slow") {
        true => say("slow").ending(End::Hang),
        false => say("Noted."),
    };
    let lab = Scripted::start(Script::responder(gate_words)).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "slow turn").await?;
    lab.wait_for_request(1).await;
    let id = server.start(&session, "sleep 300 & echo left $!; exit 3", true).await?;
    state(&mut mirror, &id, "exited").await?;
    let left = number_after(&server.output(&id).await?, "left")?;
    assert_eq!(server.stop(&id).await?, json!({"state": "exited", "survivors": []}));
    assert!(!os::lives(left));
    lab.release();
    mirror.until("the report", |m| (m.units(&session).len() == 1 && m.rests(&session)).then_some(())).await?;
    let unit = mirror.units(&session)[0];
    assert_eq!((&unit["processId"], &unit["exitCode"]), (&json!(id), &json!(3)));
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_stop_asks_who_is_left_whatever_the_row_says() -> Result {
    let mut server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let id = server.start(&session, "sleep 300 & echo left $!; exit 3", false).await?;
    state(&mut mirror, &id, "exited").await?;
    let left = number_after(&server.output(&id).await?, "left")?;
    server.term().await?;
    let rows = rusqlite::Connection::open(server.house.database())?;
    assert_eq!(rows.execute("UPDATE process SET descendants = 0 WHERE descendants = 1", [])?, 1);
    drop(rows);
    server.restart().await?;
    assert_eq!(server.process(&session, &id).await?["descendants"], 0);
    assert!(os::lives(left));
    assert_eq!(server.stop(&id).await?, json!({"state": "exited", "survivors": []}));
    assert!(!os::lives(left));
    assert_eq!(server.stop(&id).await?, json!({"state": "exited", "survivors": []}), "again, with nobody there");
    Ok(())
}

#[tokio::test]
async fn a_long_home_works() -> Result {
    let house = Arc::new(House::named(&"h".repeat(120))?);
    let server = Setup::bare().start_in(house).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let id = server.bang(&session, "echo far away; exit 9").await?;
    let row = state(&mut mirror, &id, "exited").await?;
    assert_eq!(row["exitCode"], 9);
    assert_eq!(server.output(&id).await?, "far away\n");
    Ok(())
}

#[tokio::test]
async fn a_missing_shim_is_a_failed_start() -> Result {
    let house = Arc::new(House::new()?);
    let alone = house.root().join("gatehouse-server");
    if std::fs::hard_link(program("gatehouse-server")?, &alone).is_err() {
        std::fs::copy(program("gatehouse-server")?, &alone)?;
    }
    let server = Setup::bare().program(alone).start_in(house).await?;
    let session = server.session().await?;
    let refusal = server.bang(&session, "echo never > ran").await.unwrap_err().to_string();
    assert!(refusal.contains("start_failed"), "{refusal}");
    let processes = server.processes(&session).await?;
    assert_eq!(processes.len(), 1);
    assert_eq!(processes[0]["state"], "failed_start");
    let reason = processes[0]["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("gatehouse-shim"), "{reason}");
    let items = server.items(&session).await?;
    assert_eq!(items.len(), 1, "{items:#?}");
    assert_eq!(items[0]["card"]["status"], "error");
    assert!(items[0]["card"]["output"].as_str().is_some_and(|output| output.contains("gatehouse-shim")), "{items:#?}");
    assert!(!server.house.person().join("ran").exists());
    Ok(())
}

#[tokio::test]
async fn starts_that_cannot_work_say_why() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let id = server.bang(&session, "no_such_command_anywhere").await?;
    let row = state(&mut mirror, &id, "exited").await?;
    assert_eq!(row["exitCode"], 127);
    assert!(server.output(&id).await?.contains("no_such_command_anywhere"));
    for (words, code) in [("!", "invalid_request"), ("  ", "invalid_request"), ("!a\0b", "invalid_request")] {
        assert_eq!(server.send(&session, words).await.unwrap_err().code, code, "{words:?}");
    }
    let same = json!({"sessionId": session, "command": "exit 0", "clientKey": "one"});
    let first = server.call("start_process", same.clone()).await?;
    assert_eq!(server.call("start_process", same).await?, first, "the same key again is the same process");
    Ok(())
}

#[tokio::test]
async fn unknown_ids_are_not_found() -> Result {
    let server = Setup::bare().start().await?;
    for id in ["01890000-0000-7000-8000-000000000000", "nobody"] {
        for (command, params) in [
            ("send_message", json!({"sessionId": id, "text": "hello"})),
            ("send_message", json!({"sessionId": id, "text": "!true"})),
            ("stop_turn", json!({"sessionId": id})),
            ("list_items", json!({"sessionId": id})),
            ("mark_read", json!({"sessionId": id, "seq": 1})),
            ("start_process", json!({"sessionId": id, "command": "true"})),
            ("list_processes", json!({"sessionId": id})),
            ("retry_turn", json!({"turnId": id})),
            ("answer_approval", json!({"approvalId": id, "choice": "once"})),
            ("read_output", json!({"processId": id})),
            ("write_input", json!({"processId": id, "data": "x"})),
            ("stop_process", json!({"processId": id})),
        ] {
            let refusal = server.call(command, params).await.unwrap_err();
            assert_eq!((refusal.status, refusal.code.as_str()), (404, "not_found"), "{command} {id}: {refusal}");
        }
    }
    assert!(server.call("list_sessions", json!({})).await?["sessions"].as_array().is_some_and(Vec::is_empty));
    Ok(())
}

#[tokio::test]
async fn the_floor_holds_against_scripts_and_models() -> Result {
    // Even if it ran, this program refuses to work on the root itself.
    let command = "rm -rf /";
    let lab = Scripted::start([call("call_1", "terminal", json!({"command": command})), say("Refused.")]).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let bang = server.send(&session, &format!("!{command}")).await.unwrap_err();
    assert_eq!((bang.status, bang.code.as_str()), (403, "blocked"));
    let insists = json!({"sessionId": session, "text": format!("!{command}"), "runAnyway": true});
    assert_eq!(
        server.call("send_message", insists).await.unwrap_err().code,
        "blocked",
        "no script says it for a person"
    );
    let start = server.call("start_process", json!({"sessionId": session, "command": command})).await.unwrap_err();
    assert_eq!(start.code, "blocked");
    assert!(server.items(&session).await?.is_empty());
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "tidy up").await?;
    mirror.until("the answer", |m| (m.said(&session) == ["Refused."] && m.rests(&session)).then_some(())).await?;
    let card = mirror.card(&session, "call_1").cloned().ok_or("no card")?;
    assert_eq!((&card["status"], &card["annotation"]), (&json!("error"), &json!("denied")));
    let result: Value =
        serde_json::from_str(&strict::result_of(&lab.requests()[1].body, "call_1").ok_or("no result")?)?;
    assert_eq!(result["status"], "blocked");
    assert!(server.processes(&session).await?.is_empty(), "nothing ran");
    Ok(())
}

#[tokio::test]
async fn secrets_of_the_house_are_not_in_a_job() -> Result {
    let secrets = ["GATEHOUSE_API_KEY", "GATEHOUSE_ANYTHING", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "SLACK_BOT_TOKEN"];
    let setup = secrets.iter().fold(Setup::bare(), |setup, name| setup.env(name, "seeded-secret"));
    let server = setup.env("PLAIN_ONE", "kept").start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let id = server.bang(&session, "env").await?;
    state(&mut mirror, &id, "exited").await?;
    let output = server.output(&id).await?;
    assert!(output.contains("PLAIN_ONE=kept"), "{output}");
    assert!(!output.contains("seeded-secret") && !output.contains("GATEHOUSE_"), "{output}");
    Ok(())
}
