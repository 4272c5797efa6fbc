//! Reports that go together: one note, one request, whatever ended at the same time.

use gatehouse_provider::scripted::{End, Script, Scripted, calls, say};
use gatehouse_tests::{Gate, Mirror, Result, Server, Setup, os, strict};
use serde_json::{Value, json};

use crate::races::written_down;

/// What eight jobs of one turn exit with.
const CODES: [i64; 8] = [0, 1, 2, 0, 1, 2, 0, 1];

#[tokio::test]
async fn eight_ends_at_once_are_one_note_and_one_request() -> Result {
    let (house, gate) = house_with_gate()?;
    let jobs: Vec<_> = CODES
        .iter()
        .enumerate()
        .map(|(n, code)| {
            let command = format!("{}; echo job-{n}; exit {code}", gate.wait());
            (format!("call_{n}"), json!({"command": command, "background": true, "notify_on_complete": true}))
        })
        .collect();
    let all = calls(jobs.iter().map(|(id, arguments)| (id.as_str(), "terminal", arguments.clone())));
    let lab = Scripted::start([all, say("Eight run."), say("Eight ended.")]).await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "start eight").await?;
    mirror.until("all started", |m| (m.said(&session) == ["Eight run."] && m.rests(&session)).then_some(())).await?;
    let jobs: Vec<String> = mirror.processes.keys().cloned().collect();
    end_at_once(&server, &gate, &jobs).await?;
    mirror
        .until("the answer to the note", |m| (m.said(&session).len() == 2 && m.rests(&session)).then_some(()))
        .await?;
    mirror.catch_up().await?;

    assert_eq!(mirror.of_kind(&session, "machine_note").len(), 1);
    let units = mirror.units(&session);
    assert_eq!(units.len(), CODES.len());
    for (n, code) in CODES.iter().enumerate() {
        let word = format!("job-{n}");
        let named: Vec<_> =
            units.iter().filter(|u| u["outputTail"].as_str().unwrap_or_default().contains(&word)).collect();
        assert_eq!(named.len(), 1, "{word} is named once");
        assert_eq!(named[0]["exitCode"], json!(code), "{word}");
    }
    let requests = lab.requests();
    assert_eq!(requests.len(), 3, "one request for the note");
    let text = strict::last_text(&requests[2].body);
    assert!((0..8).all(|n| text.contains(&format!("job-{n}"))), "{text}");
    strict::check_all(&lab)
}

#[tokio::test]
async fn what_ends_while_a_report_is_answered_is_one_more_batch() -> Result {
    let lab = Scripted::start([say("First.").ending(End::Hang), say("Then three."), say("And a last one.")]).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.bang(&session, "echo one").await?;
    lab.wait_for_request(1).await;
    for word in ["two", "three", "four"] {
        let id = server.start(&session, &format!("echo {word}"), true).await?;
        mirror.until("its end", |m| m.processes.get(&id).filter(|p| p["state"] == "exited").map(|_| ())).await?;
    }
    assert_eq!(mirror.of_kind(&session, "machine_note").len(), 1, "they wait for the running answer");
    lab.release();
    mirror.until("the second answer", |m| (m.said(&session).len() == 2 && m.rests(&session)).then_some(())).await?;
    mirror.catch_up().await?;
    assert_eq!(units_by_note(&mirror, &session), [1, 3]);
    assert_eq!(lab.requests().len(), 2);
    // The house is quiet again: a lone end goes by itself.
    server.bang(&session, "echo five").await?;
    mirror.until("the third answer", |m| (m.said(&session).len() == 3 && m.rests(&session)).then_some(())).await?;
    assert_eq!(units_by_note(&mirror, &session), [1, 3, 1]);
    strict::check_all(&lab)
}

#[tokio::test]
async fn eight_ends_at_once_in_a_turn_of_a_person_are_one_note_after_it() -> Result {
    let (house, gate) = house_with_gate()?;
    let lab = Scripted::start([say("I think.").ending(End::Hang), say("Eight ended.")]).await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let mut jobs = Vec::new();
    for code in CODES {
        jobs.push(server.start(&session, &format!("{}; exit {code}", gate.wait()), true).await?);
    }
    server.send(&session, "think").await?;
    lab.wait_for_request(1).await;
    end_at_once(&server, &gate, &jobs).await?;
    let ended = |m: &Mirror| m.processes.values().filter(|p| p["state"] == "exited").count();
    mirror.until("all to end", |m| (ended(m) == CODES.len()).then_some(())).await?;
    assert!(mirror.of_kind(&session, "machine_note").is_empty(), "the turn still runs");
    lab.release();
    mirror.until("the note's answer", |m| (m.said(&session).len() == 2 && m.rests(&session)).then_some(())).await?;
    assert_eq!(units_by_note(&mirror, &session), [CODES.len()]);
    assert_eq!(lab.requests().len(), 2, "one request for all of them");
    strict::check_all(&lab)
}

#[tokio::test]
async fn an_end_inside_the_turn_that_started_it_waits_for_its_end() -> Result {
    let (house, gate) = house_with_gate()?;
    let quick = json!({"command": "echo quick", "background": true});
    let slow = json!({"command": format!("{}; echo slow", gate.wait())});
    let lab = Scripted::start([
        calls([("call_quick", "terminal", quick), ("call_slow", "terminal", slow)]),
        say("Both were run."),
        say("Quick has ended."),
    ])
    .await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "run both").await?;
    let exited = |m: &Mirror| m.processes.values().filter(|p| p["state"] == "exited").count();
    let running = |m: &Mirror| m.processes.values().filter(|p| p["state"] == "running").count();
    mirror.until("quick to end", |m| (exited(m) == 1 && running(m) == 1).then_some(())).await?;
    mirror.catch_up().await?;
    assert!(mirror.of_kind(&session, "machine_note").is_empty(), "the turn still runs");
    gate.open(1)?;
    mirror.until("the note's answer", |m| (m.said(&session).len() == 2 && m.rests(&session)).then_some(())).await?;
    assert_eq!(units_by_note(&mirror, &session), [1]);
    let requests = lab.requests();
    assert_eq!(requests.len(), 3);
    let slow: Value = serde_json::from_str(&strict::result_of(&requests[1].body, "call_slow").ok_or("no result")?)?;
    assert_eq!((&slow["status"], &slow["exit_code"]), (&json!("exited"), &json!(0)), "nobody interrupted it");
    let causes: Vec<_> = mirror.turns_of(&session).iter().map(|turn| turn["cause"].to_string()).collect();
    assert_eq!(causes, ["\"human\"", "\"completion\""]);
    strict::check_all(&lab)
}

#[tokio::test]
async fn an_end_while_the_model_still_speaks_waits_for_the_turn() -> Result {
    let quick = json!({"command": "echo quick", "background": true});
    let lab = Scripted::start([
        calls([("call_quick", "terminal", quick)]),
        say("I take my time.").ending(End::Hang),
        say("Quick has ended."),
    ])
    .await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "run it").await?;
    lab.wait_for_request(2).await;
    mirror.until("its end", |m| m.processes.values().any(|p| p["state"] == "exited").then_some(())).await?;
    mirror.catch_up().await?;
    assert!(mirror.of_kind(&session, "machine_note").is_empty(), "the turn still runs");
    lab.release();
    mirror.until("the note's answer", |m| (m.said(&session).len() == 2 && m.rests(&session)).then_some(())).await?;
    assert_eq!(mirror.said(&session)[0], "I take my time.", "nobody interrupted it");
    assert_eq!(units_by_note(&mirror, &session), [1]);
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_crash_keeps_what_waits_and_its_order() -> Result {
    let lab = Scripted::start(Script::responder({
        let first = std::sync::atomic::AtomicBool::new(true);
        move |body: &Value| {
            let echo = say(&format!("Heard: {}", strict::last_text(body).lines().next().unwrap_or_default()));
            match first.swap(false, std::sync::atomic::Ordering::Relaxed) {
                true => echo.ending(End::Hang),
                false => echo,
            }
        }
    }))
    .await?;
    let mut server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    server.send(&session, "first").await?;
    lab.wait_for_request(1).await;
    for words in ["second", "third", "fourth"] {
        server.send(&session, words).await?;
    }
    for word in ["alpha", "beta"] {
        end_of(&server, &session, &format!("echo {word}")).await?;
    }
    server.kill9()?;
    server.restart().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    mirror
        .until("everything to be answered", |m| {
            let notes = m.units(&session).len();
            let idle = m.sessions.get(&session).is_some_and(|s| s["queued"].as_array().is_some_and(Vec::is_empty));
            (notes == 2 && idle && m.rests(&session)).then_some(())
        })
        .await?;
    let human: Vec<_> = mirror
        .of_kind(&session, "message")
        .into_iter()
        .filter(|item| item["author"] == "human")
        .filter_map(|item| item["text"].as_str())
        .collect();
    assert_eq!(human, ["first", "second", "third", "fourth"]);
    let said = mirror.said(&session);
    assert_eq!(said[..4], ["Heard: first", "Heard: second", "Heard: third", "Heard: fourth"]);
    assert_eq!(said.len(), 4 + mirror.of_kind(&session, "machine_note").len());
    strict::check_all(&lab)
}

fn house_with_gate() -> Result<(std::sync::Arc<gatehouse_tests::House>, Gate)> {
    let house = std::sync::Arc::new(gatehouse_tests::House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    Ok((house, gate))
}

/// Lets jobs end; the server hears of all of these ends in one moment.
async fn end_at_once(server: &Server, gate: &Gate, jobs: &[String]) -> Result {
    os::hold(server.pid())?;
    gate.open(jobs.len())?;
    for job in jobs {
        written_down(server, job).await?;
    }
    os::signal(server.pid(), os::Signal::CONT)?;
    Ok(())
}

/// Runs a command that reports its end, up to that end.
async fn end_of(server: &Server, session: &str, command: &str) -> Result {
    let id = server.start(session, command, true).await?;
    let mut mirror = Mirror::attach(&**server, "ends");
    mirror.until("its end", |m| m.processes.get(&id).filter(|p| p["state"] == "exited").map(|_| ())).await
}

fn units_by_note(mirror: &Mirror, session: &str) -> Vec<usize> {
    let notes = mirror.of_kind(session, "machine_note");
    notes.iter().map(|note| note["units"].as_array().map_or(0, Vec::len)).collect()
}
