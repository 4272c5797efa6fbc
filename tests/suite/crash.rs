//! The server killed without a warning, again and again; what it promised holds.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use gatehouse_provider::scripted::{End, Script, Scripted, calls, deltas, say};
use gatehouse_tests::{Dice, Gate, House, Mirror, Result, Rpc, Setup, os, program, strict};
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// One job that was asked for.
struct Job {
    key: String,
    code: i64,
    command: String,
    /// Its process, where the start was answered.
    answered: Option<String>,
}

impl Job {
    fn throw(dice: &mut Dice, round: usize, number: u64) -> Self {
        let (key, code) = (format!("job-{round}-{number}"), i64::try_from(dice.below(100)).unwrap_or(0));
        let pause = dice.below(150);
        // It leaves a mark each time it runs, so that one that runs unknown is found.
        let command = format!("echo run >> ran-{key}; sleep 0.{pause:03}; echo first; echo last of {key}; exit {code}");
        Self { key, code, command, answered: None }
    }
}

#[tokio::test]
async fn what_was_promised_survives_every_crash() -> Result {
    let points: usize = std::env::var("GATEHOUSE_CRASH_POINTS").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    let mut dice = Dice::new();
    let seed = dice.seed();
    crashes(points, &mut dice).await.map_err(|error| format!("GATEHOUSE_TEST_SEED={seed}: {error}").into())
}

async fn crashes(points: usize, dice: &mut Dice) -> Result {
    let lab = Scripted::start(Script::responder(|_: &Value| say("Noted."))).await?;
    let mut server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut jobs = Vec::new();
    for round in 0..points {
        let thrown: Vec<_> = (0..1 + dice.below(4)).map(|number| Job::throw(dice, round, number)).collect();
        let mut starts = JoinSet::new();
        for job in thrown {
            starts.spawn(start((*server).clone(), session.clone(), job));
        }
        // Every other time some start has been answered; otherwise the moment may lie anywhere.
        if dice.below(2) == 0 {
            jobs.extend(starts.join_next().await.transpose()?);
        }
        tokio::time::sleep(Duration::from_millis(dice.below(400))).await;
        server.kill9()?;
        jobs.extend(starts.join_all().await);
        server.restart().await?;
    }
    // Several ends in a row that cut a turn off are a circle, and nothing goes on by itself until a start finds none.
    if server.incidents().await?.iter().any(|row| row["cause"] == "restart_loop") {
        server.term().await?;
        server.restart().await?;
    }
    let mut mirror = Mirror::attach(&*server, "judge");
    let settled = |m: &Mirror| {
        let alive = ["starting", "running", "stopping"];
        let all_ended = m.processes.values().all(|p| !alive.iter().any(|state| p["state"] == json!(state)));
        (all_ended && m.units(&session).len() >= m.processes.len() && m.rests(&session)).then_some(())
    };
    // Every row is known before it is asked whether all of them have ended.
    mirror.catch_up().await?;
    mirror.until("everything to end and to be told", settled).await?;
    mirror.catch_up().await?;
    let mut faults = judge(&mirror, &session, &jobs, &server.house)?;
    faults += &misnoticed(&mirror, &server.call("list_notices", json!({"limit": 500})).await?)?;
    if !faults.is_empty() {
        return Err(format!("{} jobs, {points} crashes:\n{faults}", jobs.len()).into());
    }
    assert!(jobs.iter().filter(|job| job.answered.is_some()).count() >= points / 10, "too few starts were answered");
    server.house.no_shims().await?;
    strict::check_all(&lab)
}

async fn start(rpc: Rpc, session: String, mut job: Job) -> Job {
    let params = json!({"sessionId": session, "command": job.command, "notify": true, "clientKey": job.key});
    let reply = rpc.call("start_process", params).await;
    job.answered = reply.ok().and_then(|reply| reply["processId"].as_str().map(str::to_owned));
    job
}

/// Every breach of the promise, a line each.
fn judge(mirror: &Mirror, session: &str, jobs: &[Job], house: &House) -> Result<String> {
    let mut faults = String::new();
    let mut told: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for unit in mirror.units(session) {
        told.entry(unit["processId"].as_str().unwrap_or_default()).or_default().push(unit);
    }
    for (id, units) in &told {
        if units.len() != 1 || !mirror.processes.contains_key(*id) {
            writeln!(faults, "{id} has {} reports", units.len())?;
        }
    }
    for job in jobs {
        let mark = house.person().join(format!("ran-{}", job.key));
        let ran = std::fs::read_to_string(mark).map_or(0, |text| text.lines().count());
        let rows: Vec<_> = mirror.processes.values().filter(|p| p["command"] == json!(job.command)).collect();
        let mut fault = |words: String| writeln!(faults, "{} (answered: {}): {words}", job.key, job.answered.is_some());
        let row = match (rows.as_slice(), &job.answered) {
            ([], None) if ran == 0 => continue,
            ([row], _) => row,
            _ => {
                fault(format!("it ran {ran} times and has {} rows", rows.len()))?;
                continue;
            }
        };
        let id = row["processId"].as_str().unwrap_or_default();
        if job.answered.as_deref().is_some_and(|answered| answered != id) {
            fault(format!("{id} is not what was answered"))?;
        }
        let never = row["state"] == "failed_start" && ran == 0 && job.answered.is_none();
        let truly = row["state"] == "exited" && row["exitCode"] == json!(job.code) && ran == 1;
        if !never && !truly {
            fault(format!("it ran {ran} times, wanted code {}, and its row says {row}", job.code))?;
        }
        let Some([unit]) = told.get(id).map(Vec::as_slice) else {
            fault("it has no report".to_owned())?;
            continue;
        };
        let last = unit["outputTail"].as_str().unwrap_or_default().lines().last().unwrap_or_default();
        if truly && (unit["exitCode"] != json!(job.code) || last != format!("last of {}", job.key)) {
            fault(format!("its report says {unit}"))?;
        }
    }
    Ok(faults)
}

/// Every end that has not exactly one notice, a line each. A notice leads to the note that tells the end.
fn misnoticed(mirror: &Mirror, listed: &Value) -> Result<String> {
    let mut faults = String::new();
    let all = listed["notices"].as_array().ok_or("no notices")?;
    for (id, process) in &mirror.processes {
        let mine: Vec<_> = all.iter().filter(|notice| notice["processId"] == json!(id)).collect();
        let note = mirror.items.values().find(|item| {
            item["units"].as_array().is_some_and(|units| units.iter().any(|unit| unit["processId"] == json!(id)))
        });
        let seq = note.map_or(&Value::Null, |note| &note["seq"]);
        if !matches!(mine.as_slice(), [one] if one["seq"] == *seq) {
            writeln!(faults, "{id} {} has the notices {mine:?}, and its note is {seq}", process["state"])?;
        }
    }
    Ok(faults)
}

#[tokio::test]
async fn a_crash_in_the_middle_of_an_answer() -> Result {
    let lab = Scripted::start(Script::responder({
        let asked = std::sync::atomic::AtomicUsize::new(0);
        move |_: &Value| match asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
            0 => deltas(["The first ", "attempt"]).ending(End::Hang),
            1 => deltas(["The second ", "attempt"]).ending(End::Hang),
            _ => say("Hello again."),
        }
    }))
    .await?;
    let mut server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let streams = |m: &Mirror, words: &str| m.texts.values().any(|text| text == words).then_some(());
    server.send(&session, "tell me").await?;
    mirror.until("the first words", |m| streams(m, "The first attempt")).await?;
    server.kill9()?;
    server.restart().await?;
    // Nothing had been done: the model is asked once more, and the transcript says so.
    mirror.move_to(&*server);
    mirror.until("the second words", |m| streams(m, "The second attempt")).await?;
    saved(&server.house, "The second attempt").await?;
    assert_eq!(mirror.of_kind(&session, "notice").len(), 1);
    server.kill9()?;
    server.restart().await?;
    mirror.move_to(&*server);
    mirror.until("the turn's end", |m| m.rests(&session).then_some(())).await?;
    mirror.catch_up().await?;
    assert_eq!(mirror.turns_of(&session)[0]["state"], "interrupted");
    assert_eq!(lab.requests().len(), 2, "asked again once, and never a third time");
    let failed = mirror.of_kind(&session, "failed_turn");
    assert_eq!((failed.len(), &failed[0]["failure"]["code"]), (1, &json!("interrupted")));
    assert_eq!(mirror.said(&session), ["The second attempt"], "what was saved is kept");
    server.send(&session, "hello?").await?;
    mirror.until("an answer", |m| (m.said(&session).last() == Some(&"Hello again.")).then_some(())).await?;
    strict::check_all(&lab)
}

/// Words that stream are saved now and then; only the file tells when, and it gives no event.
async fn saved(house: &House, words: &str) -> Result {
    let file = rusqlite::Connection::open_with_flags(house.database(), rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let deadline = tokio::time::Instant::now() + gatehouse_tests::LIMIT;
    while tokio::time::Instant::now() < deadline {
        let count: u32 = file.query_row("SELECT count(*) FROM item WHERE text = ?1", [words], |row| row.get(0))?;
        if count == 1 {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Err(format!("{words:?} was not saved while it streamed").into())
}

#[tokio::test]
async fn a_crash_between_two_results() -> Result {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let both = [
        ("call_1", "terminal", json!({"command": "echo one"})),
        ("call_2", "terminal", json!({"command": format!("{}; exit 6", gate.wait())})),
    ];
    let lab = Scripted::start([calls(both), say("Hello."), say("It failed.")]).await?;
    let mut server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "run both").await?;
    let status = |m: &Mirror, call: &str| m.card(&session, call).map(|card| card["status"].clone());
    mirror
        .until("one to end and one to run", |m| {
            let here =
                status(m, "call_1") == Some(json!("complete")) && status(m, "call_2") == Some(json!("in_progress"));
            // Its card names it before it runs.
            let process = m.card(&session, "call_2").and_then(|card| m.processes.get(card["processId"].as_str()?));
            (here && process.is_some_and(|row| row["state"] == "running")).then_some(())
        })
        .await?;
    server.kill9()?;
    server.restart().await?;
    mirror.move_to(&*server);
    mirror.until("the turn's end", |m| m.rests(&session).then_some(())).await?;
    mirror.catch_up().await?;
    assert_eq!(mirror.turns_of(&session)[0]["state"], "interrupted");
    assert_eq!(status(&mirror, "call_1"), Some(json!("complete")));
    let goes_on = mirror.card(&session, "call_2").cloned().ok_or("no card")?;
    assert_eq!(goes_on["status"], "in_progress", "{goes_on:#}");
    assert!(goes_on["details"].as_str().is_some_and(|told| told.contains("Went on in the background")), "{goes_on:#}");
    assert_eq!(lab.requests().len(), 1, "what had an effect is not done again");
    server.send(&session, "hello?").await?;
    mirror.until("the answer", |m| (m.said(&session).last() == Some(&"Hello.")).then_some(())).await?;
    let body = lab.wait_for_request(2).await.body;
    let first = strict::result_of(&body, "call_1").ok_or("no result")?;
    assert!(first.contains("one"), "{first}");
    let second = strict::result_of(&body, "call_2").ok_or("no result")?;
    assert!(second.contains("yielded_to_background"), "{second}");
    // Its end is owed now, since no call tells it.
    gate.open(1)?;
    mirror.reported(&session, 1).await?;
    mirror.catch_up().await?;
    assert_eq!(mirror.units(&session)[0]["exitCode"], 6);
    assert_eq!(mirror.said(&session), ["Hello.", "It failed."]);
    let ended = mirror.card(&session, "call_2").cloned().ok_or("no card")?;
    assert_eq!((&ended["status"], &ended["exitCode"]), (&json!("error"), &json!(6)), "{ended:#}");
    strict::check_all(&lab)
}

#[tokio::test]
async fn the_end_of_a_command_in_the_foreground_that_came_while_nobody_listened_is_told_once() -> Result {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let call = ("call_1", "terminal", json!({"command": format!("{}; echo done; exit 6", gate.wait())}));
    let lab = Scripted::start([calls([call]), say("It failed.")]).await?;
    let mut server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "do it").await?;
    let begun = |m: &Mirror| m.processes.values().find(|row| row["state"] == "running").cloned();
    let row = mirror.until("the command to run", begun).await?;
    let shim = server.house.shim_of(u32::try_from(row["pid"].as_u64().ok_or("no pid")?)?)?;
    server.kill9()?;
    gate.open(1)?;
    os::ended(shim).await?;
    server.restart().await?;
    mirror.move_to(&*server);
    mirror.reported(&session, 1).await?;
    mirror.catch_up().await?;
    let unit = mirror.units(&session)[0];
    assert_eq!(unit["exitCode"], 6, "{unit:#}");
    let card = mirror.card(&session, "call_1").cloned().ok_or("no card")?;
    assert_eq!((&card["status"], &card["exitCode"]), (&json!("error"), &json!(6)), "{card:#}");
    let body = lab.wait_for_request(2).await.body;
    let told = strict::result_of(&body, "call_1").ok_or("no result")?;
    assert!(told.contains("yielded_to_background"), "{told}");
    assert!(strict::last_text(&body).contains("done"), "{body:#}");
    assert_eq!(mirror.said(&session), ["It failed."]);
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_stop_reaches_a_job_whose_helper_answers_again_after_the_start() -> Result {
    let mut server = Setup::bare().start().await?;
    let session = server.session().await?;
    let job = server.start(&session, "exec sleep 300", true).await?;
    let pid = u32::try_from(server.process(&session, &job).await?["pid"].as_u64().ok_or("no pid")?)?;
    let shim = server.house.shim_of(pid)?;
    server.kill9()?;
    // Silent for longer than a start waits for it.
    os::signal(shim, os::Signal::STOP)?;
    server.restart().await?;
    assert_eq!(server.process(&session, &job).await?["state"], "running");
    os::signal(shim, os::Signal::CONT)?;
    // At once, before it is asked again.
    let stopped = server.stop(&job).await?;
    assert_eq!(stopped["survivors"], json!([]), "{stopped}");
    let over = |m: &Mirror| m.processes.get(&job).filter(|row| row["state"] == "killed").cloned();
    let row = Mirror::attach(&*server, "window").until("the recorded end", over).await?;
    assert_eq!(row["stoppedBy"], "user", "{row}");
    assert!(!os::lives(pid));
    server.house.no_shims().await
}

/// A program with named moments knows what they are called; what people run does not.
#[test]
fn no_program_can_be_told_to_end_at_a_moment() -> Result {
    for name in ["gatehouse-server", "gatehouse-shim"] {
        let bytes = std::fs::read(program(name)?)?;
        let holds = |word: &str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
        assert!(holds("exit.json"), "{name} is read in the wrong way");
        for word in ["GATEHOUSE_FAULT", "store.commit.before", "shim.exit.before"] {
            assert!(!holds(word), "{name} holds {word}");
        }
    }
    Ok(())
}
