//! Another program holds the data file: everything waits, a person is told why, and nothing is lost or doubled.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::Duration;

use gatehouse_provider::scripted::{End, Script, Scripted, say};
use gatehouse_tests::{Gate, House, Mirror, Result, Rpc, Scene, Server, Setup, Window, strict};
use serde_json::{Value, json};
use tokio::time::Instant;

/// A program that holds the write lock until it is told to let go; it ends with this value.
struct Stranger(Child);

impl Stranger {
    fn holds(database: &Path) -> Result<Self> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/lock_database.py");
        #[expect(clippy::disallowed_methods, reason = "another program must hold the lock")]
        let mut command = std::process::Command::new("python3");
        let child = command.arg(script).arg(database).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut stranger = Self(child);
        let mut line = String::new();
        BufReader::new(stranger.0.stdout.take().ok_or("no stdout")?).read_line(&mut line)?;
        if line.trim() == "held" { Ok(stranger) } else { Err("the lock could not be taken".into()) }
    }

    fn lets_go(mut self) -> Result {
        self.0.stdin.take().ok_or("no stdin")?.write_all(b"\n")?;
        self.0.wait()?;
        Ok(())
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ended = self.0.kill();
        let _collected = self.0.wait();
    }
}

async fn lab() -> Result<Scripted> {
    let respond = |body: &Value| {
        if strict::last_text(body).starts_with("tell") { say("I tell.").ending(End::Hang) } else { say("Noted.") }
    };
    Ok(Scripted::start(Script::responder(respond)).await?)
}

/// A client that only waits for news; what it is told about the data once that is as wanted.
async fn told(rpc: &Rpc, wanted: impl Fn(&Value) -> bool) -> Result<Value> {
    let mut after = json!(0);
    loop {
        let params = json!({"afterRev": after, "waitMs": 20_000, "clientId": "watcher"});
        let batch = rpc.call("next_feed", params).await?;
        if wanted(&batch["storage"]) {
            return Ok(batch["storage"].clone());
        }
        after = batch["rev"].clone();
    }
}

fn heard(mirror: &Mirror, session: &str) -> Vec<String> {
    let said = mirror.of_kind(session, "message").into_iter().filter(|item| item["author"] == "human");
    said.filter_map(|item| item["text"].as_str()).map(str::to_owned).collect()
}

/// Waits until both jobs' ends have been told, and everything was answered.
async fn all_told(mirror: &mut Mirror, session: &str) -> Result {
    let told = |m: &Mirror| m.units(session).len() == 2 && m.said(session).len() >= 3 && m.rests(session);
    mirror.until("both reports and every answer", |m| told(m).then_some(())).await?;
    mirror.catch_up().await
}

/// A turn that streams, two jobs that wait for a word, and a client that has seen both.
async fn at_work(lab: &Scripted) -> Result<(Server, Gate, String, Mirror)> {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let server = Setup::with(lab).start_in(house).await?;
    let session = server.session().await?;
    for code in [1, 2] {
        server.start(&session, &format!("{}; exit {code}", gate.wait()), true).await?;
    }
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "tell me").await?;
    lab.wait_for_request(1).await;
    mirror.until("the words that stream", |m| m.texts.values().any(|text| text == "I tell.").then_some(())).await?;
    Ok((server, gate, session, mirror))
}

#[tokio::test]
async fn half_a_minute_of_somebody_else_s_lock_is_told_at_once_and_loses_nothing() -> Result {
    let lab = lab().await?;
    let (server, gate, session, mut mirror) = at_work(&lab).await?;
    let stranger = Stranger::holds(&server.house.database())?;
    let (pid, begun) = (stranger.0.id(), Instant::now());
    gate.open(2)?;
    let words = json!({"sessionId": session, "text": "during", "clientKey": "once"});
    let saying = server.call("send_message", words.clone());
    let meanwhile = async {
        let told = told(&server, |storage| !storage.is_null()).await?;
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        assert_eq!((&told["code"], &told["passing"]), (&json!("storage_locked"), &json!(true)));
        assert!(told["message"].as_str().is_some_and(|m| m.contains(&format!("(pid {pid})"))), "{told}");
        assert_eq!(server.call("get_health", json!({})).await?["storage"], told);
        // Whoever only looks is answered all the while: the lock is let go behind the last answer.
        while begun.elapsed() < Duration::from_secs(30) {
            server.items(&session).await?;
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        stranger.lets_go()
    };
    let (said, meanwhile) = tokio::join!(saying, meanwhile);
    meanwhile?;
    said?;
    told(&server, Value::is_null).await?;
    server.call("send_message", words).await?;
    lab.release();
    all_told(&mut mirror, &session).await?;
    assert_eq!(heard(&mirror, &session), ["tell me", "during"], "each once, in their order");
    assert_eq!(mirror.said(&session)[0], "I tell.");
    let mut codes: Vec<_> = mirror.units(&session).iter().map(|unit| unit["exitCode"].as_i64()).collect();
    codes.sort_unstable();
    assert_eq!(codes, [Some(1), Some(2)]);
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_crash_while_somebody_else_holds_the_lock_loses_what_was_not_answered_and_nothing_else() -> Result {
    let lab = lab().await?;
    let (mut server, gate, session, mut mirror) = at_work(&lab).await?;
    let stranger = Stranger::holds(&server.house.database())?;
    gate.open(2)?;
    let words = json!({"sessionId": session, "text": "during", "clientKey": "once"});
    let rpc = (*server).clone();
    let message = words.clone();
    let saying = tokio::spawn(async move { rpc.call("send_message", message).await });
    told(&server, |storage| !storage.is_null()).await?;
    server.kill9()?;
    let refusal = saying.await?.err().ok_or("what was not written was called kept")?;
    assert_eq!(refusal.code, "gone");
    stranger.lets_go()?;
    server.restart().await?;
    mirror.move_to(&*server);
    // Whoever was not answered says it again, under the same key.
    server.call("send_message", words.clone()).await?;
    server.call("send_message", words).await?;
    lab.release();
    all_told(&mut mirror, &session).await?;
    assert_eq!(heard(&mirror, &session), ["tell me", "during"]);
    strict::check_all(&lab)
}

#[tokio::test]
async fn what_was_asked_is_carried_out_though_nobody_waits_for_the_answer() -> Result {
    let Scene { lab, server, session, mut mirror, .. } =
        Scene::set_up(|_| Script::responder(|_| say("Noted."))).await?;
    let first = server.start(&session, "sleep 600", false).await?;
    mirror.until("the job", |m| (m.processes.get(&first)?["state"] == "running").then_some(())).await?;
    let stranger = Stranger::holds(&server.house.database())?;
    let (script, window) = ((*server).clone(), Window::open(&server).await?);
    let stop = json!({"sessionId": session, "processId": first});
    let stopping = tokio::spawn(async move { script.call("stop_process", stop).await });
    let start = json!({"sessionId": session, "command": "exit 3", "notify": true, "clientKey": "once"});
    let starting = tokio::spawn(async move { window.call("start_process", start).await });
    told(&server, |storage| !storage.is_null()).await?;
    // The program that asked is gone, and so is the window.
    for asking in [stopping, starting] {
        asking.abort();
        assert!(asking.await.is_err(), "answered while nothing could be written");
    }
    server.call("get_health", json!({})).await?;
    stranger.lets_go()?;
    let stopped = |m: &Mirror| m.processes.get(&first).filter(|row| row["state"] == "killed").map(|_| ());
    mirror.until("the stop", stopped).await?;
    mirror.reported(&session, 1).await?;
    assert_eq!(mirror.units(&session)[0]["exitCode"], 3);
    strict::check_all(&lab)
}
