//! How many may run at once, what is kept and for how long, and what a house of many short jobs costs.

use std::sync::Arc;

use gatehouse_provider::scripted::{End, Script, Scripted, calls, say};
use gatehouse_tests::{Gate, House, Mirror, Result, Scene, Server, Setup, os, strict};
use serde_json::json;
use tokio::task::JoinSet;

/// Makes processes look as if they had ended that long ago; the server must not run.
pub fn age(house: &House, ids: &[&str], minutes: i64) -> Result {
    let rows = rusqlite::Connection::open(house.database())?;
    for id in ids {
        let blob: Vec<u8> = uuid::Uuid::parse_str(id)?.as_bytes().to_vec();
        let sql = "UPDATE process SET ended_at = ended_at - ?2 WHERE id = ?1 AND ended_at IS NOT NULL";
        assert_eq!(rows.execute(sql, rusqlite::params![blob, minutes * 60_000])?, 1, "{id}");
    }
    Ok(())
}

async fn over(mirror: &mut Mirror, id: &str) -> Result {
    let is_over = |m: &Mirror| m.processes.get(id).filter(|p| p["state"] == "exited").map(|_| ());
    mirror.until("its end", is_over).await
}

fn has_run(server: &Server, id: &str) -> bool {
    server.house.profile().join("runs").join(id).exists()
}

#[tokio::test]
async fn limits_hold() -> Result {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let server = Setup::bare().start_in(house).await?;
    let (first, second, third) = (server.session().await?, server.session().await?, server.session().await?);
    for session in [&first, &second] {
        for _ in 0..32 {
            server.start(session, &gate.wait(), false).await?;
        }
        let refusal = server.send(session, "!true").await.unwrap_err();
        assert_eq!((refusal.status, refusal.code.as_str()), (429, "process_limit"), "{refusal}");
    }
    let all = server.send(&third, "!true").await.unwrap_err();
    assert_eq!(all.code, "process_limit");
    assert!(all.message.contains("64"), "{all}");
    assert!(server.processes(&third).await?.is_empty());
    gate.open(64)?;
    let mut mirror = Mirror::attach(&*server, "window");
    let exited = |m: &Mirror| m.processes.values().filter(|p| p["state"] == "exited" && p["exitCode"] == 0).count();
    mirror.until("all to end", |m| (exited(m) == 64).then_some(())).await?;
    server.bang(&third, "true").await?;
    Ok(())
}

#[tokio::test]
async fn starts_that_come_side_by_side_count_each_other() -> Result {
    let six = |gate: String| {
        let start = json!({"command": gate, "background": true});
        let names = ["call_1", "call_2", "call_3", "call_4", "call_5", "call_6"];
        [calls(names.map(|name| (name, "terminal", start.clone()))), say("Started.")]
    };
    let Scene { gate, lab, server, session, mut mirror } = Scene::set_up(six).await?;
    let most = json!({"key": "limits.processes_per_session", "value": 2});
    server.call("set_setting", most).await?;
    server.send(&session, "start six").await?;
    mirror.until("the answer", |m| (m.said(&session) == ["Started."]).then_some(())).await?;
    assert_eq!(server.processes(&session).await?.len(), 2);
    let refused =
        (1..=6).filter_map(|n| mirror.card(&session, &format!("call_{n}"))).filter(|c| c["status"] == "error");
    assert_eq!(refused.count(), 4);
    gate.open(2)?;
    strict::check_all(&lab)
}

#[tokio::test]
async fn half_an_hour_after_its_end_a_process_is_forgotten_with_its_output() -> Result {
    let lab = Scripted::start(Script::responder(|_| say("I take my time.").ending(End::Hang))).await?;
    let mut server = Setup::with(&lab).start().await?;
    let (session, busy) = (server.session().await?, server.session().await?);
    let mut mirror = Mirror::attach(&*server, "window");
    let old = server.start(&session, "echo old", false).await?;
    let young = server.start(&session, "echo young", false).await?;
    let living = server.start(&session, "exec sleep 300", false).await?;
    for id in [&old, &young] {
        over(&mut mirror, id).await?;
    }
    // The report of this one waits behind a turn that does not end.
    server.send(&busy, "talk").await?;
    lab.wait_for_request(1).await;
    let owed = server.start(&busy, "echo owed", true).await?;
    over(&mut mirror, &owed).await?;

    server.kill9()?;
    age(&server.house, &[&old, &owed], 31)?;
    age(&server.house, &[&young], 29)?;
    std::fs::create_dir(server.house.profile().join("runs/01890000-0000-7000-8000-000000000000"))?;
    server.restart().await?;
    mirror.move_to(&*server);
    mirror.until("the old one to go", |m| (!m.processes.contains_key(&old)).then_some(())).await?;
    let kept = server.processes(&session).await?;
    let kept: Vec<_> = kept.iter().filter_map(|process| process["processId"].as_str()).collect();
    assert_eq!(kept, [&living, &young]);
    assert_eq!(server.call("read_output", json!({"processId": old})).await.unwrap_err().code, "not_found");
    assert!(server.output(&young).await?.contains("young"));
    assert_eq!(server.processes(&busy).await?.len(), 1, "its report is not told yet");
    assert!(has_run(&server, &owed) && has_run(&server, &young) && has_run(&server, &living));
    // What lies there without a row is looked for after the rows.
    let deadline = tokio::time::Instant::now() + gatehouse_tests::LIMIT;
    while has_run(&server, &old) || has_run(&server, "01890000-0000-7000-8000-000000000000") {
        assert!(tokio::time::Instant::now() < deadline, "run directories stay");
        // Files give no event.
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    server.stop(&living).await?;
    Ok(())
}

/// Resident memory of a process, in KiB.
fn resident(pid: u32) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse()?)
}

/// KiB that four more stretches may add to what the first one took.
const MOST_GROWTH: u64 = 6 * 1024;
/// Descriptors that they may add.
const MORE_DESCRIPTORS: usize = 10;
/// Jobs of one stretch; memory is looked at after each.
const STRETCH: usize = 200;
/// So many of them at once.
const AT_ONCE: usize = 20;

/// Runs a stretch of short jobs to their ends, after so many before.
async fn stretch(server: &Server, session: &str, mirror: &mut Mirror, before: usize) -> Result {
    let over = |m: &Mirror| m.processes.values().filter(|p| p["state"] == "exited" && p["exitCode"] == 0).count();
    for group in 1..=STRETCH / AT_ONCE {
        let mut starts = JoinSet::new();
        for _ in 0..AT_ONCE {
            let rpc = (**server).clone();
            let params = json!({"sessionId": session, "command": "echo hit", "watch": ["hit"], "heartbeatS": 60});
            starts.spawn(async move { rpc.call("start_process", params).await });
        }
        starts.join_all().await.into_iter().collect::<Result<Vec<_>, _>>()?;
        mirror.until("all ends", |m| (over(m) == before + group * AT_ONCE).then_some(())).await?;
    }
    server.house.no_shims().await
}

fn runs(server: &Server) -> Result<usize> {
    Ok(std::fs::read_dir(server.house.profile().join("runs"))?.count())
}

/// How many descriptors a process has open, once they are no more than `most`: those of a job are closed a little after
/// its end was told.
async fn descriptors(pid: u32, most: usize) -> Result<usize> {
    let deadline = tokio::time::Instant::now() + gatehouse_tests::LIMIT;
    loop {
        let open = std::fs::read_dir(format!("/proc/{pid}/fd"))?.count();
        if open <= most || tokio::time::Instant::now() > deadline {
            return Ok(open);
        }
        // Files give no event.
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_thousand_short_jobs_leave_nothing_behind() -> Result {
    let mut server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let (mut figures, begun) = (Vec::<(u64, usize)>::new(), tokio::time::Instant::now());
    for number in 0..5 {
        stretch(&server, &session, &mut mirror, number * STRETCH).await?;
        os::collected(server.pid()).await?;
        let most = figures.first().map_or(usize::MAX, |first| first.1 + MORE_DESCRIPTORS);
        let open = descriptors(server.pid(), most).await?;
        figures.push((resident(server.pid())?, open));
        assert_eq!(server.call("get_health", json!({})).await?["processes"]["running"], 0, "nobody is a ghost");
    }
    println!("KiB and descriptors after each {STRETCH} jobs: {figures:?}; {:?}", begun.elapsed());
    let (first, last) = (figures[0], figures[4]);
    assert!(last.0 < first.0 + MOST_GROWTH, "KiB and descriptors after each {STRETCH} jobs: {figures:?}");
    assert!(last.1 <= first.1 + MORE_DESCRIPTORS, "KiB and descriptors after each {STRETCH} jobs: {figures:?}");

    // Each can be looked at until its time is over; then nothing of it is left, on the disk neither.
    assert_eq!(runs(&server)?, 5 * STRETCH);
    server.term().await?;
    let rows = rusqlite::Connection::open(server.house.database())?;
    let aged = rows.execute("UPDATE process SET ended_at = ended_at - 31 * 60000 WHERE ended_at IS NOT NULL", [])?;
    drop(rows);
    assert_eq!(aged, 5 * STRETCH);
    server.restart().await?;
    mirror.move_to(&*server);
    for left in (0..5).rev().map(|stretches| stretches * STRETCH) {
        mirror.until("all to be forgotten", |m| (m.processes.len() <= left).then_some(())).await?;
    }
    let deadline = tokio::time::Instant::now() + gatehouse_tests::LIMIT;
    while runs(&server)? > 0 {
        assert!(tokio::time::Instant::now() < deadline, "{} run directories stay", runs(&server)?);
        // Files give no event.
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    Ok(())
}

#[tokio::test]
async fn a_restart_keeps_the_way_in_which_a_process_runs() -> Result {
    let server = Setup::bare().start_in(Arc::new(House::new()?)).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let params = json!({"sessionId": session, "command": "trap '' TERM; echo run; while :; do sleep 1; done",
        "notify": true, "persist": true});
    let first = server.call("start_process", params).await?["processId"].as_str().ok_or("no id")?.to_owned();
    let wrote = |id: String| move |m: &Mirror| m.processes.get(&id).filter(|p| p["outputBytes"] != 0).cloned();
    let old = mirror.until("its first words", wrote(first.clone())).await?;
    let again = server.call("restart_process", json!({"processId": first, "force": true})).await?;
    let second = again["processId"].as_str().ok_or("no id")?.to_owned();
    let row = mirror.until("the new one's words", wrote(second.clone())).await?;
    assert_ne!(first, second);
    for name in ["command", "cwd", "notify", "persist", "pty", "stdin"] {
        assert_eq!(row[name], old[name], "{name}");
    }
    assert_eq!((&row["restartOf"], &row["state"]), (&json!(first), &json!("running")));
    let gone = server.process(&session, &first).await?;
    assert_eq!((&gone["state"], &gone["stoppedBy"]), (&json!("killed"), &json!("user")), "{gone}");
    assert!(!os::lives(u32::try_from(old["pid"].as_u64().ok_or("no pid")?)?));

    // One that has ended runs again as well.
    server.call("stop_process", json!({"processId": second, "force": true})).await?;
    let third = server.call("restart_process", json!({"processId": second})).await?;
    let third = third["processId"].as_str().ok_or("no id")?;
    assert_eq!(server.process(&session, third).await?["restartOf"], json!(second));
    server.call("stop_process", json!({"processId": third, "force": true})).await?;
    let unknown = json!({"processId": "01890000-0000-7000-8000-000000000000"});
    assert_eq!(server.call("restart_process", unknown).await.unwrap_err().code, "not_found");
    assert!(mirror.units(&session).is_empty(), "who stopped them knows");
    Ok(())
}

#[tokio::test]
async fn an_open_port_is_shown_and_makes_its_process_ready() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let serve = "exec python3 -c 'import socket, time\ns = socket.create_server((\"127.0.0.1\", 0))\n\
                 print(s.getsockname()[1], flush=True)\ntime.sleep(300)'";
    let id = server.start(&session, serve, false).await?;
    mirror.until("its port", |m| m.processes.get(&id).filter(|p| p["outputBytes"] != 0).map(|_| ())).await?;
    let port: u16 = server.output(&id).await?.trim().parse()?;
    let samples = server.call("sample_processes", json!({"processIds": [id]})).await?;
    assert_eq!(samples["samples"][0]["ports"], json!([port]), "{samples}");
    let row = mirror.until("it to be ready", |m| m.processes.get(&id).filter(|p| p["attention"] == "ready").cloned());
    assert_eq!(row.await?["ports"], json!([port]));
    server.stop(&id).await?;
    Ok(())
}
