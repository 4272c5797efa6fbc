//! What of a turn cannot be written down when it happens is written down as soon as it can be, and nothing else comes of
//! it: a stop stays a stop, and what waits begins by itself.

use std::sync::Arc;
use std::time::Duration;

use gatehouse_provider::scripted::{End, Script, Scripted, calls, say};
use gatehouse_tests::{House, LIMIT, Mirror, Result, Server, Setup, os, program, strict};
use rusqlite::Connection;
use serde_json::{Value, json};
use tokio::time::Instant;

/// Repeats the last words, and does not end with those that begin with `slow`.
async fn echo() -> Result<Scripted> {
    let respond = |body: &Value| {
        let text = strict::last_text(body).lines().next().unwrap_or_default().to_owned();
        if text.starts_with("slow") { say(&text).ending(End::Hang) } else { say(&text) }
    };
    Ok(Scripted::start(Script::responder(respond)).await?)
}

/// Refuses kinds of change of the file, until it is told to refuse them no more.
pub(crate) struct Refused(Connection, usize);

impl Refused {
    pub fn change(server: &Server, what: &str) -> Result<Self> {
        Self::changes(server, &[what])
    }

    fn changes(server: &Server, kinds: &[&str]) -> Result<Self> {
        let file = Connection::open(server.house.database())?;
        file.busy_timeout(Duration::from_secs(10))?;
        for (n, what) in kinds.iter().enumerate() {
            let trigger = format!("CREATE TRIGGER refused_{n} BEFORE {what} BEGIN SELECT RAISE(ABORT, 'not now'); END");
            file.execute_batch(&trigger)?;
        }
        Ok(Self(file, kinds.len()))
    }

    pub fn no_more(self) -> Result {
        for n in 0..self.1 {
            self.0.execute_batch(&format!("DROP TRIGGER refused_{n}"))?;
        }
        Ok(())
    }
}

/// Waits until the server has said this in its log so many times.
async fn said(server: &Server, words: &str, times: usize) -> Result {
    // A log gives no event.
    let deadline = Instant::now() + LIMIT;
    while std::fs::read_to_string(server.house.stderr())?.matches(words).count() < times {
        if Instant::now() > deadline {
            return Err(format!("{words:?} was not said {times} times").into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

#[tokio::test]
async fn a_turn_whose_stop_cannot_be_written_down_stays_stopped() -> Result {
    let lab = echo().await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "slow answer").await?;
    mirror.until("its first words", |m| (!m.texts.is_empty()).then_some(())).await?;
    let refused = Refused::change(&server, "UPDATE OF state ON turn")?;
    server.call("stop_turn", json!({"sessionId": session})).await?;
    said(&server, "A turn's end cannot be written yet", 2).await?;
    refused.no_more()?;
    mirror.until("the stop", |m| m.rests(&session).then_some(())).await?;
    mirror.catch_up().await?;
    let turns: Vec<_> = mirror.turns_of(&session).iter().map(|turn| turn["state"].clone()).collect();
    assert_eq!(turns, ["stopped"]);
    let why: Vec<_> = mirror.of_kind(&session, "failed_turn").iter().map(|item| item["text"].clone()).collect();
    assert_eq!(why, ["Turn stopped."]);
    assert!(mirror.transcript(&session).iter().all(|item| item["streaming"] == false), "nothing is said any more");
    server.send(&session, "and now?").await?;
    mirror.until("an answer", |m| (m.said(&session).last() == Some(&"and now?")).then_some(())).await?;
    assert_eq!(lab.requests().len(), 2, "the model was asked once for each message");
    strict::check_all(&lab)
}

#[tokio::test]
async fn what_waits_and_could_not_begin_begins_by_itself() -> Result {
    let lab = echo().await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "slow answer").await?;
    lab.wait_for_request(1).await;
    server.send(&session, "behind it").await?;
    let refused = Refused::change(&server, "INSERT ON turn")?;
    lab.release();
    said(&server, "What waits cannot begin yet", 2).await?;
    refused.no_more()?;
    mirror
        .until("both answers", |m| {
            (m.said(&session) == ["slow answer", "behind it"] && m.rests(&session)).then_some(())
        })
        .await?;
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_turn_that_a_person_s_line_has_ended_is_not_begun_again_by_the_next_start() -> Result {
    let lab = echo().await?;
    let mut server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    server.send(&session, "slow answer").await?;
    lab.wait_for_request(1).await;
    let refused = Refused::change(&server, "UPDATE OF state ON turn")?;
    let next = server.begin_anew(&session).await?;
    said(&server, "A turn's end cannot be written yet", 1).await?;
    server.kill9()?;
    refused.no_more()?;
    server.restart().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    mirror.until("the stop", |m| m.rests(&session).then_some(())).await?;
    let turn = mirror.turns_of(&session)[0].clone();
    let words = mirror.of_kind(&session, "failed_turn")[0]["text"].clone();
    assert_eq!((&turn["state"], words), (&json!("stopped"), json!("Turn stopped.")));
    server.send(&next, "and here?").await?;
    mirror.until("an answer", |m| (m.said(&next) == ["and here?"] && m.rests(&next)).then_some(())).await?;
    assert_eq!(lab.requests().len(), 2, "the model was not asked again");
    strict::check_all(&lab)
}

#[tokio::test]
async fn what_the_turn_of_an_ended_conversation_started_is_stopped_by_the_next_start() -> Result {
    let job = |wait: bool| json!({"command": "exec sleep 300", "background": !wait, "notify_on_complete": !wait});
    let both = [("aside", "terminal", job(false)), ("awaited", "terminal", job(true))];
    let lab = Scripted::start(calls(both)).await?;
    let mut server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "run both").await?;
    let running = |m: &Mirror| {
        let pids: Vec<_> =
            m.processes.values().filter(|p| p["state"] == "running").map(|p| p["pid"].as_u64()).collect();
        (pids.len() == 2).then_some(pids)
    };
    let pids = mirror.until("both to run", running).await?;
    // Nothing of what follows the person's line can be written: as if the end came right behind it.
    let refused = Refused::changes(&server, &["UPDATE OF state ON turn", "UPDATE OF state ON process"])?;
    server.begin_anew(&session).await?;
    said(&server, "An abandoned turn's process was not stopped", 2).await?;
    server.kill9()?;
    refused.no_more()?;
    server.restart().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let stopped = |m: &Mirror| (m.processes.values().filter(|p| p["state"] == "killed").count() == 2).then_some(());
    mirror.until("both to be stopped", stopped).await?;
    mirror.until("the turn's end", |m| m.rests(&session).then_some(())).await?;
    mirror.catch_up().await?;
    for row in mirror.processes.values() {
        assert_eq!(row["stoppedBy"], "new_session", "{row}");
    }
    for pid in pids {
        assert!(!os::lives(u32::try_from(pid.ok_or("no pid")?)?));
    }
    assert!(mirror.units(&session).is_empty(), "who drew the line knows it");
    assert_eq!(server.incidents().await?, Vec::<Value>::new());
    server.house.no_shims().await
}

#[tokio::test]
async fn a_start_that_failed_and_cannot_be_written_down_is_answered_when_it_can() -> Result {
    let house = Arc::new(House::new()?);
    let alone = house.root().join("gatehouse-server");
    if std::fs::hard_link(program("gatehouse-server")?, &alone).is_err() {
        std::fs::copy(program("gatehouse-server")?, &alone)?;
    }
    let server = Setup::bare().program(alone).start_in(house).await?;
    let session = server.session().await?;
    let refused = Refused::change(&server, "UPDATE OF state ON process")?;
    let (rpc, asked) = ((*server).clone(), session.clone());
    let start = tokio::spawn(async move { rpc.start(&asked, "echo never", true).await.map_err(|e| e.to_string()) });
    said(&server, "A failed start cannot be recorded yet", 2).await?;
    assert_eq!(server.processes(&session).await?[0]["state"], "starting");
    refused.no_more()?;
    let refusal = start.await?.unwrap_err();
    assert!(refusal.contains("start_failed"), "{refusal}");
    assert_eq!(server.processes(&session).await?[0]["state"], "failed_start");
    assert_eq!(server.call("get_health", json!({})).await?["processes"]["running"], 0);
    Ok(())
}
