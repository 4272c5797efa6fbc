use gatehouse_tests::os;

use super::*;
use crate::races::written_down;

/// Ends the server without a warning and starts it again; no answer of the model hangs any more.
async fn crash(server: &mut Server, lab: &Scripted, mirror: &mut Mirror) -> Result {
    server.kill9()?;
    lab.release();
    server.restart().await?;
    mirror.move_to(&**server);
    Ok(())
}

#[tokio::test]
async fn a_crash_loses_only_what_was_not_finished() -> Result {
    let Scene { gate, lab, mut server, session, mut mirror } = set_up().await?;
    let goals = ["say: There are 3.", &format!("run: {}", gate.wait()), "hang: Asked again."];
    hand_on(&server, &session, &goals).await?;
    let began = |m: &Mirror| {
        let hangs = worker(m, &session, 2).ok()?;
        let runs = m.processes.values().any(|process| process["state"] == "running");
        let all = m.rests(&session) && states(m, &session) == ["completed", "running", "running"];
        (all && runs && begun(m, &hangs) == 1).then_some(())
    };
    mirror.until("every task", began).await?;
    crash(&mut server, &lab, &mut mirror).await?;
    told(&mut mirror, &session, 2).await?;
    assert_eq!(states(&mirror, &session), ["completed", "unknown", "completed"]);
    let said: Vec<_> = tasks(&mirror, &session).iter().map(|task| task["said"].clone()).collect();
    assert_eq!(
        (&said[0], &said[2]),
        (&json!("There are 3."), &json!("Asked again.")),
        "finished ones keep their result"
    );
    assert_eq!(producers(&mirror, &session), ["task_failure", "delegation"]);
    assert_eq!(mirror.units(&session)[1]["state"], "unknown");
    server.term().await?;
    server.restart().await?;
    mirror.move_to(&*server);
    mirror.catch_up().await?;
    assert_eq!(mirror.units(&session).len(), 2, "nothing is told twice");
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_result_that_was_admitted_before_a_crash_is_told_once() -> Result {
    for waiting in [true, false] {
        let Scene { gate, lab, mut server, session, mut mirror } = set_up().await?;
        // In the first round the note waits behind a turn; in the second its own turn is cut off.
        let goal = if waiting { format!("run: {}", gate.wait()) } else { format!("run: {} # hang here", gate.wait()) };
        hand_on(&server, &session, &[&goal]).await?;
        answered(&mut mirror, &session).await?;
        if waiting {
            server.send(&session, "hang here").await?;
            until_begun(&mut mirror, &session, 2).await?;
        }
        gate.open(1)?;
        mirror.until("its end", |m| (states(m, &session) == ["completed"]).then_some(())).await?;
        if !waiting {
            until_begun(&mut mirror, &session, 2).await?;
        }
        crash(&mut server, &lab, &mut mirror).await?;
        told(&mut mirror, &session, 1).await?;
        let causes: Vec<_> = mirror.turns_of(&session).iter().map(|turn| turn["cause"].clone()).collect();
        let expected: &[&str] = if waiting { &["human", "human", "completion"] } else { &["human", "completion"] };
        assert_eq!(causes, expected);
        assert_eq!(mirror.of_kind(&session, "machine_note").len(), 1);
        strict::check_all(&lab)?;
    }
    Ok(())
}

#[tokio::test]
async fn what_nobody_waits_for_any_more_is_not_begun_again_by_a_start() -> Result {
    let Scene { lab, mut server, session: old, mut mirror, .. } = set_up().await?;
    hand_on(&server, &old, &["hang: Asked again."]).await?;
    handed_on(&mut mirror, &old, 1).await?;
    let child = worker(&mirror, &old, 0)?;
    let asked = |m: &Mirror| (begun(m, &child) == 1 && m.rests(&old)).then_some(());
    mirror.until("the question", asked).await?;
    // Whatever of the two comes first, the stop or the kill, the next start agrees.
    server.send(&old, "/new").await?;
    crash(&mut server, &lab, &mut mirror).await?;
    let over = |m: &Mirror| (!states(m, &old).contains(&"running".to_owned())).then_some(());
    mirror.until("its end", over).await?;
    assert_ne!(states(&mirror, &old), ["completed"]);
    assert_eq!(lab.requests().iter().filter(|request| is_sub_agent(&request.body)).count(), 1);
    assert_eq!(mirror.incidents(1).await?[0]["cause"], "report_dropped_target_gone");
    strict::check_all(&lab)
}

#[tokio::test]
async fn what_a_sub_agent_runs_that_nobody_waits_for_is_stopped_whatever_comes_first() -> Result {
    let Scene { gate, lab, mut server, session: old, mut mirror } = set_up().await?;
    hand_on(&server, &old, &[&format!("run: {}", gate.wait())]).await?;
    let running = |m: &Mirror| {
        let process = m.processes.values().find(|process| process["state"] == "running");
        process.filter(|_| m.rests(&old)).and_then(|process| process["pid"].as_u64())
    };
    let pid = u32::try_from(mirror.until("its command to run", running).await?)?;
    server.send(&old, "/new").await?;
    crash(&mut server, &lab, &mut mirror).await?;
    let killed = |m: &Mirror| m.processes.values().find(|process| process["state"] == "killed").cloned();
    let process = mirror.until("its command to be stopped", killed).await?;
    assert_eq!(process["stoppedBy"], "new_session", "{process}");
    assert!(!os::lives(pid));
    server.house.no_shims().await?;
    strict::check_all(&lab)
}

#[tokio::test]
async fn in_a_circle_of_starts_what_a_sub_agent_is_owed_goes_to_whoever_waits_for_it() -> Result {
    let Scene { gate, lab, mut server, session, mut mirror } = set_up().await?;
    hand_on(&server, &session, &[&format!("run: {}; exit 3", gate.wait())]).await?;
    let running = |m: &Mirror| {
        let process = m.processes.values().find(|process| process["state"] == "running");
        process.filter(|_| m.rests(&session)).and_then(|process| process["processId"].as_str().map(str::to_owned))
    };
    let process = mirror.until("its command to run", running).await?;
    let other = server.session().await?;
    server.kill9()?;
    server.restart().await?;
    mirror.move_to(&*server);
    told(&mut mirror, &session, 1).await?;
    // Two more starts find a turn cut off, which is asked again once, and the command ends before the last of them.
    server.send(&other, "hang here").await?;
    until_begun(&mut mirror, &other, 1).await?;
    let asked = lab.requests().len();
    server.kill9()?;
    server.restart().await?;
    lab.wait_for_request(asked + 1).await;
    server.kill9()?;
    gate.open(1)?;
    written_down(&server, &process).await?;
    server.restart().await?;
    mirror.move_to(&*server);
    let ended = |m: &Mirror| m.processes.get(&process).filter(|row| row["state"] == "exited").map(|_| ());
    mirror.until("the end of its command", ended).await?;
    // It came before the gateway was open, and nothing went on by itself, or behind that.
    server.send(&session, "hello").await?;
    told(&mut mirror, &session, 2).await?;
    assert_eq!(mirror.units(&session)[1]["exitCode"], 3);
    strict::check_all(&lab)
}
