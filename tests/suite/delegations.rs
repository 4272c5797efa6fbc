//! Work that an agent hands on to sub-agents: it runs beside the conversation, and its result enters that once.

mod crashes; // the server killed while tasks are at work
mod lines; // stops, new beginnings, and who is told then
mod work; // what a sub-agent is and may do

use gatehouse_provider::scripted::{Answer, End, Script, Scripted, call, response, say};
use gatehouse_tests::{Mirror, Result, Scene, Server, Setup, strict};
use gatehouse_text::note::FOOTER;
use serde_json::{Value, json};

fn is_sub_agent(body: &Value) -> bool {
    strict::messages(body)[0]["content"].as_str().is_some_and(|words| words.starts_with("You are a sub-agent"))
}

/// A model that hands on what a person says, if that is a list of goals, and that does what a goal says.
fn answer(body: &Value) -> Answer {
    if is_sub_agent(body) {
        return work(body);
    }
    let messages = strict::messages(body);
    let text = strict::last_text(body);
    let goals: Option<Vec<String>> = serde_json::from_str(text).ok();
    match (messages.last().map(|last| &last["role"]), goals) {
        (Some(role), _) if *role == "tool" => say("Handed on."),
        (_, Some(goals)) => {
            let tasks: Vec<Value> = goals.into_iter().map(|goal| json!({ "goal": goal })).collect();
            call(&format!("call_{}", messages.len()), "delegate", json!({ "tasks": tasks }))
        }
        _ if text.contains("hang here") => say("Busy.").ending(End::Hang),
        _ if text.ends_with(FOOTER) => say("Noted."),
        _ => say("Hello."),
    }
}

/// Does what the first message says.
fn work(body: &Value) -> Answer {
    let messages = strict::messages(body);
    if messages.last().is_some_and(|last| last["role"] == "tool") {
        return say("Result: it ran.");
    }
    let goal = messages[1]["content"].as_str().unwrap_or_default();
    match goal.split_once(": ") {
        Some(("say", words)) => say(words),
        Some(("hang", words)) => say(words).ending(End::Hang),
        Some(("run", command)) => call("work_1", "terminal", json!({ "command": command })),
        Some(("leave", command)) => call("work_1", "terminal", json!({ "command": command, "background": true })),
        Some(("quietly", command)) => {
            let quiet = json!({ "command": command, "background": true, "notify_on_complete": false });
            call("work_1", "terminal", quiet)
        }
        Some(("delegate", goal)) => call("work_1", "delegate", json!({ "tasks": [{ "goal": goal }] })),
        _ => response(400, "application/json", r#"{"error":{"message":"no such goal"}}"#),
    }
}

/// A conversation whose agent hands work on.
async fn set_up() -> Result<Scene> {
    Scene::set_up(|_| Script::responder(answer)).await
}

/// Says these goals to the agent, which hands them on.
async fn hand_on(server: &Server, session: &str, goals: &[&str]) -> Result {
    server.send(session, &json!(goals).to_string()).await?;
    Ok(())
}

/// Every task that was handed on in a session, in order.
fn tasks<'m>(mirror: &'m Mirror, session: &str) -> Vec<&'m Value> {
    let delegations = mirror.of_kind(session, "delegation");
    delegations.into_iter().flat_map(|item| item["tasks"].as_array().into_iter().flatten()).collect()
}

/// How they stand.
fn states(mirror: &Mirror, session: &str) -> Vec<String> {
    tasks(mirror, session).iter().map(|task| task["state"].as_str().unwrap_or_default().to_owned()).collect()
}

fn worker(mirror: &Mirror, session: &str, number: usize) -> Result<String> {
    let task = tasks(mirror, session).get(number).copied().ok_or("no such task")?;
    Ok(task["sessionId"].as_str().ok_or("a task without a session")?.to_owned())
}

/// Waits until so many tasks stand there.
async fn handed_on(mirror: &mut Mirror, session: &str, count: usize) -> Result {
    mirror.until("the tasks", |m| (tasks(m, session).len() == count).then_some(())).await
}

/// Waits until nothing is at work in a session, and so many reports have been told there.
async fn told(mirror: &mut Mirror, session: &str, reports: usize) -> Result {
    mirror.reported(session, reports).await?;
    mirror.catch_up().await
}

/// How many messages of the model there are, whole ones or not.
fn begun(mirror: &Mirror, session: &str) -> usize {
    mirror.of_kind(session, "message").iter().filter(|item| item["author"] == "model").count()
}

/// Waits until there are so many.
async fn until_begun(mirror: &mut Mirror, session: &str, count: usize) -> Result {
    mirror.until("the first words", |m| (begun(m, session) == count).then_some(())).await
}

/// Waits until the agent has said that it handed something on, and rests.
async fn answered(mirror: &mut Mirror, session: &str) -> Result {
    mirror.until("the answer", |m| (m.said(session) == ["Handed on."] && m.rests(session)).then_some(())).await
}

fn producers(mirror: &Mirror, session: &str) -> Vec<String> {
    mirror.units(session).iter().map(|unit| unit["producer"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn tasks_run_beside_the_conversation_and_their_result_enters_it_once() -> Result {
    let Scene { lab, server, session, mut mirror, .. } = set_up().await?;
    hand_on(&server, &session, &["say: There are 3.", "run: echo counted"]).await?;
    told(&mut mirror, &session, 1).await?;

    assert_eq!(states(&mirror, &session), ["completed", "completed"]);
    let handed = tasks(&mirror, &session);
    assert_eq!((&handed[0]["said"], &handed[1]["said"]), (&json!("There are 3."), &json!("Result: it ran.")));
    let delegation = mirror.of_kind(&session, "delegation")[0];
    assert_eq!(delegation["author"], "machine");
    let unit = mirror.units(&session)[0];
    assert_eq!((&unit["producer"], &unit["state"]), (&json!("delegation"), &json!("completed")));
    assert_eq!((&unit["delegationId"], &unit["turnNumber"]), (&delegation["itemId"], &json!(1)));
    assert!(unit["outputTail"].as_str().is_some_and(|text| text.contains("There are 3.") && text.contains("it ran")));
    let turns: Vec<_> = mirror.turns_of(&session).iter().map(|turn| turn["cause"].clone()).collect();
    assert_eq!(turns, ["human", "completion"], "one note, one turn");
    assert_eq!(mirror.said(&session), ["Handed on.", "Noted."]);
    assert_eq!(mirror.card(&session, "call_2").ok_or("no card")?["status"], "complete");

    let (child, quiet) = (worker(&mirror, &session, 1)?, worker(&mirror, &session, 0)?);
    assert_eq!(mirror.sessions[&child]["delegatedFrom"], json!(session));
    assert_eq!(mirror.turns_of(&child)[0]["cause"], "delegation");
    let words = mirror.of_kind(&child, "delegation");
    assert_eq!((&words[0]["author"], &words[0]["text"]), (&json!("model"), &json!("run: echo counted")));
    assert_eq!(mirror.card(&child, "work_1").ok_or("no card")?["output"].as_str().map(str::trim_end), Some("counted"));
    assert_eq!(mirror.said(&quiet), ["There are 3."]);
    let note = lab.requests().into_iter().map(|r| r.body).find(|body| strict::last_text(body).ends_with(FOOTER));
    let note = note.ok_or("nobody was told")?;
    assert!(strict::last_text(&note).contains("<output>\nThere are 3.\n</output>"), "{}", strict::last_text(&note));
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_failure_is_told_while_the_others_work_and_does_not_settle_the_result() -> Result {
    let Scene { gate, lab, server, session, mut mirror } = set_up().await?;
    let waits = format!("run: {}", gate.wait());
    hand_on(&server, &session, &["fail", &waits]).await?;
    told(&mut mirror, &session, 1).await?;
    assert_eq!(
        (producers(&mirror, &session), states(&mirror, &session)),
        (vec!["task_failure".into()], vec!["error".to_owned(), "running".into()])
    );
    let early = mirror.units(&session)[0].clone();
    assert_eq!((&early["number"], &early["state"], &early["command"]), (&json!(1), &json!("error"), &json!("fail")));
    gate.open(1)?;
    told(&mut mirror, &session, 2).await?;
    assert_eq!(producers(&mirror, &session), ["task_failure", "delegation"]);
    assert_eq!(states(&mirror, &session), ["error", "completed"]);
    let whole = mirror.units(&session)[1].clone();
    assert_eq!((&whole["state"], &whole["delegationId"]), (&json!("error"), &early["delegationId"]));
    let text = whole["outputTail"].as_str().unwrap_or_default();
    assert!(text.contains("no such goal") && text.contains("Result: it ran."), "{text}");
    assert_eq!(mirror.of_kind(&session, "machine_note").len(), 2, "interim and final are never in one note");
    assert_eq!(mirror.said(&session), ["Handed on.", "Noted.", "Noted."]);
    strict::check_all(&lab)
}

#[tokio::test]
async fn results_that_wait_behind_a_note_go_together() -> Result {
    let Scene { gate, lab, server, session, mut mirror } = set_up().await?;
    let waits = format!("run: {}", gate.wait());
    for count in 1..=4 {
        hand_on(&server, &session, &[&waits]).await?;
        handed_on(&mut mirror, &session, count).await?;
    }
    mirror.until("the answers", |m| (m.said(&session).len() == 4 && m.rests(&session)).then_some(())).await?;
    server.bang(&session, "echo hang here").await?;
    until_begun(&mut mirror, &session, 5).await?;
    gate.open(4)?;
    let ended = |m: &Mirror| states(m, &session).iter().all(|state| state == "completed").then_some(());
    mirror.until("every task's end", ended).await?;
    lab.release();
    told(&mut mirror, &session, 5).await?;
    let notes: Vec<_> = mirror.of_kind(&session, "machine_note");
    assert_eq!(notes.iter().map(|note| note["units"].as_array().map(Vec::len)).collect::<Vec<_>>(), [Some(1), Some(4)]);
    assert_eq!(mirror.said(&session).last(), Some(&"Noted."), "one answer to all four");
    strict::check_all(&lab)
}
