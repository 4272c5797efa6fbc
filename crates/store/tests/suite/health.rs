use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use gatehouse_domain::SessionId;
use gatehouse_store::*;
use rusqlite::Connection;
use rusqlite::config::DbConfig;

use crate::support::*;

/// Writes until it is refused; only every second it is looked whether the file is still there.
fn refusal(house: &House, session: SessionId) -> Trouble {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
    while tokio::time::Instant::now() < deadline {
        let new = message(house.item_id(), session, "more");
        match house.store.write_blocking(move |tx| tx.items_mut().insert(&new)) {
            Ok(_) => std::thread::yield_now(),
            Err(Error::Storage(trouble)) => return trouble,
            Err(other) => panic!("{other}"),
        }
    }
    panic!("it still writes")
}

/// Name and bytes of every file.
fn contents(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(dir).unwrap().map(Result::unwrap);
    let mut all: Vec<_> = entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap()))
        .filter(|(name, _)| name == "gatehouse.db" || name == "gatehouse.db-wal")
        .collect();
    all.sort();
    all
}

#[test]
fn a_replaced_file_stops_writing_and_says_who_holds_it() {
    let other = house();
    other.session();
    other.store.clone().close();
    let house = house();
    let session = house.session();
    house.said(session, "kept");
    let file = house.dir.path().join("gatehouse.db");
    #[expect(clippy::disallowed_methods, reason = "another program must have it open")]
    let mut holder = Command::new("tail").args(["-f", "/dev/null"]).arg(&file).stdout(Stdio::piped()).spawn().unwrap();
    // It writes what is in the file as soon as it has it open.
    std::io::Read::read_exact(holder.stdout.as_mut().unwrap(), &mut [0; 64]).unwrap();
    fs::rename(&file, house.dir.path().join("gone.db")).unwrap();
    fs::copy(other.dir.path().join("gatehouse.db"), &file).unwrap();
    let before = fs::read(&file).unwrap();
    let trouble = refusal(&house, session);
    assert_eq!((trouble.cause, trouble.cause.code()), (StorageCause::Replaced, "storage_replaced"));
    assert_eq!(house.store.trouble(), Some(trouble.clone()));
    assert!(trouble.to_string().contains(&*file.to_string_lossy()), "{trouble}");
    // Renamed, it is no longer open under this name, so nobody is accused.
    assert!(trouble.holders.is_empty(), "{trouble}");
    house.store.clone().close();
    assert!(fs::read(&file).unwrap() == before, "the stranger's file is as it was");
    holder.kill().unwrap();
    holder.wait().unwrap();
}

#[test]
fn a_removed_file_names_who_still_holds_it() {
    let house = house();
    let session = house.session();
    house.said(session, "kept");
    let file = house.dir.path().join("gatehouse.db");
    #[expect(clippy::disallowed_methods, reason = "another program must have it open")]
    let mut holder = Command::new("tail").arg("-f").arg(&file).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Read::read_exact(holder.stdout.as_mut().unwrap(), &mut [0; 1]).unwrap();
    fs::remove_file(&file).unwrap();
    let trouble = refusal(&house, session);
    assert_eq!(trouble.cause, StorageCause::Replaced);
    assert_eq!(trouble.holders, [format!("tail (pid {})", holder.id())]);
    holder.kill().unwrap();
    holder.wait().unwrap();
}

#[test]
fn a_removed_log_stops_writing_and_loses_nothing_more() {
    let house = house();
    let session = house.session();
    house.said(session, "kept");
    fs::remove_file(house.dir.path().join("gatehouse.db-wal")).unwrap();
    let trouble = refusal(&house, session);
    assert_eq!((trouble.cause, trouble.cause.code()), (StorageCause::OldLog, "storage_replaced"));
    assert!(trouble.to_string().contains("Run no repair"), "{trouble}");
    house.store.clone().close();
    assert!(!house.dir.path().join("gatehouse.db-wal").exists(), "no second log was begun");
}

#[test]
fn a_lock_that_somebody_holds_is_waited_for() {
    let house = house();
    let session = house.session();
    let mut trouble = house.store.watch_trouble();
    let stranger = Connection::open(house.dir.path().join("gatehouse.db")).unwrap();
    stranger.execute_batch("BEGIN IMMEDIATE").unwrap();
    let new = message(house.item_id(), session, "said while it was locked");
    let store = house.store.clone();
    let writing = std::thread::spawn(move || store.write_blocking(move |tx| tx.items_mut().insert(&new)));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let told = runtime.block_on(trouble.wait_for(Option::is_some)).unwrap().clone().unwrap();
    assert_eq!(told.cause, StorageCause::Locked);
    assert!(!writing.is_finished());
    // Who only reads waits for nobody.
    assert!(house.store.read(|s| s.items().transcript(session)).unwrap().is_empty());
    stranger.execute_batch("ROLLBACK").unwrap();
    assert_eq!(writing.join().unwrap().unwrap(), 1);
    assert_eq!(house.store.trouble(), None);
}

#[test]
fn damage_is_found_after_an_end_that_was_not_clean() {
    let house = house();
    let session = house.session();
    for n in 0..400 {
        house.said(session, &format!("{n} {}", "words ".repeat(40)));
    }
    house.store.clone().close();
    let file = house.dir.path().join("gatehouse.db");
    let conn = Connection::open(&file).unwrap();
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    conn.execute("UPDATE session SET title = 'cut off'", []).unwrap();
    drop(conn);
    drop(open(house.dir.path(), &house.ids)); // whole, it opens
    let conn = Connection::open(&file).unwrap();
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    conn.execute("UPDATE session SET title = 'cut off again'", []).unwrap();
    drop(conn);
    spoil_pages(&file, |page| page.windows(12).any(|bytes| bytes == b"words words "));
    let before = contents(house.dir.path());
    assert_eq!(before.len(), 2);
    let error = Store::open(house.dir.path(), Ids::new()).err().expect("it opened");
    assert!(matches!(error, OpenError::Corrupt { .. }), "{error:?}");
    assert_eq!(error.cause(), StorageCause::Corrupt);
    assert!(error.to_string().contains("backups"), "{error}");
    assert!(contents(house.dir.path()) == before, "it was left as it was");
}

/// Overwrites one page in the middle of those that `which` picks.
fn spoil_pages(file: &Path, which: impl Fn(&[u8]) -> bool) {
    let mut bytes = fs::read(file).unwrap();
    let pages: Vec<usize> = (1..bytes.len() / 4096).filter(|n| which(&bytes[n * 4096..(n + 1) * 4096])).collect();
    let page = pages[pages.len() / 2];
    bytes[page * 4096..(page + 1) * 4096].fill(0xA5);
    fs::File::create(file).unwrap().write_all(&bytes).unwrap();
}
