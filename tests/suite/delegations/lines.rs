use super::*;

#[tokio::test]
async fn behind_a_person_s_line_nothing_is_told_until_somebody_sends_it_on() -> Result {
    let Scene { gate, lab, server, session: old, mut mirror } = set_up().await?;
    hand_on(&server, &old, &["say: There are 3.", &format!("run: {}", gate.wait())]).await?;
    mirror
        .until("one result", |m| (states(m, &old) == ["completed", "running"] && m.rests(&old)).then_some(()))
        .await?;
    let new = server.begin_anew(&old).await?;
    mirror.until("the end of the other", |m| (states(m, &old) == ["completed", "interrupted"]).then_some(())).await?;
    let dropped = mirror.incidents(1).await?.remove(0);
    assert_eq!(dropped["cause"], "report_dropped_target_gone");
    assert_eq!(
        (&dropped["unit"]["producer"], &dropped["unit"]["state"]),
        (&json!("delegation"), &json!("interrupted"))
    );
    assert!(mirror.transcript(&new).is_empty() && mirror.units(&old).is_empty());
    assert_eq!(mirror.turns_of(&worker(&mirror, &old, 1)?)[0]["state"], "stopped");

    server.call("deliver_unit", json!({"unitId": dropped["unitId"], "sessionId": new})).await?;
    told(&mut mirror, &new, 1).await?;
    assert!(mirror.units(&new)[0]["outputTail"].as_str().is_some_and(|text| text.contains("There are 3.")));
    assert_eq!((mirror.said(&new), server.incidents().await?), (vec!["Noted."], Vec::new()));
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_stop_of_the_turn_leaves_what_it_handed_on_at_work() -> Result {
    let busy = Script::responder(|body: &Value| {
        let handed = strict::messages(body).last().is_some_and(|last| last["role"] == "tool");
        if handed && !is_sub_agent(body) { say("Busy.").ending(End::Hang) } else { answer(body) }
    });
    let Scene { gate, lab, server, session, mut mirror } = Scene::set_up(|_| busy).await?;
    hand_on(&server, &session, &[&format!("run: {}", gate.wait())]).await?;
    until_begun(&mut mirror, &session, 1).await?;
    server.call("stop_turn", json!({"sessionId": session})).await?;
    mirror.until("the stop", |m| m.rests(&session).then_some(())).await?;
    assert_eq!(mirror.turns_of(&session)[0]["state"], "stopped");
    gate.open(1)?;
    told(&mut mirror, &session, 1).await?;
    assert_eq!(states(&mirror, &session), ["completed"]);
    assert_eq!(mirror.said(&session).last(), Some(&"Noted."));
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_message_that_interrupts_leaves_the_sub_agent_alive_and_a_stop_of_it_is_told() -> Result {
    let Scene { gate, lab, server, session, mut mirror } = set_up().await?;
    hand_on(&server, &session, &[&format!("run: {}", gate.wait())]).await?;
    answered(&mut mirror, &session).await?;
    server.send(&session, "hang here").await?;
    until_begun(&mut mirror, &session, 2).await?;
    server.call("send_message", json!({"sessionId": session, "text": "hello", "mode": "interrupt"})).await?;
    mirror.until("the next answer", |m| (m.said(&session).last() == Some(&"Hello.")).then_some(())).await?;
    assert_eq!(states(&mirror, &session), ["running"]);
    let child = worker(&mirror, &session, 0)?;
    let command =
        |m: &Mirror| m.processes.values().find(|p| p["sessionId"] == json!(child)).map(|p| p["state"].clone());
    mirror.until("its command", |m| command(m).filter(|state| state == "running")).await?;

    let stopped = server.call("stop_turn", json!({"sessionId": child})).await?;
    assert_eq!(stopped["stopped"], true);
    told(&mut mirror, &session, 1).await?;
    assert_eq!(
        (states(&mirror, &session), &mirror.units(&session)[0]["state"]),
        (vec!["interrupted".into()], &json!("interrupted"))
    );
    mirror.until("the end of its command", |m| command(m).filter(|state| state == "killed")).await?;
    assert_eq!(mirror.of_kind(&child, "failed_turn")[0]["failure"]["retryable"], false, "its result was told");
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_closed_conversation_keeps_the_result_as_a_note() -> Result {
    let Scene { gate, lab, server, session, mut mirror } = set_up().await?;
    hand_on(&server, &session, &[&format!("run: {}", gate.wait())]).await?;
    answered(&mut mirror, &session).await?;
    server.call("close_session", json!({"sessionId": session})).await?;
    gate.open(1)?;
    told(&mut mirror, &session, 1).await?;
    assert_eq!((mirror.said(&session), mirror.turns_of(&session).len()), (vec!["Handed on."], 1), "nothing begins");
    strict::check_all(&lab)
}
