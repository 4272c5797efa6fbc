use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use gatehouse_domain::*;
use gatehouse_store::*;
use rusqlite::Connection;

use crate::support::*;

fn back_up(store: &Store, at: i64) -> Result<Backup> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(store.back_up(EpochMs(at * 1000 + 633)))
}

fn names(dir: &Path) -> Vec<String> {
    backups(dir).unwrap().into_iter().map(|backup| backup.name).collect()
}

#[test]
fn a_copy_is_made_while_others_write() {
    let house = house();
    let session = house.session();
    for n in 0..3_000 {
        house.said(session, &format!("{n} {}", "words ".repeat(40)));
    }
    let (over, before) = (AtomicBool::new(false), house.store.commits());
    let (made, during) = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                house.said(session, "meanwhile");
            }
        });
        while house.store.commits() == before {
            std::thread::yield_now();
        }
        let begun = house.store.commits();
        let made = back_up(&house.store, 1_772_357_401);
        let during = house.store.commits() - begun;
        over.store(true, Ordering::Relaxed);
        (made.unwrap(), during)
    });
    println!("{during} commits went on beside a copy of {} bytes", made.bytes);
    assert!(during > 0, "the writer stood still");
    assert_eq!(made.name, "2026-03-01T09-30-01Z.db");
    assert_eq!(backups(house.dir.path()).unwrap(), std::slice::from_ref(&made));
    assert_eq!(fs::metadata(&made.path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(made.path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    let copy = Connection::open(&made.path).unwrap();
    assert_eq!(copy.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0)).unwrap(), "ok");
    let items: u32 = copy.query_row("SELECT count(*) FROM item", [], |row| row.get(0)).unwrap();
    assert!(items >= 3_000);
    let beside: Vec<_> = fs::read_dir(made.path.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(beside, [made.name.as_str()], "complete in itself");
}

#[test]
fn a_displaced_page_is_found_in_the_copy() {
    let house = house();
    let session = house.session();
    for n in 0..400 {
        house.said(session, &format!("{n} {}", "words ".repeat(40)));
    }
    let good = back_up(&house.store, 10).unwrap();
    house.store.clone().close();
    displace(&house.dir.path().join("gatehouse.db"));
    let again = open(house.dir.path(), &house.ids);
    let error = back_up(&again, 20).unwrap_err();
    let Error::BadCopy { kept, .. } = &error else { panic!("{error:?}") };
    assert!(kept.exists() && error.to_string().contains("counts as no backup"), "{error}");
    assert_eq!(error.cause(), StorageCause::Corrupt);
    assert_eq!(names(house.dir.path()), [good.name], "the good one stays, the bad one counts for nothing");
}

/// Puts one leaf of a table in the place of another: each page makes sense by itself.
fn displace(file: &Path) {
    let mut bytes = fs::read(file).unwrap();
    let is_leaf = |page: &[u8]| page[0] == 0x0d && page.windows(12).any(|part| part == b"words words ");
    let leaves: Vec<usize> = (1..bytes.len() / 4096).filter(|n| is_leaf(&bytes[n * 4096..(n + 1) * 4096])).collect();
    let (from, to) = (leaves[leaves.len() / 3] * 4096, leaves[leaves.len() / 2] * 4096);
    bytes.copy_within(from..from + 4096, to);
    fs::write(file, bytes).unwrap();
}

#[test]
fn a_damaged_index_makes_no_bad_copy() {
    let house = house();
    let session = house.session();
    house.said(session, "before the flood");
    let conn = Connection::open(house.dir.path().join("gatehouse.db")).unwrap();
    conn.execute("DELETE FROM item_fts_data WHERE id > 10", []).unwrap();
    let made = back_up(&house.store, 10).unwrap();
    let copy = Connection::open(&made.path).unwrap();
    let found: u32 =
        copy.query_row("SELECT count(*) FROM item_fts WHERE item_fts MATCH 'flood'", [], |row| row.get(0)).unwrap();
    assert_eq!(found, 1);
}

#[test]
fn seven_are_kept() {
    let house = house();
    house.session();
    for n in 1..=9 {
        back_up(&house.store, n).unwrap();
    }
    fs::write(house.dir.path().join("backups/notes.txt"), "mine").unwrap();
    let expected: Vec<_> = (3..=9).rev().map(|n| format!("1970-01-01T00-00-0{n}Z.db")).collect();
    assert_eq!(names(house.dir.path()), expected);
    assert!(house.dir.path().join("backups/notes.txt").exists(), "what is not ours is left alone");
}

#[test]
fn copies_from_the_future_are_the_first_to_go_and_the_new_one_always_stays() {
    let house = house();
    house.session();
    for n in 31..=37 {
        back_up(&house.store, n).unwrap();
    }
    // The clock was set back.
    for n in 1..=9 {
        let made = back_up(&house.store, n).unwrap();
        assert!(made.path.exists(), "{}", made.name);
    }
    let expected: Vec<_> = (3..=9).rev().map(|n| format!("1970-01-01T00-00-0{n}Z.db")).collect();
    assert_eq!(names(house.dir.path()), expected);
}

#[test]
fn a_copy_that_cannot_be_written_says_where_and_leaves_nothing() {
    let house = house();
    house.session();
    fs::write(house.dir.path().join("backups"), "a file in the way").unwrap();
    let error = back_up(&house.store, 1).unwrap_err();
    assert!(error.to_string().contains("backups"), "{error}");
    house.session();
}
