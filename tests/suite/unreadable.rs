//! Rows that cannot be read for a while: what is owed waits, and nothing is spent on it.

use std::sync::Arc;
use std::time::Duration;

use gatehouse_provider::scripted::{Scripted, say};
use gatehouse_tests::{Gate, House, LIMIT, Mirror, Result, Setup, strict};
use rusqlite::Connection;
use serde_json::json;
use tokio::time::Instant;

/// So many tries fail.
const FAILURES: usize = 9;

/// Waits until the server has said so many times that it could not tell a report, or could not even see what waits.
async fn failed(house: &House, times: usize) -> Result {
    let deadline = Instant::now() + LIMIT;
    let said =
        |log: &str| ["Reports cannot be delivered yet", "What waits cannot begin yet"].map(|w| log.matches(w).count());
    while Instant::now() < deadline {
        let log = std::fs::read_to_string(house.stderr())?;
        if said(&log).iter().sum::<usize>() >= times {
            return Ok(());
        }
        // Only the log tells, and it gives no event.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err(format!("it did not fail {times} times").into())
}

/// The rows that a report is told by, but for the word that was damaged.
fn rows(file: &Connection) -> Result<Vec<String>> {
    let mut seen = Vec::new();
    for sql in [
        "SELECT delivery || ' ' || attempts || ' ' || refusals || ' ' || next_at FROM unit",
        "SELECT hex(id) || ' ' || last_seq || ' ' || route FROM session",
        "SELECT key || ' ' || hex(session) FROM route",
        "SELECT count(*) || ' inputs' FROM admission",
    ] {
        let mut statement = file.prepare(sql)?;
        let found = statement.query_map([], |row| row.get::<_, String>(0))?;
        seen.extend(found.collect::<rusqlite::Result<Vec<_>>>()?);
    }
    Ok(seen)
}

#[tokio::test]
async fn a_report_whose_conversation_cannot_be_read_waits_and_is_told_once() -> Result {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let lab = Scripted::start(say("Noted.")).await?;
    let mut server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let process = server.start(&session, &format!("{}; exit 3", gate.wait()), true).await?;
    let file = Connection::open(server.house.database())?;
    file.busy_timeout(Duration::from_secs(10))?;
    let damage = |word: Option<&str>| file.execute("UPDATE session SET end_reason = ?1", [word]);
    damage(Some("nobody knows this word"))?;
    gate.open(1)?;
    failed(&server.house, 1).await?;
    let before = rows(&file)?;
    assert!(before[0].starts_with("pending 0 0"), "{before:?}");
    failed(&server.house, FAILURES).await?;
    assert_eq!(rows(&file)?, before, "nothing is spent and nothing is written");

    damage(None)?;
    let mut mirror = Mirror::attach(&*server, "window");
    mirror.until("the answer", |m| (m.said(&session) == ["Noted."] && m.rests(&session)).then_some(())).await?;
    let told = |m: &Mirror| m.units(&session).iter().map(|unit| unit["processId"].clone()).collect::<Vec<_>>();
    assert_eq!(told(&mirror), [json!(process)]);
    assert!(rows(&file)?[0].starts_with("delivered 1 0"));
    drop(file);
    server.term().await?;
    server.restart().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    mirror.catch_up().await?;
    assert_eq!((told(&mirror), lab.requests().len()), (vec![json!(process)], 1));
    strict::check_all(&lab)
}
