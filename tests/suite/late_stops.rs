//! Stops of a turn that come at its end, after it, or right before the next one: each job has the fate of its own turn.

use std::sync::Arc;
use std::time::Duration;

use gatehouse_provider::scripted::{End, Script, Scripted, call, say};
use gatehouse_tests::os::{self, Signal};
use gatehouse_tests::{Dice, Gate, House, LIMIT, Mirror, Result, Server, Setup, strict};
use serde_json::{Value, json};

/// Jobs of one session at a time; a session may have 32.
const BATCH: usize = 25;

/// So many rounds, unless `GATEHOUSE_TEST_ROUNDS` says another number.
fn rounds(usual: usize) -> usize {
    std::env::var("GATEHOUSE_TEST_ROUNDS").ok().and_then(|told| told.parse().ok()).unwrap_or(usual)
}

/// Starts a silent job when it is told a round, and has nothing more to say than that.
fn starter(command: String) -> Script {
    Script::responder(move |body: &Value| match strict::last_text(body).strip_prefix("round ") {
        Some(round) => {
            let job = json!({"command": command, "background": true, "notify_on_complete": false});
            call(&format!("job_{}", round.trim()), "terminal", job)
        }
        None => say("It runs."),
    })
}

fn pid_of(process: &Value) -> Result<u32> {
    Ok(u32::try_from(process["pid"].as_u64().ok_or("no pid")?)?)
}

/// Follows the feed until a turn has ended, and not a step further: what comes next shall come at once.
async fn at_the_end(mirror: &mut Mirror, session: &str, turn: usize) -> Result {
    let deadline = tokio::time::Instant::now() + LIMIT;
    while mirror.turns_of(session).get(turn).is_none_or(|turn| turn["state"] == "running") {
        if tokio::time::Instant::now() > deadline {
            return Err(format!("turn {turn} does not end").into());
        }
        mirror.step(Duration::from_secs(10)).await?;
    }
    Ok(())
}

/// Every job of a session runs, and nobody asked for its end; then all may go.
async fn all_live(server: &Server, mirror: &mut Mirror, session: &str, gate: &Gate, count: usize) -> Result {
    let rows = server.processes(session).await?;
    assert_eq!(rows.len(), count);
    for row in &rows {
        assert_eq!((&row["state"], row.get("stoppedBy")), (&json!("running"), None), "{row}");
        assert!(os::lives(pid_of(row)?), "{row}");
    }
    gate.open(count)?;
    let over = |m: &Mirror| {
        let ended = m.processes.values().filter(|p| p["sessionId"] == json!(session) && p["state"] == "exited");
        (ended.filter(|p| p["exitCode"] == 0).count() == count).then_some(())
    };
    mirror.until("all to end by themselves", over).await
}

#[tokio::test]
async fn a_stop_right_after_the_end_ends_no_job() -> Result {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let lab = Scripted::start(starter(gate.wait())).await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let (all, begun) = (rounds(100), tokio::time::Instant::now());
    for first in (0..all).step_by(BATCH) {
        let session = server.session().await?;
        let count = BATCH.min(all - first);
        for round in 0..count {
            server.send(&session, &format!("round {round}")).await?;
            at_the_end(&mut mirror, &session, round).await?;
            if round % 2 == 1 {
                // The moment itself is what is tested; every other stop comes as fast as it can.
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            let late = server.call("stop_turn", json!({"sessionId": session})).await?;
            assert_eq!(late, json!({"stopped": false, "reaping": 0}), "round {round}");
        }
        assert!(mirror.turns_of(&session).iter().all(|turn| turn["state"] == "done"));
        all_live(&server, &mut mirror, &session, &gate, count).await?;
    }
    println!("{all} stops after the end, no job ended; {:?}", begun.elapsed());
    server.house.no_shims().await
}

#[tokio::test]
async fn a_stop_at_the_end_ends_the_turn_with_its_job_or_neither() -> Result {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let lab = Scripted::start(starter(gate.wait())).await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let mut dice = Dice::new();
    let (all, mut stopped) = (rounds(50), 0);
    for round in 0..all {
        let session = server.session().await?;
        server.send(&session, &format!("round {round}")).await?;
        lab.wait_for_request(2 * round + 2).await;
        tokio::time::sleep(Duration::from_micros(dice.below(6_000))).await;
        let stop = server.call("stop_turn", json!({"sessionId": session})).await?;
        at_the_end(&mut mirror, &session, 0).await?;
        let words = format!("round {round}, seed {}: {stop}", dice.seed());
        let turn = mirror.turns_of(&session)[0].clone();
        let id = mirror.card(&session, &format!("job_{round}")).and_then(|card| card["processId"].as_str());
        let id = id.ok_or("no process")?.to_owned();
        if stop["stopped"] == true {
            stopped += 1;
            assert_eq!((&turn["state"], &stop["reaping"]), (&json!("stopped"), &json!(1)), "{words}");
            let over = |m: &Mirror| m.processes.get(&id).filter(|p| p["state"] == "killed").cloned();
            let row = mirror.until("the end of its job", over).await?;
            assert_eq!(row["stoppedBy"], "turn_stop", "{words}: {row}");
            assert!(!os::lives(pid_of(&row)?), "{words}: {row}");
        } else {
            assert_eq!((&turn["state"], &stop["reaping"]), (&json!("done"), &json!(0)), "{words}");
            all_live(&server, &mut mirror, &session, &gate, 1).await?;
        }
    }
    println!("{stopped} of {all} stops came before the end");
    server.house.no_shims().await
}

/// Starts a job in each turn; the first turn goes on after that, the next one ends.
fn two_turns(command: &'static str) -> Script {
    Script::responder(move |body: &Value| {
        let asked = strict::messages(body).iter().rev().find(|message| message["role"] == "user");
        let asked = asked.and_then(|message| message["content"].as_str()).unwrap_or_default().trim().to_owned();
        match strict::result_of(body, &asked) {
            None => call(&asked, "terminal", json!({"command": command, "background": true})),
            Some(_) if asked.starts_with("first") => say("I take my time.").ending(End::Hang),
            Some(_) => say("It runs."),
        }
    })
}

async fn job_of(mirror: &mut Mirror, session: &str, call: &str) -> Result<Value> {
    let job = |m: &Mirror| {
        let id = m.card(session, call)?["processId"].as_str()?.to_owned();
        m.processes.get(&id).filter(|row| row["state"] == "running").cloned()
    };
    mirror.until(&format!("the job of {call}"), job).await
}

async fn killed(mirror: &mut Mirror, job: &Value) -> Result<Value> {
    let id = job["processId"].as_str().ok_or("no id")?;
    let row = mirror.until("its end", |m| m.processes.get(id).filter(|row| row["state"] == "killed").cloned()).await?;
    assert_eq!(row["stoppedBy"], "turn_stop", "{row}");
    assert!(!os::lives(pid_of(&row)?), "{row}");
    Ok(row)
}

#[tokio::test]
async fn the_next_turn_s_job_is_not_swept_with_the_last_one_s() -> Result {
    let lab = Scripted::start(two_turns("exec sleep 300")).await?;
    let server = Setup::with(&lab).start().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    for requests in [2, 6, 10, 14, 18] {
        if overtaken(&server, &mut mirror, lab.wait_for_request(requests)).await? {
            return strict::check_all(&lab);
        }
    }
    Err("each sweep was faster than this test".into())
}

/// A stop whose sweep takes its time, and the next turn's job; whether that job ran before the sweep was over.
async fn overtaken<T>(server: &Server, mirror: &mut Mirror, hangs: impl Future<Output = T>) -> Result<bool> {
    let session = server.session().await?;
    server.send(&session, "first").await?;
    hangs.await;
    let swept = job_of(mirror, &session, "first").await?;
    // Its helper hears nothing: the sweep is done only when that is given up.
    let shim = server.house.shim_of(pid_of(&swept)?)?;
    os::signal(shim, Signal::STOP)?;
    let stopped = server.call("stop_turn", json!({"sessionId": session})).await?;
    server.send(&session, "second").await?;
    let kept = job_of(mirror, &session, "second").await;
    let meanwhile = os::lives(pid_of(&swept)?);
    os::signal(shim, Signal::CONT)?;
    let kept = kept?;
    assert_eq!(stopped, json!({"stopped": true, "reaping": 1}));
    killed(mirror, &swept).await?;
    mirror.until("the second turn", |m| m.rests(&session).then_some(())).await?;
    let row = server.process(&session, kept["processId"].as_str().ok_or("no id")?).await?;
    assert_eq!((&row["state"], row.get("stoppedBy")), (&json!("running"), None), "{row}");
    assert!(os::lives(pid_of(&kept)?), "{row}");
    let states: Vec<_> = mirror.turns_of(&session).iter().map(|turn| turn["state"].clone()).collect();
    assert_eq!(states, ["stopped", "done"]);
    Ok(meanwhile)
}

#[tokio::test]
async fn stops_and_next_turns_in_a_row_sweep_each_turn_s_own() -> Result {
    let lab = Scripted::start(two_turns("exec sleep 300")).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let mut kept = Vec::new();
    for round in 0..10 {
        let (first, second) = (format!("first_{round}"), format!("second_{round}"));
        server.send(&session, &first).await?;
        let swept = job_of(&mut mirror, &session, &first).await?;
        server.call("stop_turn", json!({"sessionId": session})).await?;
        server.send(&session, &second).await?;
        kept.push(job_of(&mut mirror, &session, &second).await?);
        killed(&mut mirror, &swept).await?;
        mirror.until("the second turn", |m| m.rests(&session).then_some(())).await?;
    }
    for job in &kept {
        let row = server.process(&session, job["processId"].as_str().ok_or("no id")?).await?;
        assert_eq!((&row["state"], row.get("stoppedBy")), (&json!("running"), None), "{row}");
        assert!(os::lives(pid_of(job)?), "{row}");
    }
    strict::check_all(&lab)
}
