use super::*;

#[tokio::test]
async fn what_a_sub_agent_leaves_running_is_reported_to_the_conversation_it_worked_for() -> Result {
    let Scene { gate, lab, server, session, mut mirror } = set_up().await?;
    hand_on(&server, &session, &[&format!("leave: {}; echo late; exit 4", gate.wait())]).await?;
    told(&mut mirror, &session, 1).await?;
    let child = worker(&mirror, &session, 0)?;
    gate.open(1)?;
    told(&mut mirror, &session, 2).await?;
    assert_eq!(producers(&mirror, &session), ["delegation", "process"]);
    let late = mirror.units(&session)[1];
    assert_eq!((&late["exitCode"], late["outputTail"].as_str().map(str::trim_end)), (&json!(4), Some("late")));
    assert!(
        mirror.of_kind(&child, "machine_note").is_empty() && mirror.turns_of(&child).len() == 1,
        "its task is over"
    );
    assert_eq!(server.incidents().await?, Vec::<Value>::new());
    strict::check_all(&lab)
}

#[tokio::test]
async fn while_a_sub_agent_works_its_commands_wake_nobody_else() -> Result {
    let model = Script::responder(|body: &Value| {
        let results = strict::messages(body).iter().filter(|message| message["role"] == "tool").count();
        match (is_sub_agent(body), results) {
            (true, 0) => call("work_1", "terminal", json!({ "command": "echo noise", "background": true })),
            (true, 1) => {
                let wait = strict::messages(body)[1]["content"].as_str().unwrap_or_default();
                call("work_2", "terminal", json!({ "command": wait }))
            }
            (true, _) => say("Result: it ran."),
            (false, _) => answer(body),
        }
    });
    let Scene { gate, lab, server, session, mut mirror } = Scene::set_up(|_| model).await?;
    hand_on(&server, &session, &[&gate.wait()]).await?;
    handed_on(&mut mirror, &session, 1).await?;
    let child = worker(&mirror, &session, 0)?;
    let noise = |m: &Mirror| m.processes.values().any(|p| p["command"] == "echo noise" && p["state"] == "exited");
    mirror.until("the noise", |m| (noise(m) && m.card(&child, "work_2").is_some()).then_some(())).await?;
    assert!(mirror.units(&session).is_empty() && mirror.turns_of(&session).len() == 1);
    gate.open(1)?;
    told(&mut mirror, &session, 2).await?;
    let mut kinds = producers(&mirror, &session);
    kinds.sort();
    assert_eq!(kinds, ["delegation", "process"], "nothing that was asked for is lost");
    strict::check_all(&lab)
}

#[tokio::test]
async fn what_only_a_person_reads_stays_in_the_transcript_of_the_sub_agent() -> Result {
    let Scene { lab, server, session, mut mirror, .. } = set_up().await?;
    hand_on(&server, &session, &["quietly: exit 7"]).await?;
    told(&mut mirror, &session, 1).await?;
    let child = worker(&mirror, &session, 0)?;
    let line = |m: &Mirror| m.of_kind(&child, "notice").first().map(|item| item["text"].to_string());
    let line = mirror.until("the line", line).await?;
    assert!(line.contains("exited with code 7"), "{line}");
    assert!(mirror.of_kind(&session, "notice").is_empty() && producers(&mirror, &session) == ["delegation"]);
    strict::check_all(&lab)
}

#[tokio::test]
async fn at_most_four_work_for_a_conversation_at_a_time() -> Result {
    let Scene { gate, lab, server, session, mut mirror } = set_up().await?;
    let waits = format!("run: {}", gate.wait());
    hand_on(&server, &session, &[&waits, &waits, &waits]).await?;
    mirror.until("the answer", |m| (m.said(&session) == ["Handed on."]).then_some(())).await?;
    hand_on(&server, &session, &[&waits, &waits]).await?;
    mirror.until("the second answer", |m| (m.said(&session).len() == 2).then_some(())).await?;
    let card = mirror.card(&session, "call_6").ok_or("no card")?;
    assert_eq!(card["status"], "error");
    assert!(card["output"].as_str().is_some_and(|words| words.contains("3 sub-agents are at work")), "{card}");
    assert_eq!((tasks(&mirror, &session).len(), &mirror.sessions[&session]["runningTasks"]), (3, &json!(3)));
    gate.open(3)?;
    told(&mut mirror, &session, 1).await?;
    assert_eq!(mirror.sessions[&session].get("runningTasks"), None);
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_sub_agent_hands_nothing_on_and_hears_no_person() -> Result {
    let Scene { lab, server, session, mut mirror, .. } = set_up().await?;
    hand_on(&server, &session, &["delegate: say: deeper"]).await?;
    told(&mut mirror, &session, 1).await?;
    let child = worker(&mirror, &session, 0)?;
    assert!(tasks(&mirror, &child).is_empty() && mirror.sessions.len() == 2);
    assert_eq!(mirror.card(&child, "work_1").ok_or("no card")?["status"], "error");
    for request in lab.requests() {
        let offered = request.body["tools"].to_string().contains("delegate");
        assert_eq!(offered, !is_sub_agent(&request.body));
    }
    for words in ["hello", "!echo hello", "/new"] {
        let refused = server.send(&child, words).await.unwrap_err();
        assert!(refused.message.contains("A sub-agent works here"), "{words}: {refused}");
    }
    assert_eq!(server.items(&child).await?.iter().filter(|item| item["author"] == "human").count(), 0);
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_sub_agent_asks_before_it_runs_something_and_anybody_may_answer() -> Result {
    let lab = Scripted::start(Script::responder(answer)).await?;
    let server = Setup::with(&lab).asking().start().await?;
    let Scene { lab, server, session, mut mirror, .. } = Scene::around(lab, server).await?;
    hand_on(&server, &session, &["run: touch made"]).await?;
    handed_on(&mut mirror, &session, 1).await?;
    let child = worker(&mirror, &session, 0)?;
    let question = |m: &Mirror| m.of_kind(&child, "approval").first().map(|item| item["approvalId"].clone());
    let question = mirror.until("the question", question).await?;
    mirror.until("the sign", |m| (m.sessions[&child]["group"] == "needs_you").then_some(())).await?;
    server.call("answer_approval", json!({"approvalId": question, "choice": "once"})).await?;
    told(&mut mirror, &session, 1).await?;
    assert_eq!(states(&mirror, &session), ["completed"]);
    strict::check_all(&lab)
}
