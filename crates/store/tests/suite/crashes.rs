use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::Stdio;

use gatehouse_domain::*;
use rusqlite::Connection;

use crate::support::*;

const DIR: &str = "GATEHOUSE_STORE_TEST_DIR";

/// In the killed process: writes from several threads and prints what was answered. Without the variable, nothing.
#[test]
fn child_that_is_killed() {
    let Some(dir) = std::env::var_os(DIR).map(PathBuf::from) else { return };
    let ids = Ids::new();
    let store = open(&dir, &ids);
    let session_id = SessionId::from_uuid(ids.fresh());
    store.write_blocking(move |tx| tx.sessions_mut().insert(&session(session_id))).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let (item, turn_id) = (ItemId::from_uuid(ids.fresh()), UnitId::from_uuid(ids.fresh()));
                    store
                        .write_blocking(move |tx| {
                            tx.items_mut().insert(&message(item, session_id, "an answer"))?;
                            tx.units_mut().owe(&unit(turn_id, session_id, &item.to_string()))
                        })
                        .unwrap();
                    writeln!(std::io::stdout(), "answered {item} {turn_id}").unwrap();
                }
            });
        }
    });
}

#[test]
fn what_was_answered_survives_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    #[expect(clippy::disallowed_methods, reason = "a process must die for this")]
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    let mut child = command
        .args(["--exact", "crashes::child_that_is_killed", "--nocapture", "--test-threads=1"])
        .env(DIR, dir.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut answered = Vec::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        let Some((_, answer)) = line.split_once("answered ") else { continue };
        // The last line may be cut off by the kill.
        if let Some((item, unit)) = answer.split_once(' ')
            && let (Ok(item), Ok(unit)) = (item.parse::<ItemId>(), unit.parse::<UnitId>())
        {
            answered.push((item, unit));
        }
        if answered.len() == 200 {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    assert!(answered.len() >= 200);
    let store = open(dir.path(), &Ids::new());
    store
        .read(|s| {
            for (item, unit) in &answered {
                assert!(s.items().get(*item)?.is_some() && s.units().get(*unit)?.is_some(), "{item} was answered");
            }
            let session = s.sessions().list()?.remove(0);
            let rows = s.items().transcript(session.id)?;
            assert_eq!(session.last_seq, rows.len() as u64);
            assert_eq!(rows.last().map(|full| full.row.rev), Some(store.rev()));
            assert_eq!(s.units().owed_elsewhere(session.id)? as usize, rows.len(), "both rows or neither");
            Ok(())
        })
        .unwrap();
    store.close();
    let conn = Connection::open(dir.path().join("gatehouse.db")).unwrap();
    assert_eq!(conn.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0)).unwrap(), "ok");
    conn.execute("INSERT INTO item_fts (item_fts, rank) VALUES ('integrity-check', 1)", []).unwrap();
}
