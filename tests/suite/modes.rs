//! What a message does while a turn runs: it waits, joins the turn, or ends it.

use std::sync::atomic::{AtomicUsize, Ordering};

use gatehouse_provider::scripted::{Answer, End, Script, Scripted, call, say};
use gatehouse_tests::{Mirror, Result, Scene, Setup, os, strict};
use serde_json::{Value, json};

/// A turn that waits for a command in the foreground; its model says these things afterwards.
async fn working(command: impl FnOnce(String) -> String, says: &[&str]) -> Result<Scene> {
    let model = |wait| -> Vec<Answer> {
        let work = call("call_1", "terminal", json!({"command": command(wait)}));
        std::iter::once(work).chain(says.iter().map(|words| say(words))).collect()
    };
    let mut scene = Scene::set_up(model).await?;
    scene.server.send(&scene.session, "work").await?;
    let runs = |m: &Mirror| m.processes.values().find(|p| p["state"] == "running").map(|_| ());
    scene.mirror.until("the job", runs).await?;
    Ok(scene)
}

#[tokio::test]
async fn an_interruption_ends_the_turn_but_not_its_jobs() -> Result {
    let model = |wait: String| {
        let asked = AtomicUsize::new(0);
        Script::responder(move |_: &Value| match asked.fetch_add(1, Ordering::Relaxed) {
            0 => call("call_1", "terminal", json!({"command": format!("{wait}; exit 6"), "background": true})),
            1 => say("About the first.").ending(End::Hang),
            2 => say("About the second.").ending(End::Hang),
            _ => say("Noted."),
        })
    };
    let Scene { gate, lab, server, session, mut mirror } = Scene::set_up(model).await?;
    server.send(&session, "first").await?;
    lab.wait_for_request(2).await;
    let interrupt = json!({"sessionId": session, "text": "second", "mode": "interrupt", "clientKey": "once"});
    let accepted = server.call("send_message", interrupt.clone()).await?;
    lab.wait_for_request(3).await;
    let second = mirror
        .until("the second turn", |m| match m.turns_of(&session).as_slice() {
            [first, second] if first["state"] == "stopped" => Some((*second).clone()),
            _ => None,
        })
        .await?;
    assert_eq!(second["state"], "running");

    // The same words again are the same message, also while its own turn runs.
    let again = server.call("send_message", interrupt).await?;
    assert_eq!(again["admissionId"], accepted["admissionId"]);
    assert_eq!(again["turnId"], second["turnId"]);
    lab.release();
    mirror.until("the second answer", |m| m.rests(&session).then_some(())).await?;
    mirror.catch_up().await?;
    assert_eq!(mirror.said(&session).last(), Some(&"About the second."));
    let failed = mirror.of_kind(&session, "failed_turn");
    assert_eq!(failed.len(), 1, "{failed:#?}");
    assert_eq!(failed[0]["failure"]["code"], "stopped");
    let states: Vec<_> = mirror.turns_of(&session).iter().map(|turn| turn["state"].clone()).collect();
    assert_eq!(states, ["stopped", "done"]);

    let row = mirror.processes.values().next().cloned().ok_or("no process")?;
    assert_eq!(row["state"], "running", "{row}");
    assert!(os::lives(u32::try_from(row["pid"].as_u64().ok_or("no pid")?)?));
    gate.open(1)?;
    mirror.reported(&session, 1).await?;
    assert_eq!(
        (&mirror.units(&session)[0]["state"], &mirror.units(&session)[0]["exitCode"]),
        (&json!("exited"), &json!(6))
    );
    assert_eq!(lab.requests().len(), 4);
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_steer_joins_the_running_turn() -> Result {
    let work = call("call_1", "terminal", json!({"command": "echo worked"})).ending(End::Hang);
    let scene = Scene::set_up(|_| [work, say("The other way, then.")]).await?;
    let Scene { lab, server, session, mut mirror, .. } = scene;
    server.send(&session, "work").await?;
    lab.wait_for_request(1).await;
    let steer = json!({"sessionId": session, "text": "the other way", "mode": "steer", "clientKey": "once"});
    let accepted = server.call("send_message", steer.clone()).await?;
    assert_eq!(server.call("send_message", steer).await?, accepted, "the same key is the same message");
    lab.release();
    mirror.until("the answer", |m| (!m.said(&session).is_empty() && m.rests(&session)).then_some(())).await?;
    mirror.catch_up().await?;

    let turns = mirror.turns_of(&session);
    assert_eq!(turns.len(), 1, "{turns:#?}");
    let steers = mirror.of_kind(&session, "steer");
    assert_eq!(steers.len(), 1, "{steers:#?}");
    assert_eq!((&steers[0]["author"], &steers[0]["text"]), (&json!("human"), &json!("the other way")));
    assert_eq!(steers[0]["turnId"], turns[0]["turnId"]);
    let requests = lab.requests();
    assert_eq!(requests.len(), 2);
    let messages = strict::messages(&requests[1].body);
    let [.., result, joined] = messages else { return Err("too few messages".into()) };
    assert_eq!((&result["role"], &result["tool_call_id"]), (&json!("tool"), &json!("call_1")));
    assert!(result["content"].as_str().is_some_and(|text| text.contains("worked")), "{result}");
    assert_eq!(joined["role"], "user");
    assert!(joined["content"].as_str().is_some_and(|text| text.contains("the other way")), "{joined}");
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_steer_that_comes_too_late_is_a_turn_of_its_own() -> Result {
    let lab = Scripted::start([say("The last words.").ending(End::Hang), say("Now this way.")]).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "work").await?;
    lab.wait_for_request(1).await;
    server.call("send_message", json!({"sessionId": session, "text": "this way", "mode": "steer"})).await?;
    lab.release();
    mirror.until("both answers", |m| (m.said(&session).len() == 2 && m.rests(&session)).then_some(())).await?;
    mirror.catch_up().await?;
    assert_eq!(mirror.said(&session), ["The last words.", "Now this way."]);
    let states: Vec<_> = mirror.turns_of(&session).iter().map(|turn| turn["state"].clone()).collect();
    assert_eq!(states, ["done", "done"]);
    assert!(mirror.of_kind(&session, "steer").is_empty());
    let requests = lab.requests();
    assert_eq!(requests.len(), 2);
    assert!(strict::last_text(&requests[1].body).contains("this way"));
    strict::check_all(&lab)
}

#[tokio::test]
async fn words_that_are_to_be_heard_move_a_command_in_the_foreground_to_the_background() -> Result {
    for mode in ["steer", "interrupt"] {
        let says = ["The other way, then.", "Noted."];
        let scene = working(|wait| format!("echo begun; {wait}; exit 6"), &says).await?;
        let Scene { gate, lab, server, session, mut mirror } = scene;
        let began = |m: &Mirror| m.processes.values().find(|p| p["outputBytes"] != 0).map(|_| ());
        mirror.until("its first words", began).await?;
        server.call("send_message", json!({"sessionId": session, "text": "the other way", "mode": mode})).await?;
        mirror.until("the answer", |m| (!m.said(&session).is_empty() && m.rests(&session)).then_some(())).await?;
        let row = mirror.processes.values().next().cloned().ok_or("no process")?;
        assert_eq!((&row["state"], &row["notify"]), (&json!("running"), &json!(true)), "{mode}: {row}");
        assert!(os::lives(u32::try_from(row["pid"].as_u64().ok_or("no pid")?)?), "{mode}: {row}");
        let card = mirror.card(&session, "call_1").cloned().ok_or("no card")?;
        assert_eq!((&card["status"], &card["background"]), (&json!("in_progress"), &json!(true)), "{mode}: {card}");
        assert!(card["details"].as_str().is_some_and(|told| told.contains("Moved to the background")), "{card}");
        let states: Vec<_> = mirror.turns_of(&session).iter().map(|turn| turn["state"].clone()).collect();
        assert_eq!(states, if mode == "steer" { vec!["done"] } else { vec!["stopped", "done"] });
        let told = strict::result_of(&lab.requests()[1].body, "call_1").ok_or("no result")?;
        let told: Value = serde_json::from_str(&told)?;
        assert_eq!((&told["status"], &told["process_id"]), (&json!("yielded_to_background"), &row["processId"]));
        assert!(told["output"].as_str().is_some_and(|output| output.contains("begun")), "{told}");

        gate.open(1)?;
        mirror.reported(&session, 1).await?;
        mirror.catch_up().await?;
        assert_eq!(mirror.units(&session)[0]["exitCode"], 6);
        let card = mirror.card(&session, "call_1").cloned().ok_or("no card")?;
        assert_eq!((&card["status"], &card["exitCode"]), (&json!("error"), &json!(6)), "{card}");
        assert_eq!(mirror.said(&session), ["The other way, then.", "Noted."]);
        strict::check_all(&lab)?;
    }
    Ok(())
}

#[tokio::test]
async fn a_message_that_waits_behind_a_turn_leaves_its_command_in_the_foreground() -> Result {
    let scene = working(|wait| format!("{wait}; exit 6"), &["It failed.", "Then this."]).await?;
    let Scene { gate, lab, server, session, mut mirror } = scene;
    server.call("send_message", json!({"sessionId": session, "text": "then this", "mode": "queue"})).await?;
    gate.open(1)?;
    mirror.until("both answers", |m| (m.said(&session).len() == 2 && m.rests(&session)).then_some(())).await?;
    let told = strict::result_of(&lab.requests()[1].body, "call_1").ok_or("no result")?;
    assert_eq!(serde_json::from_str::<Value>(&told)?["exit_code"], 6);
    assert!(mirror.units(&session).is_empty(), "the call told the end");
    strict::check_all(&lab)
}

/// Starts a job, waits for it, waits once more if the first wait was cut short, and then answers what was said last.
fn waiter(command: String) -> Script {
    Script::responder(move |body: &Value| {
        let told = |id: &str| strict::result_of(body, id).and_then(|told| serde_json::from_str::<Value>(&told).ok());
        let wait = |id: &str, started: &Value| {
            call(id, "process", json!({"action": "wait", "process_id": started["process_id"]}))
        };
        let last = strict::messages(body).last().cloned().unwrap_or_default();
        match (told("start"), told("wait"), told("again")) {
            (None, _, _) => call("start", "terminal", json!({"command": command, "background": true})),
            // What the model says takes its time, and is heard only when the test says so.
            (Some(started), None, _) => wait("wait", &started).ending(End::Hang),
            (Some(started), Some(_), None) if last["role"] == "tool" => wait("again", &started),
            _ if last["role"] == "tool" => say("It ended."),
            _ => say(&format!("I hear: {}", strict::last_text(body).lines().next().unwrap_or_default())),
        }
    })
}

/// A turn that waits for a job, or is just about to.
async fn waiting() -> Result<Scene> {
    let scene = Scene::set_up(|wait| waiter(format!("{wait}; exit 6"))).await?;
    scene.server.send(&scene.session, "work").await?;
    scene.lab.wait_for_request(2).await;
    Ok(scene)
}

/// The job lives, and its own end is told.
async fn job_is_told(scene: &mut Scene) -> Result {
    job_lives(scene)?;
    scene.gate.open(1)?;
    scene.mirror.reported(&scene.session, 1).await?;
    assert_eq!(scene.mirror.units(&scene.session)[0]["exitCode"], 6);
    Ok(())
}

fn job_lives(scene: &Scene) -> Result {
    let row = scene.mirror.processes.values().next().ok_or("no process")?;
    assert_eq!((&row["state"], row.get("stoppedBy")), (&json!("running"), None), "{row}");
    assert!(os::lives(u32::try_from(row["pid"].as_u64().ok_or("no pid")?)?), "{row}");
    Ok(())
}

#[tokio::test]
async fn a_message_that_waits_ends_a_wait_once_and_not_its_job() -> Result {
    let mut scene = waiting().await?;
    scene.lab.release();
    scene.begun("wait").await?;
    scene.say("queue", "how far is it?").await?;
    // The model insists; the same message does not end its second wait too.
    scene.begun("again").await?;
    let told = scene.told("wait")?;
    assert_eq!((&told["status"], &told["process_running"]), (&json!("interrupted"), &json!(true)), "{told}");
    let note = told["note"].as_str().unwrap_or_default();
    assert!(note.contains("when this turn is over") && note.contains("reported to this conversation"), "{note}");
    let card = scene.mirror.card(&scene.session, "wait").cloned().ok_or("no card")?;
    assert_eq!((&card["status"], card.get("annotation")), (&json!("complete"), None), "{card}");
    job_lives(&scene)?;
    scene.gate.open(1)?;
    scene.answered("I hear: how far is it?").await?;
    let told = scene.told("again")?;
    assert_eq!((&told["status"], &told["exit_code"]), (&json!("exited"), &json!(6)), "{told}");
    assert_eq!(scene.mirror.said(&scene.session), ["It ended.", "I hear: how far is it?"]);
    assert!(scene.mirror.units(&scene.session).is_empty(), "the second wait told the end");
    strict::check_all(&scene.lab)
}

#[tokio::test]
async fn words_into_a_turn_end_its_wait_and_not_its_job() -> Result {
    // Said while the turn waits, and said before it begins to.
    for early in [false, true] {
        let mut scene = waiting().await?;
        if early {
            scene.say("steer", "leave it").await?;
            scene.lab.release();
        } else {
            scene.lab.release();
            scene.begun("wait").await?;
            scene.say("steer", "leave it").await?;
        }
        scene.answered("I hear: leave it").await?;
        let told = scene.told("wait")?;
        assert_eq!((&told["status"], &told["process_running"]), (&json!("interrupted"), &json!(true)), "{told}");
        assert!(told["note"].as_str().is_some_and(|note| note.contains("follow")), "{told}");
        assert_eq!(scene.mirror.turns_of(&scene.session).len(), 1, "it is one turn");
        scene.mirror.catch_up().await?;
        job_is_told(&mut scene).await?;
        strict::check_all(&scene.lab)?;
    }
    Ok(())
}

#[tokio::test]
async fn a_message_that_ends_the_turn_ends_its_wait_and_not_its_job() -> Result {
    let mut scene = waiting().await?;
    scene.lab.release();
    scene.begun("wait").await?;
    scene.say("interrupt", "something else").await?;
    scene.answered("I hear: something else").await?;
    assert_eq!(scene.told("wait")?["status"], "interrupted");
    let states: Vec<_> = scene.mirror.turns_of(&scene.session).iter().map(|turn| turn["state"].clone()).collect();
    assert_eq!(states, ["stopped", "done"]);
    scene.mirror.catch_up().await?;
    job_is_told(&mut scene).await?;
    strict::check_all(&scene.lab)
}
