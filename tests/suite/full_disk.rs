//! A disk without room: what cannot be kept is refused in words, and everything that was promised arrives once there is
//! room again, without a restart.

use std::sync::Arc;

use gatehouse_provider::scripted::{Script, Scripted, say};
use gatehouse_tests::{Gate, House, Mirror, Refusal, Result, Server, Setup, SmallDisk, os, strict};
use serde_json::{Value, json};

/// Says something under a key of its own, again and again with another one, until it is refused.
async fn until_refused(server: &Server, session: &str) -> Result<(Vec<String>, Value, Refusal)> {
    let mut kept = Vec::new();
    for n in 0..200 {
        let text = format!("{n} {}", "words ".repeat(500));
        let message = json!({"sessionId": session, "text": text, "clientKey": format!("key-{n}")});
        match server.call("send_message", message.clone()).await {
            Ok(_) => kept.push(text),
            Err(refusal) => return Ok((kept, message, refusal)),
        }
    }
    Err("a full disk took 200 messages".into())
}

/// What SQLite says of the data file, asked by a program that sees the same disk.
fn integrity(disk: &SmallDisk, server: &Server) -> Result<String> {
    let script =
        "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('PRAGMA integrity_check').fetchone()[0])";
    disk.run(["python3", "-c", script, &server.house.database().to_string_lossy()])
}

#[tokio::test]
async fn what_a_full_disk_refuses_arrives_once_when_there_is_room_again() -> Result {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let lab = Scripted::start(Script::responder(|_: &Value| say("Noted."))).await?;
    let server = SmallDisk::of(Setup::with(&lab), &house, 12)?.start_in(house).await?;
    let disk = SmallDisk::seen_by(&server);
    let (session, other) = (server.session().await?, server.session().await?);
    let mut jobs = Vec::new();
    for code in 1..=3 {
        let id = server.start(&session, &format!("{}; echo said {code}; exit {code}", gate.wait()), true).await?;
        jobs.push((id, code));
    }
    let mut mirror = Mirror::attach(&*server, "window");
    disk.fill()?;
    let (kept, refused, refusal) = until_refused(&server, &other).await?;
    assert_eq!(refusal.code, "store_unavailable", "{refusal}");
    let folder = server.house.profile();
    assert!(refusal.message.contains(&*folder.to_string_lossy()), "it names the folder: {refusal}");
    assert_eq!(server.call("get_health", json!({})).await?["storage"]["code"], "disk_full");
    // What is there can be read.
    assert!(!server.items(&other).await?.is_empty() || kept.is_empty());

    // Jobs end while nothing can be written.
    let mut pids = Vec::new();
    for (id, _) in &jobs {
        pids.push(u32::try_from(server.process(&session, id).await?["pid"].as_u64().ok_or("no pid")?)?);
    }
    gate.open(jobs.len())?;
    for pid in pids {
        os::ended(pid).await?;
    }
    assert_eq!(integrity(&disk, &server)?, "ok");
    disk.free()?;
    mirror
        .until("every report and an answer", |m| {
            (m.units(&session).len() == jobs.len() && !m.said(&session).is_empty() && m.rests(&session)).then_some(())
        })
        .await?;
    for (id, code) in &jobs {
        let told: Vec<_> = mirror.units(&session).into_iter().filter(|unit| unit["processId"] == json!(id)).collect();
        let [told] = told.as_slice() else { return Err(format!("{id} is told {} times", told.len()).into()) };
        // What it wrote found no room either, and is counted all the same.
        assert_eq!((&told["exitCode"], &told["outputBytes"]), (&json!(code), &json!("said 1\n".len())), "{told}");
    }
    // The same message again, under its key, twice: it is heard once.
    let words = refused["text"].as_str().ok_or("no text")?.to_owned();
    server.call("send_message", refused.clone()).await?;
    server.call("send_message", refused).await?;
    let all = kept.len() + 1;
    mirror.until("every answer", |m| (m.said(&other).len() == all && m.rests(&other)).then_some(())).await?;
    let heard: Vec<_> =
        mirror.of_kind(&other, "message").into_iter().filter(|item| item["author"] == "human").collect();
    assert_eq!(
        heard.iter().filter_map(|item| item["text"].as_str()).collect::<Vec<_>>(),
        [&kept[..], &[words]].concat()
    );
    assert!(server.call("get_health", json!({})).await?["storage"].is_null());
    assert_eq!(integrity(&disk, &server)?, "ok");
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_start_on_a_full_disk_says_so_and_damages_nothing() -> Result {
    let house = Arc::new(House::new()?);
    let mut server = SmallDisk::of(Setup::bare(), &house, 12)?.start_in(house).await?;
    let session = server.session().await?;
    // It lives on, and holds the disk while no server does.
    let job = server.start(&session, "exec sleep 300", false).await?;
    let pid = u32::try_from(server.process(&session, &job).await?["pid"].as_u64().ok_or("no pid")?)?;
    let disk = SmallDisk::seen_by_process(pid, &server.house);
    server.send(&session, "/help").await?;
    let before = server.items(&session).await?.len();
    disk.fill()?;
    server.kill9()?;
    let refused = disk.again(Setup::bare()).refused(&server.house).await?;
    assert_eq!(refused.status.code(), Some(1), "{}", refused.words);
    assert!(refused.words.contains("space"), "{}", refused.words);
    assert_eq!(integrity(&disk, &server)?, "ok");
    disk.free()?;
    server.restart_with(disk.again(Setup::bare())).await?;
    assert_eq!(server.items(&session).await?.len(), before, "everything is there");
    assert_eq!(server.process(&session, &job).await?["state"], "running");
    server.stop(&job).await?;
    Ok(())
}
