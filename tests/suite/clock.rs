//! The clock on the wall is set while everything is at work: nothing is lost, doubled or held up for as long as that.

use std::sync::Arc;
use std::time::Duration;

use gatehouse_provider::scripted::{End, Script, Scripted, call, say};
use gatehouse_tests::{Gate, House, Mirror, Result, Rpc, Setup, WallClock, os, strict};
use serde_json::{Value, json};

use crate::races::written_down;

const HOUR: i64 = 3_600_000;

#[expect(clippy::disallowed_methods, reason = "how far the clock of the server is from the right one")]
fn now_ms() -> Result<i64> {
    Ok(i64::try_from(std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_millis())?)
}

/// How far the server's clock is ahead, in whole hours, as its own newest entry says.
async fn hours_ahead(rpc: &Rpc, session: &str) -> Result<i64> {
    rpc.send(session, "/help").await?;
    let items = rpc.items(session).await?;
    let at = items.last().and_then(|item| item["atMs"].as_i64()).ok_or("no time")?;
    Ok((at - now_ms()? + HOUR / 2).div_euclid(HOUR))
}

#[tokio::test]
async fn a_clock_that_jumps_ahead_and_back_loses_and_doubles_nothing() -> Result {
    let house = Arc::new(House::new()?);
    let clock = WallClock::new(house.root())?;
    let gate = Gate::new(house.root(), "gate")?;
    let lab = Scripted::start(Script::responder(|body: &Value| {
        match strict::messages(body).last().and_then(|message| message["role"].as_str()) {
            Some("user") if strict::last_text(body).starts_with("touch it") => {
                call("call_1", "terminal", json!({"command": "touch made"}))
            }
            _ => say("Noted."),
        }
    }))
    .await?;
    let mut server = clock.of(Setup::with(&lab).asking()).start_in(house).await?;
    let asking = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&asking, "touch it").await?;
    let question = |m: &Mirror| m.of_kind(&asking, "approval").first().map(|item| item["approvalId"].clone());
    let question = mirror.until("the question", question).await?;
    let session = server.session().await?;
    let mut jobs = Vec::new();
    for code in 1..=4 {
        jobs.push(server.start(&session, &format!("{}; exit {code}", gate.wait()), true).await?);
    }
    let before = lab.requests().len();
    for (n, (offset, hours)) in [("+8h", 8), ("-1h", -1), ("+0", 0)].into_iter().enumerate() {
        clock.set(offset)?;
        assert_eq!(hours_ahead(&server, &session).await?, hours, "the clock was set");
        gate.open(1)?;
        mirror
            .until("one more report and its answer", |m| {
                (m.units(&session).len() == n + 1 && m.said(&session).len() == n + 1 && m.rests(&session)).then_some(())
            })
            .await?;
        let pending = mirror.of_kind(&asking, "approval")[0]["state"].clone();
        assert_eq!(pending, "pending", "a question has its time, whatever the wall says");
        assert_eq!(lab.requests().len(), before + n + 1, "one turn for each");
    }
    // What was asked before is answered now.
    server.call("answer_approval", json!({"approvalId": question, "choice": "once"})).await?;
    mirror.until("the answer", |m| (m.said(&asking) == ["Noted."] && m.rests(&asking)).then_some(())).await?;
    assert!(server.house.person().join("made").exists());

    // A start that finds itself hours before the last one.
    clock.set("+8h")?;
    assert_eq!(hours_ahead(&server, &session).await?, 8);
    server.kill9()?;
    clock.set("-1h")?;
    server.restart().await?;
    mirror.move_to(&*server);
    gate.open(1)?;
    mirror.reported(&session, 4).await?;
    mirror.catch_up().await?;
    let mut told: Vec<_> = mirror.units(&session).iter().filter_map(|unit| unit["processId"].as_str()).collect();
    told.sort_unstable();
    jobs.sort_unstable();
    assert_eq!(told, jobs, "each once");
    assert_eq!(server.incidents().await?, Vec::<Value>::new());
    strict::check_all(&lab)
}

/// As when the lid is closed: nothing runs for hours, and then everything at once.
#[tokio::test]
async fn a_house_that_sleeps_for_hours_wakes_without_a_storm() -> Result {
    let house = Arc::new(House::new()?);
    let clock = WallClock::new(house.root())?;
    let gate = Gate::new(house.root(), "gate")?;
    let lab = Scripted::start(Script::responder(|_: &Value| say("Noted."))).await?;
    let server = clock.of(Setup::with(&lab)).start_in(house).await?;
    let session = server.session().await?;
    let mut jobs = Vec::new();
    for code in 1..=5 {
        jobs.push(server.start(&session, &format!("{}; exit {code}", gate.wait()), true).await?);
    }
    let lasting = server.start(&session, "exec sleep 300", true).await?;
    os::hold(server.pid())?;
    gate.open(jobs.len())?;
    for job in &jobs {
        written_down(&server, job).await?;
    }
    clock.set("+8h")?;
    os::signal(server.pid(), os::Signal::CONT)?;
    let mut mirror = Mirror::attach(&*server, "window");
    mirror.reported(&session, 5).await?;
    mirror.catch_up().await?;
    assert_eq!(hours_ahead(&server, &session).await?, 8);
    assert!(lab.requests().len() <= 2, "{} turns for what ended together", lab.requests().len());
    assert_eq!(mirror.processes[&lasting]["state"], "running");
    assert_eq!(server.incidents().await?, Vec::<Value>::new());
    server.stop(&lasting).await?;
    strict::check_all(&lab)
}

/// A conversation whose queue is full refuses a report, which is put off by the clock on the wall.
#[tokio::test]
async fn what_was_put_off_before_the_clock_went_back_is_told_in_time() -> Result {
    let house = Arc::new(House::new()?);
    let clock = WallClock::new(house.root())?;
    let gate = Gate::new(house.root(), "gate")?;
    let lab = Scripted::start(Script::responder(|body: &Value| {
        let hangs = strict::last_text(body).starts_with("hold on");
        if hangs { say("I hold.").ending(End::Hang) } else { say("Noted.") }
    }))
    .await?;
    let server = clock.of(Setup::with(&lab)).start_in(house).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let job = server.start(&session, &format!("{}; exit 5", gate.wait()), true).await?;
    clock.set("+8h")?;
    server.send(&session, "hold on").await?;
    lab.wait_for_request(1).await;
    for n in 0..32 {
        server.send(&session, &format!("waits {n}")).await?;
    }
    gate.open(1)?;
    mirror.until("its end", |m| m.processes.get(&job).filter(|row| row["state"] == "exited").map(|_| ())).await?;
    put_off(&server.house).await?;
    clock.set("-1h")?;
    lab.release();
    for answers in 1..=33 {
        mirror.until("the next answer", |m| (m.said(&session).len() >= answers).then_some(())).await?;
    }
    mirror.until("the report", |m| (m.units(&session).len() == 1).then_some(())).await?;
    mirror
        .until("everything to be answered", |m| (m.said(&session).len() == 34 && m.rests(&session)).then_some(()))
        .await?;
    assert_eq!(mirror.units(&session)[0]["exitCode"], 5);
    let said: Vec<_> = mirror.of_kind(&session, "message").iter().filter(|m| m["author"] == "human").cloned().collect();
    let words: Vec<_> = said.iter().skip(1).filter_map(|item| item["text"].as_str()).collect();
    assert_eq!(words, (0..32).map(|n| format!("waits {n}")).collect::<Vec<_>>(), "in the order in which they came");
    assert_eq!(server.incidents().await?, Vec::<Value>::new());
    Ok(())
}

/// Only the rows tell that a report was put off.
async fn put_off(house: &House) -> Result {
    let file = rusqlite::Connection::open_with_flags(house.database(), rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let deadline = tokio::time::Instant::now() + gatehouse_tests::LIMIT;
    while tokio::time::Instant::now() < deadline {
        let next: Option<i64> = file.query_row("SELECT max(next_at) FROM unit", [], |row| row.get(0))?;
        if next.is_some_and(|at| at > 0) {
            assert!(next > Some(now_ms()? + 7 * HOUR), "it was put off by the clock that was ahead");
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Err("the report was not put off".into())
}
