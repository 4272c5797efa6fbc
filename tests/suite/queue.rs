//! Messages that wait: changed, sorted, taken back, held back by a stop, heard at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gatehouse_provider::scripted::{End, Script, Scripted, say};
use gatehouse_tests::{Gate, House, Mirror, Result, Rpc, Server, Setup, strict};
use serde_json::{Value, json};

/// Repeats the last words, and takes its time over those that begin with `slow`.
async fn echo() -> Result<Scripted> {
    let respond = |body: &Value| {
        let text = strict::last_text(body).lines().next().unwrap_or_default().to_owned();
        if text.starts_with("slow") { say(&text).ending(End::Hang) } else { say(&text) }
    };
    Ok(Scripted::start(Script::responder(respond)).await?)
}

struct Scene {
    lab: Scripted,
    server: Server,
    session: String,
    mirror: Mirror,
}

/// A turn that does not end, and what waits behind it.
async fn busy(waiting: &[&str]) -> Result<(Scene, Vec<String>)> {
    let lab = echo().await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mirror = Mirror::attach(&*server, "window");
    server.send(&session, "slow start").await?;
    lab.wait_for_request(1).await;
    let mut ids = Vec::new();
    for text in waiting {
        let sent = server.send(&session, text).await?;
        ids.push(sent["admissionId"].as_str().unwrap_or_default().to_owned());
    }
    Ok((Scene { lab, server, session, mirror }, ids))
}

fn queued(mirror: &Mirror, session: &str) -> Vec<String> {
    let waiting = mirror.sessions.get(session).and_then(|row| row["queued"].as_array());
    waiting.into_iter().flatten().filter_map(|q| q["text"].as_str().map(str::to_owned)).collect()
}

fn paused(mirror: &Mirror, session: &str) -> bool {
    mirror.sessions.get(session).is_some_and(|row| row["queuePaused"] == true)
}

async fn call(rpc: &Rpc, command: &str, id: &str, more: Value) -> Result<(), String> {
    let mut params = json!({ "admissionId": id });
    if let (Some(params), Value::Object(more)) = (params.as_object_mut(), more) {
        params.extend(more);
    }
    rpc.call(command, params).await.map(|_| ()).map_err(|refusal| refusal.code)
}

/// What people said, in the order in which it was heard.
fn heard<'m>(mirror: &'m Mirror, session: &str) -> Vec<&'m str> {
    let human = mirror.transcript(session).into_iter().filter(|item| item["author"] == "human");
    human.filter_map(|item| item["text"].as_str()).collect()
}

impl Scene {
    async fn until_heard(&mut self, expected: &[&str]) -> Result {
        let session = self.session.clone();
        let all = |m: &Mirror| heard(m, &session) == expected && m.rests(&session);
        self.mirror.until("everything to be heard", |m| all(m).then_some(())).await
    }
}

#[tokio::test]
async fn words_into_a_turn_that_is_not_there_begin_one() -> Result {
    let lab = echo().await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    for mode in ["steer", "interrupt"] {
        let sent = server.call("send_message", json!({"sessionId": session, "text": mode, "mode": mode})).await?;
        assert!(sent["turnId"].is_string(), "{mode}: {sent}");
        mirror.until(mode, |m| (m.said(&session).last() == Some(&mode) && m.rests(&session)).then_some(())).await?;
    }
    assert_eq!(heard(&mirror, &session), ["steer", "interrupt"]);
    let states: Vec<_> = mirror.turns_of(&session).iter().map(|turn| turn["state"].clone()).collect();
    assert_eq!(states, ["done", "done"]);
    strict::check_all(&lab)
}

#[tokio::test]
async fn what_waits_can_be_changed_sorted_and_taken_back() -> Result {
    let (mut scene, ids) = busy(&["one", "two", "three"]).await?;
    let Scene { server, session, mirror, .. } = &mut scene;
    call(server, "move_queued", &ids[2], json!({ "before": ids[0] })).await?;
    call(server, "edit_queued", &ids[0], json!({ "text": "uno" })).await?;
    mirror.catch_up().await?;
    assert_eq!(queued(mirror, session), ["three", "uno", "two"]);
    call(server, "remove_queued", &ids[1], json!({})).await?;
    call(server, "move_queued", &ids[2], json!({})).await?;
    mirror.catch_up().await?;
    assert_eq!(queued(mirror, session), ["uno", "three"]);
    assert_eq!(call(server, "edit_queued", &ids[0], json!({ "text": " " })).await, Err("invalid_request".into()));
    for (command, more) in [
        ("remove_queued", json!({})),
        ("edit_queued", json!({ "text": "x" })),
        ("move_queued", json!({})),
        ("send_queued_now", json!({})),
    ] {
        assert_eq!(call(server, command, &ids[1], more).await, Err("not_found".into()), "{command}");
    }
    scene.lab.release();
    scene.until_heard(&["slow start", "uno", "three"]).await?;
    assert_eq!(call(&scene.server, "edit_queued", &ids[0], json!({ "text": "x" })).await, Err("not_found".into()));
    strict::check_all(&scene.lab)
}

#[tokio::test]
async fn the_same_hand_in_is_the_same_message_also_after_it_was_reworded() -> Result {
    let (mut scene, _) = busy(&[]).await?;
    let send = json!({ "sessionId": scene.session, "text": "first words", "clientKey": "k" });
    let sent = scene.server.call("send_message", send.clone()).await?;
    let id = sent["admissionId"].as_str().unwrap_or_default();
    call(&scene.server, "edit_queued", id, json!({ "text": "better words" })).await?;
    assert_eq!(scene.server.call("send_message", send).await?["admissionId"], sent["admissionId"]);
    scene.lab.release();
    scene.until_heard(&["slow start", "better words"]).await
}

#[tokio::test]
async fn a_stop_holds_the_queue_back_until_somebody_goes_on() -> Result {
    let (mut scene, _) = busy(&["one", "two"]).await?;
    scene.server.call("stop_turn", json!({ "sessionId": scene.session })).await?;
    let session = scene.session.clone();
    scene.mirror.until("the stop", |m| m.rests(&session).then_some(())).await?;
    assert!(paused(&scene.mirror, &session));
    assert_eq!(queued(&scene.mirror, &session), ["one", "two"]);
    scene.server.term().await?;
    scene.server.restart().await?;
    scene.mirror.move_to(&*scene.server);
    scene.mirror.catch_up().await?;
    assert!(paused(&scene.mirror, &session), "a restart keeps it");
    assert_eq!(heard(&scene.mirror, &session), ["slow start"]);
    scene.server.call("resume_queue", json!({ "sessionId": session })).await?;
    scene.until_heard(&["slow start", "one", "two"]).await?;
    assert!(!paused(&scene.mirror, &session));
    strict::check_all(&scene.lab)
}

#[tokio::test]
async fn a_new_message_ends_the_pause_and_is_heard_last() -> Result {
    let (mut scene, _) = busy(&["one", "two"]).await?;
    scene.server.call("stop_turn", json!({ "sessionId": scene.session })).await?;
    scene.server.send(&scene.session, "three").await?;
    scene.until_heard(&["slow start", "one", "two", "three"]).await?;
    assert!(!paused(&scene.mirror, &scene.session));
    strict::check_all(&scene.lab)
}

#[tokio::test]
async fn a_stop_of_a_turn_with_nothing_behind_it_pauses_nothing() -> Result {
    let (mut scene, ids) = busy(&["one"]).await?;
    call(&scene.server, "remove_queued", &ids[0], json!({})).await?;
    scene.server.call("stop_turn", json!({ "sessionId": scene.session })).await?;
    scene.mirror.catch_up().await?;
    assert!(!paused(&scene.mirror, &scene.session));
    scene.server.send(&scene.session, "next").await?;
    scene.until_heard(&["slow start", "next"]).await
}

#[tokio::test]
async fn one_message_of_a_paused_queue_can_go_alone() -> Result {
    let (mut scene, ids) = busy(&["one", "two"]).await?;
    scene.server.call("stop_turn", json!({ "sessionId": scene.session })).await?;
    call(&scene.server, "send_queued_now", &ids[1], json!({})).await?;
    scene.until_heard(&["slow start", "two"]).await?;
    assert!(paused(&scene.mirror, &scene.session));
    assert_eq!(queued(&scene.mirror, &scene.session), ["one"]);
    call(&scene.server, "remove_queued", &ids[0], json!({})).await?;
    scene.mirror.catch_up().await?;
    assert!(!paused(&scene.mirror, &scene.session), "nothing is left to hold back");
    Ok(())
}

#[tokio::test]
async fn a_message_sent_now_is_first_when_the_turn_ends_without_it() -> Result {
    let (mut scene, ids) = busy(&["one", "two"]).await?;
    call(&scene.server, "send_queued_now", &ids[1], json!({})).await?;
    scene.lab.release();
    scene.until_heard(&["slow start", "two", "one"]).await?;
    strict::check_all(&scene.lab)
}

#[tokio::test]
async fn reports_pass_a_paused_queue() -> Result {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let lab = echo().await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.bang(&session, &format!("{}; exit 3", gate.wait())).await?;
    server.send(&session, "slow start").await?;
    lab.wait_for_request(1).await;
    server.send(&session, "later").await?;
    server.call("stop_turn", json!({ "sessionId": session })).await?;
    gate.open(1)?;
    mirror.reported(&session, 1).await?;
    mirror.until("its turn", |m| (m.turns_of(&session).len() == 2 && m.rests(&session)).then_some(())).await?;
    assert!(paused(&mirror, &session));
    assert_eq!(queued(&mirror, &session), ["later"]);
    server.call("resume_queue", json!({ "sessionId": session })).await?;
    mirror.until("the rest", |m| (m.turns_of(&session).len() == 3 && m.rests(&session)).then_some(())).await?;
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_message_sent_now_into_a_report_is_heard_though_the_queue_is_paused() -> Result {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let asked = AtomicUsize::new(0);
    let respond = move |_: &Value| match asked.fetch_add(1, Ordering::Relaxed) {
        at @ 0..2 => say(&format!("Answer {at}.")).ending(End::Hang),
        at => say(&format!("Answer {at}.")),
    };
    let lab = Scripted::start(Script::responder(respond)).await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.bang(&session, &format!("{}; exit 3", gate.wait())).await?;
    server.send(&session, "start").await?;
    lab.wait_for_request(1).await;
    let mut ids = Vec::new();
    for text in ["one", "two"] {
        ids.push(server.send(&session, text).await?["admissionId"].as_str().unwrap_or_default().to_owned());
    }
    server.call("stop_turn", json!({ "sessionId": session })).await?;
    gate.open(1)?;
    lab.wait_for_request(2).await;
    call(&server, "send_queued_now", &ids[1], json!({})).await?;
    lab.release();
    mirror
        .until("it to be heard", |m| (heard(m, &session).contains(&"two") && m.rests(&session)).then_some(()))
        .await?;
    mirror.catch_up().await?;
    assert_eq!(queued(&mirror, &session), ["one"]);
    assert!(paused(&mirror, &session));
    strict::check_all(&lab)
}

#[tokio::test]
async fn words_that_are_refused_cut_no_turn_short() -> Result {
    let waiting: Vec<String> = (0..32).map(|n| format!("message {n}")).collect();
    let (mut scene, _) = busy(&waiting.iter().map(String::as_str).collect::<Vec<_>>()).await?;
    let Scene { lab, server, session, mirror } = &mut scene;
    let words = json!({"sessionId": session, "text": "one too many", "mode": "interrupt"});
    assert_eq!(server.call("send_message", words).await.unwrap_err().code, "queue_full");
    lab.release();
    let first = |m: &Mirror| m.said(session).first().is_some_and(|said| *said == "slow start").then_some(());
    mirror.until("the answer that was on its way", first).await?;
    assert_eq!(mirror.turns_of(session)[0]["state"], "done");
    Ok(())
}

#[tokio::test]
async fn what_is_to_be_tried_again_stays_before_a_person_s_line() -> Result {
    let (mut scene, _) = busy(&[]).await?;
    let Scene { lab, server, session, mirror } = &mut scene;
    server.call("stop_turn", json!({"sessionId": session})).await?;
    mirror.until("the stop", |m| m.rests(session).then_some(())).await?;
    let stopped = mirror.turns_of(session)[0]["turnId"].clone();
    server.send(session, "slow again").await?;
    lab.wait_for_request(2).await;
    server.call("retry_turn", json!({"turnId": stopped})).await?;
    let next = server.begin_anew(session).await?;
    mirror.until("the end", |m| (m.turns_of(session).len() == 2 && m.rests(session)).then_some(())).await?;
    server.send(&next, "and here?").await?;
    mirror.until("an answer", |m| (m.said(&next) == ["and here?"] && m.rests(&next)).then_some(())).await?;
    mirror.catch_up().await?;
    assert_eq!((mirror.turns_of(session).len(), lab.requests().len()), (2, 3), "nothing begins behind the line");
    strict::check_all(lab)
}
