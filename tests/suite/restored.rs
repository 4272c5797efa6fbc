//! A backup in the place of the data, while jobs live that it does not know, or knows as they were.

use std::sync::Arc;

use gatehouse_provider::scripted::{End, Scripted, say};
use gatehouse_tests::{Gate, House, Mirror, Result, Server, Setup, os, strict};
use rusqlite::Connection;
use serde_json::{Value, json};

async fn pid(server: &Server, session: &str, process: &str) -> Result<u32> {
    Ok(u32::try_from(server.process(session, process).await?["pid"].as_u64().ok_or("no pid")?)?)
}

async fn back_up(server: &Server) -> Result<Value> {
    Ok(server.call("backup_now", json!({})).await?["backup"]["name"].clone())
}

/// Entries of a transcript that hold these words.
async fn lines(server: &Server, session: &str, words: &str) -> Result<Vec<String>> {
    let items = server.items(session).await?;
    let texts = items.iter().filter_map(|item| item["text"].as_str());
    Ok(texts.filter(|text| text.contains(words)).map(str::to_owned).collect())
}

#[tokio::test]
async fn jobs_that_are_newer_than_the_backup_are_taken_in_and_tell_their_end_once() -> Result {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let mut server = Setup::bare().start_in(house).await?;
    let session = server.session().await?;
    let name = back_up(&server).await?;
    let newer = server.session().await?;
    let asked = server.start(&session, &format!("{}; echo said; exit 3", gate.wait()), true).await?;
    let bang = server.bang(&newer, "exec sleep 300").await?;
    let (first, second) = (pid(&server, &session, &asked).await?, pid(&server, &newer, &bang).await?);
    server.call("restore_backup", json!({ "name": name })).await?;
    server.term().await?;
    server.restart().await?;

    let row = server.process(&session, &asked).await?;
    assert_eq!((&row["state"], &row["pid"]), (&json!("running"), &json!(first)), "{row}");
    assert_eq!(lines(&server, &session, " runs. It was started after the restored backup").await?.len(), 1);
    // Its own conversation is not in the backup.
    let all = server.call("list_processes", json!({"includeFinished": true})).await?;
    let other = all["processes"].as_array().into_iter().flatten().find(|row| row["processId"] == json!(bang));
    let other = other.ok_or("it has no row")?.clone();
    assert_eq!((&other["state"], &other["pid"]), (&json!("running"), &json!(second)), "{other}");
    let shelter = other["sessionId"].as_str().ok_or("no session")?.to_owned();
    assert!(shelter != newer && shelter != session, "{other}");
    assert_eq!(lines(&server, &shelter, "exec sleep 300 runs. It was started after").await?.len(), 1);

    let mut mirror = Mirror::attach(&*server, "window");
    gate.open(1)?;
    mirror.until("its end", |m| m.processes.get(&asked).filter(|row| row["state"] == "exited").map(|_| ())).await?;
    assert_eq!(mirror.processes[&asked]["exitCode"], 3);
    let told = |m: &Mirror| {
        let end = |item: &&Value| item["text"].as_str().is_some_and(|text| text.contains(" exited with code 3"));
        m.transcript(&session).iter().filter(|item| end(item)).count()
    };
    mirror.until("the line about it", |m| (told(m) == 1).then_some(())).await?;
    assert!(mirror.units(&session).is_empty() && mirror.turns_of(&session).is_empty(), "nobody asked for a turn");
    assert_eq!(server.stop(&bang).await?["state"], "killed");
    assert!(!os::lives(second));
    server.term().await?;
    server.restart().await?;
    assert_eq!(lines(&server, &session, "read -r ").await?.len(), 2, "each is told once");
    assert_eq!(server.processes(&shelter).await?.len(), 1);
    Ok(())
}

#[tokio::test]
async fn a_job_that_the_backup_knows_as_running_and_of_which_nothing_is_left_did_run() -> Result {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let mut server = Setup::bare().start_in(house).await?;
    let session = server.session().await?;
    let process = server.start(&session, &gate.wait(), false).await?;
    let name = back_up(&server).await?;
    let mut mirror = Mirror::attach(&*server, "window");
    gate.open(1)?;
    mirror.until("its end", |m| m.processes.get(&process).filter(|row| row["state"] == "exited").map(|_| ())).await?;
    server.call("restore_backup", json!({ "name": name })).await?;
    server.term().await?;
    // As when it ended so long ago that it was forgotten.
    std::fs::remove_dir_all(server.house.profile().join("runs").join(&process))?;
    server.restart().await?;
    let row = server.process(&session, &process).await?;
    assert_eq!(row["state"], "lost", "{row}");
    assert!(row["reason"].as_str().is_some_and(|reason| reason.contains("Nothing is left of it")), "{row}");
    let held = server.incidents().await?;
    let causes: Vec<_> = held.iter().filter_map(|row| row["cause"].as_str()).collect();
    assert!(causes.contains(&"report_held"), "its report waits for a person: {causes:?}");
    Ok(())
}

/// Whether an input of the gateway waits for its turn.
fn report_waits(rows: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM admission WHERE status = 'queued' AND cause = 'completion'";
    rows.query_row(sql, [], |row| row.get::<_, u32>(0)).map(|count| count == 1)
}

#[tokio::test]
async fn a_report_that_waited_for_its_turn_in_the_backup_is_told_once_when_a_person_sends_it() -> Result {
    let lab = Scripted::start([say("Busy").ending(End::Hang), say("Then."), say("Now."), say("Later.")]).await?;
    let mut server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "begin").await?;
    lab.wait_for_request(1).await;
    server.start(&session, "echo queued; exit 3", true).await?;
    let rows = Connection::open(server.house.database())?;
    mirror.until("the queue", |_| report_waits(&rows).ok().filter(|waits| *waits).map(|_| ())).await?;
    let name = back_up(&server).await?;
    lab.release();
    mirror.reported(&session, 1).await?;
    drop((mirror, rows));
    server.call("restore_backup", json!({ "name": name })).await?;
    server.term().await?;
    server.restart().await?;

    let open = server.incidents().await?;
    let held: Vec<_> = open.iter().filter(|row| row["cause"] == "report_held").collect();
    assert_eq!(held.len(), 1, "{open:#?}");
    let mut mirror = Mirror::attach(&*server, "window");
    mirror.until("the conversation", |m| m.rests(&session).then_some(())).await?;
    assert_eq!(mirror.units(&session).len(), 0, "nothing goes by itself");
    server.call("deliver_unit", json!({ "unitId": held[0]["unitId"], "sessionId": session })).await?;
    mirror.reported(&session, 1).await?;
    assert_eq!(mirror.units(&session)[0]["exitCode"], 3);
    // What stands behind it goes on.
    server.send(&session, "and then?").await?;
    mirror.until("both answers", |m| (m.said(&session).ends_with(&["Now.", "Later."])).then_some(())).await?;
    server.term().await?;
    server.restart().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    mirror.reported(&session, 1).await?;
    strict::check_all(&lab)
}
