//! To whom a report goes: never behind a person's line, never into somebody else's conversation, and what could not be
//! told is seen by a person, who can send it on.

use gatehouse_provider::scripted::{End, Script, Scripted, call, say};
use gatehouse_tests::{Gate, House, Mirror, Result, Setup, strict};
use serde_json::{Value, json};
use std::sync::Arc;

fn gated() -> Result<(Arc<House>, Gate)> {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    Ok((house, gate))
}

async fn answering() -> Result<Scripted> {
    Ok(Scripted::start(Script::responder(|_: &Value| say("Noted."))).await?)
}

fn exited(mirror: &Mirror, process: &str) -> Option<()> {
    mirror.processes.get(process).filter(|row| row["state"] == "exited").map(|_| ())
}

#[tokio::test]
async fn a_report_stays_before_a_person_s_line_and_can_be_sent_on_by_hand() -> Result {
    let (house, gate) = gated()?;
    let lab = answering().await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let old = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let process = server.bang(&old, &format!("{}; echo late; exit 3", gate.wait())).await?;
    let new = server.begin_anew(&old).await?;
    gate.open(1)?;
    mirror.until("its end", |m| exited(m, &process)).await?;
    mirror.until("the incident", |m| (m.sessions.get(&old)?["ended"] == "new_session").then_some(())).await?;
    let dropped = mirror.incidents(1).await?.remove(0);
    assert_eq!(dropped["cause"], "report_dropped_target_gone");
    assert_eq!((&dropped["sessionId"], &dropped["unit"]["exitCode"]), (&json!(old), &json!(3)));
    assert_eq!(dropped["unit"]["outputTail"].as_str().map(str::trim_end), Some("late"));
    assert_eq!(server.call("get_health", json!({})).await?["incidents"], 1);
    assert!(mirror.transcript(&new).is_empty(), "nothing of the old one is told in the new one");
    assert!(lab.requests().is_empty(), "no turn was begun");
    assert_eq!(server.output(&process).await?, "late\n", "its log is still there");
    assert_eq!(
        (&mirror.sessions[&old]["nextSessionId"], server.process(&old, &process).await?["exitCode"].as_i64()),
        (&json!(new), Some(3))
    );

    server.call("deliver_unit", json!({"unitId": dropped["unitId"], "sessionId": new})).await?;
    mirror.until("the answer", |m| (m.said(&new) == ["Noted."] && m.rests(&new)).then_some(())).await?;
    assert_eq!(mirror.units(&new).len(), 1);
    assert_eq!(server.incidents().await?, Vec::<Value>::new());
    let again = server.call("deliver_unit", json!({"unitId": dropped["unitId"], "sessionId": new})).await;
    assert_eq!(again.unwrap_err().code, "not_found", "it was told");
    assert_eq!(lab.requests().len(), 1);
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_line_ends_the_turn_and_takes_what_waits_along() -> Result {
    let lab = Scripted::start([say("Thinking").ending(End::Hang), say("Fresh."), say("Next.")]).await?;
    let server = Setup::with(&lab).start().await?;
    let old = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&old, "begin").await?;
    lab.wait_for_request(1).await;
    server.send(&old, "waits").await?;
    let new = server.begin_anew(&old).await?;
    mirror.until("the end of the turn", |m| m.rests(&old).then_some(())).await?;
    mirror.until("the queue", |m| (m.sessions.get(&new)?["queued"].as_array()?.len() == 1).then_some(())).await?;
    assert_eq!(mirror.sessions[&new]["queuePaused"], true, "nobody's words are lost, and none are sent unasked");
    let refused = server.send(&old, "too late").await.unwrap_err();
    assert_eq!((refused.status, refused.code.as_str()), (409, "session_ended"));
    lab.release();
    server.send(&new, "hello").await?;
    mirror.until("both answers", |m| (m.said(&new) == ["Fresh.", "Next."] && m.rests(&new)).then_some(())).await?;
    assert!(mirror.transcript(&new).iter().all(|item| !item["text"].as_str().unwrap_or_default().contains("Thinking")));
    strict::check_all(&lab)
}

#[tokio::test]
async fn what_stands_in_the_queue_of_an_ended_conversation_is_not_told_in_the_next() -> Result {
    let lab = Scripted::start([say("Busy").ending(End::Hang), say("Fresh.")]).await?;
    let server = Setup::with(&lab).start().await?;
    let old = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&old, "begin").await?;
    lab.wait_for_request(1).await;
    let process = server.start(&old, "echo queued", true).await?;
    mirror.until("its end", |m| exited(m, &process)).await?;
    let new = server.begin_anew(&old).await?;
    mirror.until("the end of the turn", |m| m.rests(&old).then_some(())).await?;
    lab.release();
    server.send(&new, "hello").await?;
    mirror.until("the answer", |m| (m.said(&new) == ["Fresh."] && m.rests(&new)).then_some(())).await?;
    assert_eq!(mirror.units(&old).len() + mirror.units(&new).len(), 0);
    assert_eq!(mirror.incidents(1).await?[0]["cause"], "report_dropped_target_gone");
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_closed_conversation_keeps_its_report_and_nothing_begins_until_somebody_writes() -> Result {
    let (house, gate) = gated()?;
    let lab = answering().await?;
    let mut server = Setup::with(&lab).start_in(house).await?;
    let (closed, front) = (server.session().await?, server.session().await?);
    let mut mirror = Mirror::attach(&*server, "window");
    let process = server.bang(&closed, &format!("{}; echo from-here-only", gate.wait())).await?;
    server.call("close_session", json!({"sessionId": closed})).await?;
    gate.open(1)?;
    mirror.until("its note", |m| (m.units(&closed).len() == 1).then_some(())).await?;
    assert_eq!(mirror.units(&closed)[0]["processId"], json!(process));
    server.send(&front, "hi").await?;
    mirror.until("the answer elsewhere", |m| (m.said(&front) == ["Noted."] && m.rests(&front)).then_some(())).await?;
    assert_eq!(lab.requests().len(), 1, "the note asked nobody");
    assert!(!lab.requests()[0].body.to_string().contains("from-here-only"));
    assert!(mirror.sessions[&closed]["unread"].as_u64() > Some(0));
    drop(mirror);
    server.term().await?;
    server.restart().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&closed, "open again").await?;
    mirror.until("the answer", |m| (m.said(&closed) == ["Noted."] && m.rests(&closed)).then_some(())).await?;
    assert!(mirror.sessions[&closed]["ended"].is_null());
    assert!(lab.requests()[1].body.to_string().contains("from-here-only"), "the agent reads it with the next turn");
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_closed_conversation_keeps_what_its_agent_asked_for_and_tells_lines_as_the_setting_says() -> Result {
    for (setting, lines) in [("concise", 1), ("off", 0)] {
        let (house, gate) = gated()?;
        std::fs::create_dir_all(house.profile())?;
        let text = format!("[display]\nbackground_process_notifications = \"{setting}\"\n");
        std::fs::write(house.profile().join("config.toml"), text)?;
        let server = Setup::with(&answering().await?).start_in(house).await?;
        let closed = server.session().await?;
        let mut mirror = Mirror::attach(&*server, "window");
        let loud = format!("{}; echo loud", gate.wait());
        let watched = json!({"sessionId": closed, "command": loud, "watch": ["loud"]});
        server.call("start_process", watched).await?;
        server.call("close_session", json!({"sessionId": closed})).await?;
        gate.open(1)?;
        let file = rusqlite::Connection::open(server.house.database())?;
        let owed = || file.query_row("SELECT count(*) FROM unit WHERE delivery = 'pending'", [], |row| row.get(0));
        let settled = |m: &Mirror| {
            let over = m.processes.values().any(|row| row["state"] == "exited");
            (over && matches!(owed(), Ok::<u32, _>(0))).then_some(())
        };
        mirror.until("its end and all it said to be settled", settled).await?;
        mirror.catch_up().await?;
        let told = (mirror.of_kind(&closed, "notice").len(), mirror.units(&closed).len());
        // Its hit was asked for, and its end was not.
        assert_eq!(told, (lines, lines), "{setting}: {:#?}", mirror.transcript(&closed));
        if let [hit] = mirror.units(&closed)[..] {
            assert_eq!(hit["producer"], "watch", "{setting}: {hit}");
        }
        let off: u32 = file.query_row("SELECT count(*) FROM unit WHERE consumed = 'off'", [], |row| row.get(0))?;
        assert_eq!(off, 2 * u32::from(setting == "off"), "{setting}");
    }
    Ok(())
}

#[tokio::test]
async fn the_thirty_third_waiting_message_is_refused_in_words() -> Result {
    let asked = std::sync::atomic::AtomicBool::new(false);
    let lab = Scripted::start(Script::responder(move |_: &Value| {
        match asked.swap(true, std::sync::atomic::Ordering::Relaxed) {
            false => say("Busy").ending(End::Hang),
            true => say("Heard."),
        }
    }))
    .await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "begin").await?;
    lab.wait_for_request(1).await;
    for n in 0..32 {
        server.send(&session, &format!("message {n}")).await?;
    }
    let refused = server.send(&session, "one too many").await.unwrap_err();
    assert_eq!((refused.status, refused.code.as_str()), (429, "queue_full"));
    mirror.until("the queue", |m| (m.sessions.get(&session)?["queued"].as_array()?.len() == 32).then_some(())).await?;
    let process = server.start(&session, "echo patient", true).await?;
    mirror.until("its end", |m| exited(m, &process)).await?;
    mirror.catch_up().await?;
    assert!(mirror.units(&session).is_empty(), "a report takes nobody's place");
    assert_eq!(server.incidents().await?, Vec::<Value>::new(), "and is not given up");
    lab.release();
    // The report may be told right behind them, if it is due by then.
    mirror.until("every answer", |m| (m.said(&session).len() >= 33 && m.rests(&session)).then_some(())).await?;
    Ok(())
}

/// What a setting makes of two ends that the agent is not told of: of each whether there is a line, and the output in it.
struct Told {
    setting: &'static str,
    well: (bool, bool),
    failed: (bool, bool),
}

#[tokio::test]
async fn an_end_that_nobody_asked_about_is_one_line_as_the_setting_says() -> Result {
    let line = (true, false);
    let (whole, none) = ((true, true), (false, false));
    for Told { setting, well, failed } in [
        Told { setting: "concise", well: line, failed: whole },
        Told { setting: "result", well: whole, failed: whole },
        Told { setting: "all", well: whole, failed: whole },
        Told { setting: "error", well: none, failed: whole },
        Told { setting: "off", well: none, failed: none },
    ] {
        let house = Arc::new(House::new()?);
        std::fs::create_dir_all(house.profile())?;
        let text = format!("[display]\nbackground_process_notifications = \"{setting}\"\n");
        std::fs::write(house.profile().join("config.toml"), text)?;
        let lab = answering().await?;
        let server = Setup::with(&lab).start_in(house).await?;
        let session = server.session().await?;
        let mut mirror = Mirror::attach(&*server, "window");
        let mut count = 0;
        for (code, (line, output)) in [(0, well), (4, failed)] {
            let process = server.start(&session, &format!("echo seen-{code}; exit {code}"), false).await?;
            mirror.until("its end", |m| exited(m, &process)).await?;
            if !line {
                continue;
            }
            let told = mirror.until("the line", |m| m.of_kind(&session, "notice").get(count).map(|i| (*i).clone()));
            let told = told.await?["text"].as_str().unwrap_or_default().to_owned();
            count += 1;
            assert!(told.contains(&format!("exited with code {code}")), "{setting}: {told}");
            assert_eq!(told.ends_with(&format!("seen-{code}")), output, "{setting}: {told}");
        }
        mirror.catch_up().await?;
        assert_eq!(mirror.of_kind(&session, "notice").len(), count, "{setting}");
        assert!(lab.requests().is_empty(), "{setting}: no turn answers it");
    }
    Ok(())
}

#[tokio::test]
async fn with_all_one_line_follows_what_a_job_writes_and_makes_room_for_its_end() -> Result {
    let (house, gate) = gated()?;
    let last = Gate::new(house.root(), "last")?;
    std::fs::create_dir_all(house.profile())?;
    let text = "[display]\nbackground_process_notifications = \"all\"\n";
    std::fs::write(house.profile().join("config.toml"), text)?;
    let lab = answering().await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let wait = gate.wait();
    let quiet = server.start(&session, &format!("{wait}; exit 0"), false).await?;
    // More than is kept in memory anywhere, so that only its total still grows.
    let much = "head -c 250000 /dev/zero | tr '\\0' x; echo";
    let job = format!("{much}; echo first; {wait}; echo second; {}; exit 5", last.wait());
    let job = server.start(&session, &job, false).await?;
    let line = |m: &Mirror, words: &str| {
        let lines = m.of_kind(&session, "notice");
        lines.iter().find(|l| l["text"].as_str().is_some_and(|t| t.contains(words))).map(|line| (*line).clone())
    };
    let so_far = mirror.until("what it wrote", |m| line(m, "first")).await?;
    let words = so_far["text"].as_str().unwrap_or_default();
    assert!(words.contains("still runs") && words.ends_with("first"), "{words}");
    gate.open(2)?;
    mirror.until("the end of the quiet one", |m| exited(m, &quiet)).await?;
    let more = mirror.until("what it wrote then", |m| line(m, "second")).await?;
    assert_eq!((&more["itemId"], &more["seq"]), (&so_far["itemId"], &so_far["seq"]), "the same line");
    last.open(1)?;
    mirror.until("its end", |m| exited(m, &job)).await?;
    let end = mirror.until("the line of its end", |m| line(m, "exited with code 5")).await?;
    mirror.catch_up().await?;
    let left: Vec<_> = mirror.of_kind(&session, "notice").iter().map(|line| line["itemId"].clone()).collect();
    assert!(!left.contains(&so_far["itemId"]) && left.contains(&end["itemId"]), "{left:?}");
    assert_eq!(left.len(), 2, "of each its end, and of the quiet one nothing before it");
    assert!(lab.requests().is_empty(), "no turn answers it");
    Ok(())
}

#[tokio::test]
async fn while_the_launching_turn_runs_its_person_gets_a_receipt_and_the_agent_a_note_after_it() -> Result {
    let (house, gate) = gated()?;
    let quick = json!({"command": "echo quick", "background": true, "notify_on_complete": true});
    let slow = json!({"command": format!("{}; echo slow", gate.wait())});
    let lab = Scripted::start([
        call("call_1", "terminal", quick),
        call("call_2", "terminal", slow),
        say("Both ran."),
        say("Quick ended."),
    ])
    .await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "start both").await?;
    let receipt = mirror.until("the receipt", |m| m.of_kind(&session, "notice").first().map(|i| (*i).clone())).await?;
    let words = receipt["text"].as_str().unwrap_or_default();
    assert!(words.contains("exited with code 0") && words.contains("after this turn"), "{words}");
    assert_eq!(receipt["author"], "system");
    gate.open(1)?;
    mirror
        .until("both answers", |m| {
            (m.said(&session) == ["Both ran.", "Quick ended."] && m.rests(&session)).then_some(())
        })
        .await?;
    assert_eq!(mirror.units(&session).len(), 1);
    assert_eq!(mirror.of_kind(&session, "notice").len(), 1);
    let slow_result = strict::result_of(&lab.requests()[2].body, "call_2").unwrap_or_default();
    assert!(!slow_result.contains("interrupted"), "{slow_result}");
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_report_goes_to_its_own_conversation_whichever_one_is_at_work() -> Result {
    let (house, gate) = gated()?;
    let lab = answering().await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let (a, b) = (server.session().await?, server.session().await?);
    let mut mirror = Mirror::attach(&*server, "window");
    server.bang(&a, &format!("{}; echo from-A-only", gate.wait())).await?;
    server.send(&b, "hello").await?;
    gate.open(1)?;
    mirror
        .until("both", |m| (m.rests(&a) && m.rests(&b) && m.said(&a).len() == 1 && m.said(&b).len() == 1).then_some(()))
        .await?;
    server.send(&b, "and again").await?;
    mirror.until("the next answer", |m| (m.said(&b).len() == 2 && m.rests(&b)).then_some(())).await?;
    assert_eq!((mirror.units(&a).len(), mirror.units(&b).len()), (1, 0));
    let with = lab.requests().iter().filter(|request| request.body.to_string().contains("from-A-only")).count();
    assert_eq!(with, 1);
    assert!(mirror.sessions[&a]["unread"].as_u64() > Some(0));
    strict::check_all(&lab)
}
