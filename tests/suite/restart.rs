//! A planned restart: the same address and token, jobs that live on, what people say meanwhile, and who is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use gatehouse_provider::scripted::{End, Script, Scripted, calls, deltas, say};
use gatehouse_tests::{Gate, House, LIMIT, Mirror, Result, Server, Setup, os, strict};
use serde_json::{Value, json};
use tokio::time::Instant;

const BACK: &str = "The gateway is back.";

/// Waits until the program has begun so many times, and answers.
async fn began(server: &Server, times: u32) -> Result {
    // Only the file tells, and it gives no event.
    let deadline = Instant::now() + LIMIT;
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    while Instant::now() < deadline {
        let file = rusqlite::Connection::open_with_flags(server.house.database(), flags)?;
        let boots: rusqlite::Result<u32> = file.query_row("SELECT count(*) FROM boot", [], |row| row.get(0));
        drop(file);
        if boots.is_ok_and(|boots| boots >= times) && server.call("get_health", json!({})).await.is_ok() {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Err(format!("it did not begin {times} times:\n{}", std::fs::read_to_string(server.house.stderr())?).into())
}

async fn lines(server: &Server, session: &str, text: &str) -> Result<usize> {
    Ok(server.items(session).await?.iter().filter(|item| item["text"] == text).count())
}

#[tokio::test]
async fn the_address_the_token_and_the_process_stay() -> Result {
    let mut server = Setup::bare().start().await?;
    let (pid, session) = (server.pid(), server.session().await?);
    server.call("restart_gateway", json!({})).await?;
    began(&server, 2).await?;
    assert_eq!(server.pid(), pid);
    assert_eq!(server.call("list_sessions", json!({})).await?["sessions"][0]["sessionId"], session.as_str());
    let wrong = gatehouse_tests::http().post(format!("{}/rpc/get_health", server.url())).bearer_auth("guess");
    assert_eq!(wrong.send().await?.status().as_u16(), 401);
    // The token is where nobody else reads.
    let token = server.token().as_bytes().to_vec();
    assert_eq!(gatehouse_tests::holds(server.house.root(), &token)?, None);
    for name in ["environ", "cmdline"] {
        let text = std::fs::read(format!("/proc/{pid}/{name}"))?;
        assert!(!text.windows(token.len()).any(|window| window == token), "{name}");
    }
    let input = std::fs::read_link(format!("/proc/{pid}/fd/0"))?;
    assert_eq!(input.to_str(), Some("/dev/null"), "what was handed over is closed");
    // And once more, so that the second start hands over as well as the first.
    server.call("restart_gateway", json!({})).await?;
    began(&server, 3).await?;
    assert!(server.term().await?.success());
    Ok(())
}

#[tokio::test]
async fn a_job_lives_on_and_reports_once() -> Result {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let lab = Scripted::start(Script::responder(|_: &Value| say("I see."))).await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let job = server.start(&session, &format!("{}; echo done; exit 3", gate.wait()), true).await?;
    let pid = server.process(&session, &job).await?["pid"].as_u64().ok_or("no pid")?;
    let shim = server.house.shim_of(u32::try_from(pid)?)?;
    server.call("restart_gateway", json!({})).await?;
    began(&server, 2).await?;
    let row = server.process(&session, &job).await?;
    assert_eq!((&row["state"], &row["pid"]), (&json!("running"), &json!(pid)));
    let mut mirror = Mirror::attach(&*server, "window");
    gate.open(1)?;
    mirror.until("the note", |m| (!m.units(&session).is_empty() && m.rests(&session)).then_some(())).await?;
    let units = mirror.units(&session);
    assert_eq!((units.len(), &units[0]["exitCode"]), (1, &json!(3)));
    // Its helper was a child of the program before: somebody takes leave of it.
    os::ended(shim).await?;
    let deadline = Instant::now() + LIMIT;
    while std::path::Path::new(&format!("/proc/{shim}")).exists() {
        assert!(Instant::now() < deadline, "a helper stays in the process table");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

#[tokio::test]
async fn what_is_said_meanwhile_is_answered_afterwards() -> Result {
    let respond = |body: &Value| {
        let text = strict::last_text(body).lines().next().unwrap_or_default().to_owned();
        if text.starts_with("slow") { say(&text).ending(End::Hang) } else { say(&text) }
    };
    let lab = Scripted::start(Script::responder(respond)).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "slow start").await?;
    lab.wait_for_request(1).await;
    mirror.catch_up().await?;
    server.call("restart_gateway", json!({})).await?;
    let params = json!({"afterRev": 0, "waitMs": 0, "epoch": "", "clientId": "other"});
    let restarting = server.call("next_feed", params).await?["restarting"].clone();
    assert_eq!(restarting["turns"], 1, "{restarting}");
    let latest = restarting["latestAtMs"].as_u64().ok_or("no time")?;
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed()?.as_millis();
    assert!((1..=20_000).contains(&(u128::from(latest) - now)), "{latest}");
    let sent = server.send(&session, "meanwhile").await?;
    assert_eq!(sent["turnId"], Value::Null, "nothing begins any more");
    // Asked for again it is the same restart, and a person may not want to wait.
    server.call("restart_gateway", json!({})).await?;
    lab.release();
    mirror.until("the end of the turn that ran", |m| m.said(&session).contains(&"slow start").then_some(())).await.ok();
    began(&server, 2).await?;
    mirror.until("the answer", |m| m.said(&session).contains(&"meanwhile").then_some(())).await?;
    assert_eq!(mirror.said(&session), ["slow start", "meanwhile"]);
    let params = json!({"afterRev": 0, "waitMs": 0, "epoch": "", "clientId": "other"});
    assert_eq!(server.call("next_feed", params).await?["restarting"], Value::Null);
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_turn_that_is_cut_off_on_purpose_goes_on() -> Result {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let lab =
        Scripted::start([calls([("call_1", "terminal", json!({"command": gate.wait()}))]), say("All done.")]).await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "do it").await?;
    mirror
        .until("the call", |m| m.card(&session, "call_1").filter(|card| card["processId"].is_string()).map(|_| ()))
        .await?;
    server.call("restart_gateway", json!({"now": true})).await?;
    began(&server, 2).await?;
    let log = std::fs::read_to_string(server.house.stderr())?;
    assert!(log.contains("Turns are not waited for."), "{log}");
    mirror.move_to(&*server);
    mirror.until("the answer", |m| (m.said(&session) == ["All done."]).then_some(())).await?;
    mirror.until("the turn's end", |m| m.rests(&session).then_some(())).await?;
    let turns = mirror.turns_of(&session);
    assert_eq!((turns.len(), &turns[0]["state"]), (1, &json!("done")), "the same turn");
    let continued = mirror.of_kind(&session, "auto_continue");
    assert_eq!((continued.len(), &continued[0]["author"]), (1, &json!("machine")));
    let body = lab.wait_for_request(2).await.body;
    assert!(strict::result_of(&body, "call_1").is_some(), "the call that was cut off has a result");
    assert!(strict::last_text(&body).contains("was restarted"), "{body:#}");
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_command_in_the_foreground_goes_on_over_a_restart_and_its_end_is_told_once() -> Result {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let call = ("call_1", "terminal", json!({"command": format!("{}; echo done; exit 6", gate.wait())}));
    let lab = Scripted::start([calls([call]), say("It goes on."), say("It failed.")]).await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "do it").await?;
    let begun = |m: &Mirror| m.processes.values().find(|row| row["state"] == "running").cloned();
    let before = mirror.until("the command to run", begun).await?;
    server.call("restart_gateway", json!({"now": true})).await?;
    began(&server, 2).await?;
    mirror.move_to(&*server);
    let answered = |m: &Mirror| (m.said(&session) == ["It goes on."] && m.rests(&session)).then_some(());
    mirror.until("the answer", answered).await?;
    let row = server.process(&session, before["processId"].as_str().ok_or("no process")?).await?;
    assert_eq!((&row["state"], &row["pid"]), (&json!("running"), &before["pid"]), "{row}");
    let card = mirror.card(&session, "call_1").cloned().ok_or("no card")?;
    assert_eq!((&card["status"], &card["background"]), (&json!("in_progress"), &json!(true)), "{card}");
    assert!(card["details"].as_str().is_some_and(|told| told.contains("Went on in the background")), "{card}");
    let body = lab.wait_for_request(2).await.body;
    let told: Value = serde_json::from_str(&strict::result_of(&body, "call_1").ok_or("no result")?)?;
    assert_eq!((&told["status"], &told["process_id"]), (&json!("yielded_to_background"), &row["processId"]), "{told}");
    assert!(strict::last_text(&body).contains("still runs"), "{body:#}");

    gate.open(1)?;
    mirror.reported(&session, 1).await?;
    mirror.catch_up().await?;
    assert_eq!(mirror.units(&session)[0]["exitCode"], 6);
    let card = mirror.card(&session, "call_1").cloned().ok_or("no card")?;
    assert_eq!((&card["status"], &card["exitCode"]), (&json!("error"), &json!(6)), "{card}");
    assert_eq!(mirror.said(&session), ["It goes on.", "It failed."]);
    assert_eq!(lab.requests().len(), 3, "told once");
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_stop_of_a_turn_that_goes_on_ends_the_job_that_it_started_before() -> Result {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let job = json!({"command": gate.wait(), "background": true});
    let hangs = |words: &str| deltas([words]).ending(End::Hang);
    let lab =
        Scripted::start([calls([("call_1", "terminal", job)]), hangs("It runs."), hangs("It still runs.")]).await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "begin it").await?;
    lab.wait_for_request(2).await;
    server.call("restart_gateway", json!({"now": true})).await?;
    began(&server, 2).await?;
    lab.wait_for_request(3).await;
    let stop = server.call("stop_turn", json!({"sessionId": session})).await?;
    assert_eq!(stop, json!({"stopped": true, "reaping": 1}));
    mirror.move_to(&*server);
    let over = |m: &Mirror| m.processes.values().find(|row| row["state"] == "killed").cloned();
    let row = mirror.until("the end of the job", over).await?;
    assert_eq!(row["stoppedBy"], "turn_stop", "{row}");
    assert!(!os::lives(u32::try_from(row["pid"].as_u64().ok_or("no pid")?)?), "{row}");
    mirror.until("rest", |m| m.rests(&session).then_some(())).await?;
    assert_eq!(mirror.turns_of(&session).len(), 1, "nothing of it speaks again");
    strict::check_all(&lab)?;
    server.house.no_shims().await
}

#[tokio::test]
async fn who_asks_in_the_chat_is_told_once() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let asks = json!({"sessionId": session, "text": "/restart", "clientKey": "once"});
    server.call("send_message", asks.clone()).await?;
    began(&server, 2).await?;
    assert_eq!(lines(&server, &session, BACK).await?, 1);
    // The same message handed in again, after the restart that it asked for.
    server.call("send_message", asks).await?;
    let word = json!({"sessionId": session, "text": "/restart now"});
    server.call("send_message", word).await?;
    assert_eq!(server.call("get_health", json!({})).await?["turns"]["running"], 0);
    assert_eq!(lines(&server, &session, BACK).await?, 1);
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let file = rusqlite::Connection::open_with_flags(server.house.database(), flags)?;
    let count = |sql: &str| file.query_row(sql, [], |row| row.get::<_, u32>(0));
    assert_eq!(count("SELECT count(*) FROM boot")?, 2, "it began no second one");
    assert_eq!(count("SELECT count(*) FROM boot WHERE planned IS NOT NULL")?, 1);
    assert_eq!(count("SELECT count(*) FROM notice_owed WHERE state = 'sent'")?, 1);
    Ok(())
}

#[tokio::test]
async fn three_starts_that_cut_turns_off_begin_nothing_by_themselves() -> Result {
    let asked = Arc::new(AtomicUsize::new(0));
    let lab = Scripted::start(Script::responder({
        let asked = Arc::clone(&asked);
        move |_: &Value| match asked.fetch_add(1, Ordering::SeqCst) {
            0..=2 => deltas(["thinking"]).ending(End::Hang),
            _ => say("Here I am."),
        }
    }))
    .await?;
    let mut server = Setup::with(&lab).start().await?;
    let [first, second] = [server.session().await?, server.session().await?];
    server.send(&first, "one").await?;
    lab.wait_for_request(1).await;
    server.kill9()?;
    server.restart().await?;
    lab.wait_for_request(2).await;
    server.kill9()?;
    server.restart().await?;
    // The first turn has ended for good; another one, and what waits behind it.
    server.send(&second, "two").await?;
    lab.wait_for_request(3).await;
    server.send(&second, "three").await?;
    server.kill9()?;
    server.restart().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    mirror.catch_up().await?;
    let turns = mirror.turns_of(&second);
    assert_eq!((turns.len(), &turns[0]["state"]), (1, &json!("interrupted")));
    assert_eq!(mirror.of_kind(&second, "failed_turn").len(), 1);
    assert_eq!(lab.requests().len(), 3, "nothing went on by itself");
    let incidents = server.incidents().await?;
    assert!(incidents.iter().any(|row| row["cause"] == "restart_loop"), "{incidents:#?}");
    // Real words go on, and with them what waited.
    server.send(&second, "four").await?;
    // Whether anything of what was cut off had come in time, nobody knows.
    let answers = |m: &Mirror| m.said(&second).into_iter().filter(|words| *words == "Here I am.").count();
    mirror.until("both answers", |m| (answers(m) == 2 && m.rests(&second)).then_some(())).await?;
    strict::check_all(&lab)
}

#[tokio::test]
async fn an_end_by_a_keeper_owes_homes_and_no_turn() -> Result {
    let house = Arc::new(House::new()?);
    std::fs::create_dir_all(house.profile())?;
    let config = "[channel.slack]\nhome_channel = { chat = \"C1\" }\n[channel.matrix]\nhome_channel = { chat = \"C2\" }\nrestart_notification = false\n";
    std::fs::write(house.profile().join("config.toml"), config)?;
    let mut server = Setup::bare().env("INVOCATION_ID", "0123").start_in(Arc::clone(&house)).await?;
    assert!(server.term().await?.success());
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let file = rusqlite::Connection::open_with_flags(house.database(), flags)?;
    let owed = file.query_row("SELECT group_concat(target || ' ' || state) FROM notice_owed", [], |row| row.get(0));
    assert_eq!(owed, Ok("slack:C1 owed".to_owned()));
    assert_eq!(file.query_row("SELECT count(planned) FROM boot", [], |row| row.get(0)), Ok(0));
    drop(file);
    // An end that nobody plans owes nothing.
    let mut server = Setup::bare().start_in(Arc::clone(&house)).await?;
    assert!(server.term().await?.success());
    let file = rusqlite::Connection::open_with_flags(house.database(), flags)?;
    assert_eq!(file.query_row("SELECT count(*) FROM notice_owed", [], |row| row.get(0)), Ok(1));
    Ok(())
}
