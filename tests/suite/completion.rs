//! The main job from end to end: a process ends, a note appears exactly once, the agent takes it up.

use std::collections::BTreeSet;

use gatehouse_provider::scripted::{Scripted, call, say};
use gatehouse_tests::{Gate, Mirror, Result, Setup, strict};
use gatehouse_text::note::FOOTER;
use serde_json::{Value, json};

#[tokio::test]
async fn a_command_of_a_person_reports_its_end_once() -> Result {
    let lab = Scripted::start(say("Noted.")).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let process = server.bang(&session, "echo hello; echo last line; exit 3").await?;
    mirror.until("the answer", |m| (m.said(&session) == ["Noted."] && m.rests(&session)).then_some(())).await?;
    mirror.catch_up().await?;

    let notes = mirror.of_kind(&session, "machine_note");
    assert_eq!(notes.len(), 1, "{notes:#?}");
    assert_eq!((&notes[0]["author"], &notes[0]["kind"]), (&json!("machine"), &json!("machine_note")));
    let units = mirror.units(&session);
    assert_eq!(units.len(), 1, "{units:#?}");
    let unit = units[0];
    assert_eq!(unit["producer"], "process");
    assert_eq!(unit["processId"], json!(process));
    assert_eq!((&unit["state"], &unit["exitCode"]), (&json!("exited"), &json!(3)));
    assert_eq!(unit["outputTail"].as_str().map(str::trim_end), Some("hello\nlast line"));
    let turns = mirror.turns_of(&session);
    assert_eq!(turns.len(), 1, "{turns:#?}");
    assert_eq!((&turns[0]["cause"], &turns[0]["state"]), (&json!("completion"), &json!("done")));

    let row = server.process(&session, &process).await?;
    assert_eq!((&row["state"], &row["exitCode"], &row["notify"]), (&json!("exited"), &json!(3), &json!(true)));
    let cards = mirror.of_kind(&session, "tool_call");
    assert_eq!(cards.len(), 1);
    assert_eq!(cards[0]["author"], "human");
    assert_eq!((&cards[0]["card"]["status"], &cards[0]["card"]["exitCode"]), (&json!("error"), &json!(3)));

    let requests = lab.requests();
    assert_eq!(requests.len(), 1, "one note, one request");
    report_is_marked(&requests[0].body, &["exit", "3", "last line"]);
    strict::check_all(&lab)
}

#[tokio::test]
async fn what_a_report_and_its_card_show_has_a_bound() -> Result {
    let lab = Scripted::start(say("Noted.")).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let command = format!("yes word | head -c 300000 | tr '\\n' ' '; : {}", "y".repeat(20_000));
    server.bang(&session, &command).await?;
    mirror.until("the answer", |m| (m.said(&session) == ["Noted."] && m.rests(&session)).then_some(())).await?;
    mirror.catch_up().await?;
    let chars = |text: &Value| text.as_str().unwrap_or_default().chars().count();
    let (unit, card) = (mirror.units(&session)[0], &mirror.of_kind(&session, "tool_call")[0]["card"]);
    for shown in [&unit["outputTail"], &card["output"]] {
        assert!((1_990..=2_100).contains(&chars(shown)), "{}", chars(shown));
    }
    assert_eq!(chars(&card["title"]), 80);
    let told = strict::last_text(&lab.requests()[0].body).chars().count();
    assert!((2_400..4_000).contains(&told), "{told}");
    Ok(())
}

#[tokio::test]
async fn a_started_process_reports_only_when_it_was_asked_to() -> Result {
    let lab = Scripted::start(say("Noted.")).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let quiet = server.start(&session, "exit 4", false).await?;
    let ended = |m: &Mirror, id: &str| m.processes.get(id).is_some_and(|p| p["state"] == "exited").then_some(());
    mirror.until("the quiet end", |m| ended(m, &quiet)).await?;
    let loud = server.start(&session, "echo told; exit 5", true).await?;
    mirror.until("the answer", |m| (m.said(&session) == ["Noted."] && m.rests(&session)).then_some(())).await?;
    let units = mirror.units(&session);
    assert_eq!(units.len(), 1, "{units:#?}");
    assert_eq!((&units[0]["processId"], &units[0]["exitCode"]), (&json!(loud), &json!(5)));
    assert_eq!(lab.requests().len(), 1);
    Ok(())
}

#[tokio::test]
async fn a_background_command_of_the_agent_goes_all_the_way() -> Result {
    let work = json!({"command": "", "background": true});
    let lab = {
        let started = std::sync::Mutex::new(0);
        let respond = move |body: &Value| {
            let mut count = started.lock().unwrap();
            *count += 1;
            let command = strict::last_text(body).to_owned();
            match *count {
                1 => call("call_1", "terminal", merged(&work, json!({"command": command}))),
                2 => say("Started."),
                _ => say("It is built."),
            }
        };
        Scripted::start(gatehouse_provider::scripted::Script::responder(respond)).await?
    };
    let server = Setup::with(&lab).asking().start().await?;
    let gate = Gate::new(server.house.root(), "gate")?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let command = format!("{}; echo built; exit 0", gate.wait());
    server.send(&session, &command).await?;

    let question =
        mirror.until("the question", |m| m.of_kind(&session, "approval").first().map(|item| (*item).clone())).await?;
    assert_eq!(question["state"], "pending");
    assert_eq!(question["command"], json!(command));
    assert_eq!(question["choices"], json!(["once", "session", "always", "deny"]));
    mirror
        .until("the card that asks", |m| {
            m.card(&session, "call_1").filter(|card| card["annotation"] == "needs_input").map(|_| ())
        })
        .await?;
    assert!(mirror.processes.is_empty(), "nothing runs before the answer");
    server.call("answer_approval", json!({"approvalId": question["approvalId"], "choice": "once"})).await?;

    mirror.until("the first answer", |m| (m.said(&session) == ["Started."]).then_some(())).await?;
    let card = mirror.card(&session, "call_1").cloned().ok_or("no card")?;
    assert_eq!((&card["status"], &card["background"]), (&json!("in_progress"), &json!(true)));
    let process = card["processId"].as_str().ok_or("a card without its process")?.to_owned();
    assert_eq!(mirror.processes[&process]["state"], "running");
    assert!(mirror.of_kind(&session, "machine_note").is_empty());

    gate.open(1)?;
    let both = ["Started.", "It is built."];
    mirror.until("the second answer", |m| (m.said(&session) == both && m.rests(&session)).then_some(())).await?;
    mirror.catch_up().await?;
    let card = mirror.card(&session, "call_1").cloned().ok_or("no card")?;
    assert_eq!((&card["status"], &card["exitCode"]), (&json!("complete"), &json!(0)));
    assert!(card["output"].as_str().is_some_and(|output| output.contains("built")));
    let approvals = mirror.of_kind(&session, "approval");
    assert_eq!(approvals.len(), 1);
    assert_eq!(approvals[0]["state"], "allowed");
    let units = mirror.units(&session);
    assert_eq!(units.len(), 1);
    assert_eq!((&units[0]["processId"], &units[0]["exitCode"]), (&json!(process), &json!(0)));
    assert_eq!((&units[0]["turnId"], &units[0]["turnNumber"]), (&mirror.turns_of(&session)[0]["turnId"], &json!(1)));

    let requests = lab.requests();
    assert_eq!(requests.len(), 3);
    let told = strict::result_of(&requests[1].body, "call_1").ok_or("no result")?;
    let told: Value = serde_json::from_str(&told)?;
    assert_eq!((&told["status"], &told["process_id"]), (&json!("running"), &json!(process)));
    report_is_marked(&requests[2].body, &["built", &process]);
    only_what_a_provider_knows(&requests[2].body);
    strict::check_all(&lab)
}

fn merged(base: &Value, more: Value) -> Value {
    let mut map = base.as_object().cloned().unwrap_or_default();
    map.extend(more.as_object().cloned().unwrap_or_default());
    Value::Object(map)
}

/// The last message is in the role of a user, and its last line says that no person wrote it.
fn report_is_marked(body: &Value, words: &[&str]) {
    let last = strict::messages(body).last().cloned().unwrap_or_default();
    assert_eq!(last["role"], "user");
    let text = last["content"].as_str().unwrap_or_default();
    assert_eq!(text.lines().last(), Some(FOOTER));
    assert_eq!(text.matches(FOOTER).count(), 1);
    for word in words {
        assert!(text.contains(word), "no {word:?} in {text}");
    }
}

/// A whole request by its keys: nothing of ours goes out that no provider asked for.
fn only_what_a_provider_knows(body: &Value) {
    let keys: BTreeSet<&str> = body.as_object().into_iter().flat_map(|map| map.keys()).map(String::as_str).collect();
    let known = BTreeSet::from(["messages", "model", "stream", "stream_options", "tools"]);
    assert!(keys.is_subset(&known), "{keys:?}");
    for message in strict::messages(body) {
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let keys: Vec<_> = call.as_object().into_iter().flat_map(|map| map.keys()).collect();
            assert_eq!(keys.len(), 3, "{keys:?}");
            assert_eq!(call["type"], "function");
            let keys: Vec<_> = call["function"].as_object().into_iter().flat_map(|map| map.keys()).collect();
            assert_eq!(keys.len(), 2, "{keys:?}");
        }
    }
}
